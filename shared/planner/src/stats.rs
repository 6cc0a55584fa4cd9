//! What a day is made of.

use serde::Serialize;

use crate::block::{BlockType, TimeBlock};

/// Minutes of a full day, which is a utilization of 100 %.
pub const FULL_DAY: u32 = 480;

/// Sums over the blocks of a day (annex 2). Blocks that overlap count each; a day that is blocked as a whole counts none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DayStats {
    /// Hours of all blocks, to two decimals.
    pub total_hours: f64,
    /// Hours of work blocks.
    pub focus_hours: f64,
    /// Hours of meetings.
    pub meeting_hours: f64,
    /// Minutes of all blocks in percent of 8 hours, rounded; may exceed 100.
    pub utilization: u32,
}

impl DayStats {
    /// The sums of these blocks, in minutes of the wall clock.
    pub fn from_blocks(blocks: &[TimeBlock]) -> Self {
        let minutes = |kind: Option<BlockType>| -> u32 {
            let asked = blocks
                .iter()
                .filter(|block| !block.takes_the_day() && kind.is_none_or(|k| block.kind == k));
            asked.map(TimeBlock::duration).sum()
        };
        let total = minutes(None);
        Self {
            total_hours: hours(total),
            focus_hours: hours(minutes(Some(BlockType::Work))),
            meeting_hours: hours(minutes(Some(BlockType::Meeting))),
            utilization: utilization(total),
        }
    }
}

/// Minutes in percent of a full day, rounded half up.
pub fn utilization(minutes: u32) -> u32 {
    (minutes.saturating_mul(100) + FULL_DAY / 2) / FULL_DAY
}

fn hours(minutes: u32) -> f64 {
    (f64::from(minutes) / 60.0 * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tests::{any_block, block};
    use proptest::prelude::*;

    #[test]
    fn a_day_adds_up() {
        let day = [
            block(BlockType::Work, 540, 640),
            block(BlockType::Meeting, 600, 645),
            block(BlockType::Break, 720, 780),
        ];
        let stats = DayStats::from_blocks(&day);
        assert_eq!(stats.total_hours, 3.42);
        assert_eq!(stats.focus_hours, 1.67);
        assert_eq!(stats.meeting_hours, 0.75);
        assert_eq!(stats.utilization, 43);
        assert_eq!(DayStats::from_blocks(&[]), DayStats::default());
    }

    #[test]
    fn utilization_rounds_and_may_exceed_a_hundred() {
        assert_eq!(utilization(480), 100);
        assert_eq!(utilization(600), 125);
        assert_eq!(utilization(12), 3);
        assert_eq!(utilization(11), 2);
    }

    #[test]
    fn a_day_off_counts_no_hours() {
        let away = block(BlockType::Blocked, 0, 1_440);
        let stats = DayStats::from_blocks(&[away.clone(), block(BlockType::Work, 540, 600)]);
        assert_eq!((stats.total_hours, stats.utilization), (1.0, 13));
        let asleep = TimeBlock {
            start: crate::ClockTime::from_minutes(1).unwrap(),
            ..away
        };
        assert_eq!(DayStats::from_blocks(&[asleep]).utilization, 300);
    }

    proptest! {
        #[test]
        fn parts_never_exceed_the_whole(blocks in prop::collection::vec(any_block(), 0..20)) {
            let stats = DayStats::from_blocks(&blocks);
            prop_assert!(stats.focus_hours + stats.meeting_hours <= stats.total_hours + 0.011);
            let timed = blocks.iter().filter(|block| !block.takes_the_day());
            let exact: u32 = timed.map(TimeBlock::duration).sum();
            prop_assert!((f64::from(stats.utilization) - f64::from(exact) / 4.8).abs() <= 0.5);
        }

        #[test]
        fn order_does_not_matter(mut blocks in prop::collection::vec(any_block(), 0..20)) {
            let before = DayStats::from_blocks(&blocks);
            blocks.reverse();
            prop_assert_eq!(DayStats::from_blocks(&blocks), before);
        }
    }
}
