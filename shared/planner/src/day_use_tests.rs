use super::*;
use crate::block::tests::{any_block, block};
use crate::day_clock::tests::clock;
use crate::testing::{cases, span};
use jiff::civil::date;
use proptest::prelude::*;

/// `work 09:00-10:00, break 12:00-13:00`.
fn blocks(text: &str) -> Vec<TimeBlock> {
    let one = |text: &str| {
        let (kind, times) = text.split_once(' ').unwrap();
        let mut kinds = BlockType::ALL.iter();
        let kind = kinds.find(|known| known.as_str() == kind).unwrap();
        let times = span(times);
        block(*kind, times.start().minutes(), times.end().minutes())
    };
    let texts = text.split(", ").filter(|text| !text.is_empty());
    texts.map(one).collect()
}

#[test]
fn hours_are_summed_by_kind() {
    for [day, total, focus, meetings, utilization] in cases(
        "
                                                                  | 0    | 0    | 0    | 0
        work 09:00-10:40, meeting 10:00-10:45, break 12:00-13:00  | 3.42 | 1.67 | 0.75 | 43
        work 09:00-09:12                                          | 0.2  | 0.2  | 0    | 3
        work 09:00-09:11                                          | 0.18 | 0.18 | 0    | 2
        work 09:00-19:00                                          | 10   | 10   | 0    | 125
        blocked 00:00-24:00, work 09:00-10:00                     | 1    | 1    | 0    | 13
        blocked 00:01-24:00                                       | 23.98 | 0   | 0    | 300",
    ) {
        let found = DayStats::from_blocks(&blocks(day));
        let hours = [found.total_hours, found.focus_hours, found.meeting_hours];
        assert_eq!(
            hours.map(|hours| hours.to_string()),
            [total, focus, meetings],
            "{day}"
        );
        assert_eq!(found.utilization.to_string(), utilization, "{day}");
    }
}

/// Of a working day from 9 to 17 with 15 % of slack.
#[test]
fn a_day_is_analysed_by_its_limits() {
    for [day, numbers, suggestions] in cases(
        "
        | 0 % focus 0 fragments 0 | RoomForMore(0), LittleFocus(0), FewBreaks(0), NoEmailBlock
        work 09:00-12:00, break 12:00-12:30, meeting 12:30-14:06, email 14:06-14:36 | 70 % focus 180 fragments 0 |
        meeting 09:00-14:00, work 08:20-10:20, break 14:00-14:10 | 90 % focus 120 fragments 0 | LittleFocus(120), FewBreaks(10), MoreMeetingsThanFocus { meetings: 300, focus: 120 }, NoEmailBlock
        work 14:20-20:20, meeting 09:00-14:00, work 08:20-10:20, break 14:00-14:10 | 165 % focus 480 fragments 10 | TooFull(148), FewBreaks(10), NoEmailBlock
        meeting 09:00-16:00, work 16:00-16:45 | 97 % focus 45 fragments 15 | LittleFocus(45), FewBreaks(0), MoreMeetingsThanFocus { meetings: 420, focus: 45 }, NoEmailBlock
        meeting 09:00-16:00, work 16:00-17:00 | 100 % focus 60 fragments 0 | TooFull(100), LittleFocus(60), FewBreaks(0), MoreMeetingsThanFocus { meetings: 420, focus: 60 }, NoEmailBlock
        work 09:15-10:00, work 10:29-11:40, work 12:10-16:40 | 80 % focus 386 fragments 64 | FewBreaks(0), Fragmented(64), NoEmailBlock
        work 07:00-08:40, work 09:20-17:00 | 117 % focus 560 fragments 20 | TooFull(117), FewBreaks(0), NoEmailBlock
        blocked 00:00-24:00 | 0 % focus 0 fragments 0 |",
    ) {
        let clock = clock("UTC", date(2026, 11, 20));
        let found = Utilization::from_blocks(&blocks(day), span("09:00-17:00"), 15, &clock);
        let (use_of, focus, fragments) = (found.utilization, found.focus_time, found.fragmented_time);
        assert_eq!(format!("{use_of} % focus {focus} fragments {fragments}"), numbers, "{day}");
        let found: Vec<String> = found.suggestions.iter().map(|one| format!("{one:?}")).collect();
        assert_eq!(found.join(", "), suggestions, "{day}");
    }
}

proptest! {
    #[test]
    fn parts_never_exceed_the_whole(mut blocks in prop::collection::vec(any_block(), 0..20)) {
        let stats = DayStats::from_blocks(&blocks);
        prop_assert!(stats.focus_hours + stats.meeting_hours <= stats.total_hours + 0.011);
        let timed = blocks.iter().filter(|block| !block.takes_the_day());
        let exact: u32 = timed.map(TimeBlock::duration).sum();
        prop_assert!((f64::from(stats.utilization) - f64::from(exact) / 4.8).abs() <= 0.5);
        blocks.reverse();
        prop_assert_eq!(DayStats::from_blocks(&blocks), stats);
    }
}
