//! Blocks, the gaps between them, and how they use a day.

use proptest::prelude::*;

use super::{SATURDAY, any_block, blocks, check, clock, span};
use crate::{DayStats, Span, TimeBlock, Utilization, gaps};

#[test]
fn stored_json_is_as_documented() {
    check("stored json is as documented", |[block]| {
        let block = &blocks(block)[0];
        let row = serde_json::to_string(block).unwrap();
        let short = row.replace(r#","description":"","tasks":[]"#, "");
        assert_eq!(serde_json::from_str::<TimeBlock>(&short).unwrap(), *block);
        row
    });
}

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
        let clock = clock("UTC", SATURDAY);
        let found = Utilization::from_blocks(&blocks(day), span("09:00-17:00"), 15, &clock);
        let (percent, focus) = (found.utilization, found.focus_time);
        let (fragments, suggestions) = (found.fragmented_time, found.suggestions);
        format!("{percent} % focus {focus} fragments {fragments} {suggestions:?}")
    });
}

proptest! {
    #[test]
    fn spans_overlap_or_hold_one_another_by_their_minutes(a in any_block(), b in any_block()) {
        let minutes = |one: &TimeBlock| one.span.start().minutes()..one.span.end().minutes();
        let shared = minutes(&a).filter(|minute| minutes(&b).contains(minute)).count();
        prop_assert_eq!(a.span.overlaps(b.span), shared > 0);
        prop_assert_eq!(b.span.overlaps(a.span), shared > 0);
        prop_assert_eq!(a.span.holds(b.span), shared == minutes(&b).len());
    }

    #[test]
    fn a_minute_is_in_a_gap_or_in_a_block(
        blocks in prop::collection::vec(any_block(), 0..12), within in any_block()
    ) {
        let within = within.span;
        let gaps = gaps::free(blocks.iter().map(|block| block.span), within);
        for minute in within.start().minutes()..within.end().minutes() {
            let now = |span: Span| (span.start().minutes()..span.end().minutes()).contains(&minute);
            let busy = blocks.iter().any(|block| now(block.span));
            let free = gaps.iter().filter(|gap| now(**gap)).count();
            prop_assert_eq!(free, usize::from(!busy), "{}", minute);
        }
    }

    #[test]
    fn parts_never_exceed_the_whole(mut blocks in prop::collection::vec(any_block(), 0..20)) {
        let stats = DayStats::from_blocks(&blocks);
        prop_assert!(stats.focus_hours + stats.meeting_hours <= stats.total_hours + 0.011);
        let timed = blocks.iter().filter(|block| !block.kind.takes_the_day(block.span));
        let exact: u32 = timed.map(|block| u32::from(block.span.wall_minutes())).sum();
        prop_assert!((f64::from(stats.utilization) - f64::from(exact) / 4.8).abs() <= 0.5);
        blocks.reverse();
        prop_assert_eq!(DayStats::from_blocks(&blocks), stats);
    }
}
