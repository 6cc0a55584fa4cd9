use super::*;
use crate::block::tests::any_block;
use crate::day_clock::tests::clock;
use crate::testing::{blocks, check, span};
use jiff::civil::date;
use proptest::prelude::*;

#[test]
fn hours_are_summed_by_kind() {
    check("hours are summed by kind", |[day]| {
        let found = DayStats::from_blocks(&blocks(day));
        let (all, focus, meetings) = (found.total_hours, found.focus_hours, found.meeting_hours);
        let percent = found.utilization;
        format!("{all} h, focus {focus} h, meetings {meetings} h, {percent} %")
    });
}

/// Of a working day from 9 to 17 with 15 % of slack.
#[test]
fn a_day_is_analysed_by_its_limits() {
    check("a day is analysed by its limits", |[day]| {
        let clock = clock("UTC", date(2026, 11, 20));
        let found = Utilization::from_blocks(&blocks(day), span("09:00-17:00"), 15, &clock);
        let (percent, focus) = (found.utilization, found.focus_time);
        let (fragments, suggestions) = (found.fragmented_time, found.suggestions);
        format!("{percent} % focus {focus} fragments {fragments} {suggestions:?}")
    });
}

proptest! {
    #[test]
    fn parts_never_exceed_the_whole(mut blocks in prop::collection::vec(any_block(), 0..20)) {
        let stats = DayStats::from_blocks(&blocks);
        prop_assert!(stats.focus_hours + stats.meeting_hours <= stats.total_hours + 0.011);
        let timed = blocks.iter().filter(|block| !block.takes_the_day());
        let exact: u32 = timed.map(|block| u32::from(block.span.wall_minutes())).sum();
        prop_assert!((f64::from(stats.utilization) - f64::from(exact) / 4.8).abs() <= 0.5);
        blocks.reverse();
        prop_assert_eq!(DayStats::from_blocks(&blocks), stats);
    }
}
