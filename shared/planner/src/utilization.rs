//! What can be said about how a day is used (annex 2, `analyzeUtilization`).

use serde::Serialize;

use crate::block::{BlockType, TimeBlock};
use crate::day_clock::DayClock;
use crate::day_use::DayUse;
use crate::gaps;
use crate::span::Span;
use crate::stats::utilization;
use crate::suggestion::Suggestion;

/// A gap shorter than this many minutes is a fragment.
pub const FRAGMENT: u32 = 30;

/// How a day is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Utilization {
    /// Minutes of all blocks in percent of 8 hours, rounded; may exceed 100.
    pub utilization: u32,
    /// Minutes of work blocks.
    pub focus_time: u32,
    /// Minutes in gaps shorter than 30 within the working day, its edges included.
    pub fragmented_time: u32,
    /// What could be better.
    pub suggestions: Vec<Suggestion>,
}

impl Utilization {
    /// Looks at the blocks of a day whose owner wants so many percent of slack. Lengths are minutes that pass.
    pub fn from_blocks(blocks: &[TimeBlock], working: Span, slack: u32, clock: &DayClock) -> Self {
        let minutes = |kind: Option<BlockType>| -> u32 {
            let asked = blocks
                .iter()
                .filter(|block| !block.takes_the_day() && kind.is_none_or(|k| block.kind == k));
            asked
                .map(|block| clock.between(block.start, block.end))
                .sum()
        };
        let utilization = utilization(minutes(None));
        let focus = minutes(Some(BlockType::Work));
        let meetings = minutes(Some(BlockType::Meeting));
        let breaks = minutes(Some(BlockType::Break));
        let timed = blocks
            .iter()
            .filter_map(|block| Some((block.kind, block.span()?)));
        let day = DayUse::of_day(timed, working, clock);
        let taken = blocks.iter().filter_map(TimeBlock::span);
        let fragmented_time = gaps::free(taken, working, clock)
            .iter()
            .map(|gap| gap.duration)
            .filter(|duration| *duration < FRAGMENT)
            .sum();
        let no_email = !blocks.iter().any(|block| block.kind == BlockType::Email);
        let suggestions = [
            day.room_for_more(slack),
            day.too_full(slack),
            (focus < 180).then_some(Suggestion::LittleFocus(focus)),
            (breaks < 30).then_some(Suggestion::FewBreaks(breaks)),
            (fragmented_time > 60).then_some(Suggestion::Fragmented(fragmented_time)),
            (meetings > focus).then_some(Suggestion::MoreMeetingsThanFocus { meetings, focus }),
            no_email.then_some(Suggestion::NoEmailBlock),
        ];
        // Nobody has to better a day off.
        let off = blocks.iter().any(TimeBlock::takes_the_day);
        let suggestions = suggestions.into_iter().flatten().filter(|_| !off);
        Self {
            utilization,
            focus_time: focus,
            fragmented_time,
            suggestions: suggestions.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tests::block;
    use crate::clock_time::ClockTime;
    use crate::day_clock::tests::clock;
    use jiff::civil::date;

    fn utilization(blocks: &[TimeBlock]) -> Utilization {
        let at = |minutes| ClockTime::from_minutes(minutes).unwrap();
        let working = Span::new(at(540), at(1_020)).unwrap();
        Utilization::from_blocks(blocks, working, 15, &clock("UTC", date(2026, 11, 20)))
    }

    #[test]
    fn an_empty_day_has_room() {
        let day = utilization(&[]);
        assert_eq!(
            (day.utilization, day.focus_time, day.fragmented_time),
            (0, 0, 0)
        );
        use Suggestion::{FewBreaks, LittleFocus, NoEmailBlock, RoomForMore};
        assert_eq!(
            day.suggestions,
            [RoomForMore(0), LittleFocus(0), FewBreaks(0), NoEmailBlock]
        );
    }

    #[test]
    fn the_limits_themselves_are_fine() {
        // 180 focus, 30 breaks, 70 % in all, as many meetings as focus at most.
        let day = [
            block(BlockType::Work, 540, 720),
            block(BlockType::Break, 720, 750),
            block(BlockType::Meeting, 750, 846),
            block(BlockType::Email, 846, 876),
        ];
        let found = utilization(&day);
        assert_eq!((found.utilization, found.suggestions), (70, vec![]));
    }

    #[test]
    fn a_crowded_day_says_so() {
        let day = [
            block(BlockType::Meeting, 540, 840),
            block(BlockType::Work, 500, 620),
            block(BlockType::Break, 840, 850),
        ];
        let found = utilization(&day);
        assert_eq!((found.utilization, found.focus_time), (90, 120));
        // What overlaps is lived through once.
        use Suggestion::{FewBreaks, LittleFocus, MoreMeetingsThanFocus, NoEmailBlock};
        let (meetings, focus) = (300, 120);
        let more_meetings = MoreMeetingsThanFocus { meetings, focus };
        let wanting = [LittleFocus(120), FewBreaks(10), more_meetings, NoEmailBlock];
        assert_eq!(found.suggestions, wanting);
        let evening = [block(BlockType::Work, 860, 1_220)];
        let more: Vec<_> = evening.into_iter().chain(day).collect();
        assert_eq!(utilization(&more).suggestions[0], Suggestion::TooFull(148));
    }

    #[test]
    fn a_day_is_full_by_what_could_be_free() {
        // Seven hours of meetings: of the hour beside them a quarter is enough.
        let meetings = block(BlockType::Meeting, 540, 960);
        let full = |end| {
            let found = utilization(&[meetings.clone(), block(BlockType::Work, 960, end)]);
            found
                .suggestions
                .contains(&Suggestion::TooFull(found.utilization))
        };
        assert_eq!([full(1_005), full(1_020)], [false, true]);
        let off = utilization(&[block(BlockType::Blocked, 0, 1_440)]);
        assert_eq!(off.suggestions, []);
    }

    #[test]
    fn fragments_count_at_the_edges_and_thirty_is_none() {
        // 9:00 |15| .. |29| .. |30| .. |20| 17:00
        let day = [
            block(BlockType::Work, 555, 600),
            block(BlockType::Work, 629, 700),
            block(BlockType::Work, 730, 1_000),
        ];
        assert_eq!(utilization(&day).fragmented_time, 15 + 29 + 20);
        assert!(
            utilization(&day)
                .suggestions
                .contains(&Suggestion::Fragmented(64))
        );
        // A gap that only partly lies in the working day counts with that part.
        let early = [
            block(BlockType::Work, 420, 520),
            block(BlockType::Work, 560, 1_020),
        ];
        assert_eq!(utilization(&early).fragmented_time, 20);
    }
}
