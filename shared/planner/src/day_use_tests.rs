use super::*;
use crate::block::tests::any_block;
use crate::day_clock::tests::clock;
use crate::testing::{blocks, cases, span};
use jiff::civil::date;
use proptest::prelude::*;

#[test]
fn hours_are_summed_by_kind() {
    for [day, total, focus, meetings, utilization] in cases("hours are summed by kind") {
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
    for [day, numbers, suggestions] in cases("a day is analysed by its limits") {
        let clock = clock("UTC", date(2026, 11, 20));
        let found = Utilization::from_blocks(&blocks(day), span("09:00-17:00"), 15, &clock);
        let (use_of, focus, fragments) =
            (found.utilization, found.focus_time, found.fragmented_time);
        assert_eq!(
            format!("{use_of} % focus {focus} fragments {fragments}"),
            numbers,
            "{day}"
        );
        let found = found.suggestions.iter().map(|one| format!("{one:?}"));
        let found: Vec<String> = found.collect();
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
