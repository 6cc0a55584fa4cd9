//! The free stretches of a day.

use serde::Serialize;

use crate::block::TimeBlock;
use crate::clock_time::ClockTime;
use crate::day_clock::DayClock;
use crate::span::Span;

/// The shortest gap that can be asked for, in minutes.
pub const LEAST_GAP: u32 = 15;

/// A free stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Its first minute.
    pub start_time: ClockTime,
    /// The first minute after it.
    pub end_time: ClockTime,
    /// Minutes that pass in it: across a clock change not those on the wall clock.
    pub duration: u32,
}

/// The free stretches of a day, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gaps {
    /// Those that are long enough.
    pub gaps: Vec<Gap>,
    /// The sum of their durations.
    pub total_available_minutes: u32,
}

/// The gaps of at least `least` minutes that blocks leave within a stretch.
pub fn find_gaps(blocks: &[TimeBlock], within: Span, least: u32, clock: &DayClock) -> Gaps {
    let taken = blocks.iter().filter_map(TimeBlock::span);
    let gaps: Vec<Gap> = free(taken, within, clock)
        .into_iter()
        .filter(|gap| gap.duration >= least)
        .collect();
    let total_available_minutes = gaps.iter().map(|gap| gap.duration).sum();
    Gaps {
        gaps,
        total_available_minutes,
    }
}

/// Every gap of at least a minute that what is taken leaves.
pub fn free(taken: impl IntoIterator<Item = Span>, within: Span, clock: &DayClock) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut from = within.start();
    for busy in merged(taken) {
        push(&mut gaps, from, busy.start().min(within.end()), clock);
        from = from.max(busy.end());
    }
    push(&mut gaps, from, within.end(), clock);
    gaps
}

/// The same minutes as stretches that don't touch one another, in order.
pub fn merged(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.into_iter().collect();
    spans.sort();
    let mut out: Vec<Span> = Vec::new();
    for span in spans {
        match out.last_mut() {
            Some(last) if span.start() <= last.end() => {
                if let Some(longer) = Span::new(last.start(), last.end().max(span.end())) {
                    *last = longer;
                }
            }
            _ => out.push(span),
        }
    }
    out
}

fn push(gaps: &mut Vec<Gap>, start_time: ClockTime, end_time: ClockTime, clock: &DayClock) {
    let duration = clock.between(start_time, end_time);
    if duration > 0 {
        gaps.push(Gap {
            start_time,
            end_time,
            duration,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::BlockType;
    use crate::block::tests::{any_block, block};
    use crate::day_clock::tests::clock;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn span(start: u16, end: u16) -> Span {
        let at = |minutes| ClockTime::from_minutes(minutes).unwrap();
        Span::new(at(start), at(end)).unwrap()
    }

    fn shown(gaps: &Gaps) -> Vec<String> {
        let text = |gap: &Gap| format!("{}–{} {}", gap.start_time, gap.end_time, gap.duration);
        gaps.gaps.iter().map(text).collect()
    }

    fn plain() -> DayClock {
        clock("Europe/Berlin", date(2026, 11, 20))
    }

    #[test]
    fn overlapping_and_nested_blocks_leave_no_gap_inside() {
        let blocks = [
            block(BlockType::Meeting, 600, 720),
            block(BlockType::Work, 630, 640),
            block(BlockType::Work, 700, 750),
            block(BlockType::Break, 750, 760),
            block(BlockType::Email, 1_000, 1_100),
        ];
        let found = find_gaps(&blocks, span(540, 1_020), 30, &plain());
        assert_eq!(shown(&found), ["09:00–10:00 60", "12:40–16:40 240"]);
        assert_eq!(found.total_available_minutes, 300);
    }

    #[test]
    fn edges_of_the_day() {
        let found = find_gaps(&[], span(0, 1_440), 15, &plain());
        assert_eq!(shown(&found), ["00:00–24:00 1440"]);
        assert!(free([span(0, 1_440)], span(540, 1_020), &plain()).is_empty());
        let late = [block(BlockType::Work, 1_380, 1_440)];
        let found = find_gaps(&late, span(1_320, 1_440), 15, &plain());
        assert_eq!(shown(&found), ["22:00–23:00 60"]);
    }

    #[test]
    fn a_gap_across_a_clock_change_has_its_true_length() {
        let spring = clock("Europe/Berlin", date(2026, 3, 29));
        let autumn = clock("Europe/Berlin", date(2026, 10, 25));
        let night = [block(BlockType::Work, 60, 90)];
        let lengths = |clock| shown(&find_gaps(&night, span(0, 300), 30, clock));
        assert_eq!(lengths(&spring), ["00:00–01:00 60", "01:30–05:00 150"]);
        assert_eq!(lengths(&autumn), ["00:00–01:00 60", "01:30–05:00 270"]);
    }

    proptest! {
        #[test]
        fn a_minute_is_in_a_gap_or_in_a_block(
            blocks in prop::collection::vec(any_block(), 0..12), start in 0_u16..1_400, length in 1_u16..1_440
        ) {
            let within = span(start, (start + length).min(1_440));
            let gaps = free(blocks.iter().filter_map(TimeBlock::span), within, &plain());
            for minute in within.start().minutes()..within.end().minutes() {
                let busy = blocks
                    .iter()
                    .any(|b| (b.start.minutes()..b.end.minutes()).contains(&minute));
                let free = gaps
                    .iter()
                    .filter(|g| (g.start_time.minutes()..g.end_time.minutes()).contains(&minute))
                    .count();
                prop_assert_eq!(free, usize::from(!busy), "{}", minute);
            }
        }
    }
}
