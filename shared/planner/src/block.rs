//! Blocks of a day.

use alfred_core::id::{BlockId, TaskId};
use serde::{Deserialize, Serialize};

use crate::span::Span;
use crate::words;

words! {
    BlockType {
        /// Focused work; tasks can be assigned to it.
        Work = "work",
        Meeting = "meeting",
        Email = "email",
        /// Rest and lunch.
        Break = "break",
        /// Nothing is planned in it.
        Blocked = "blocked",
    }
}

impl BlockType {
    /// Whether plans never move it.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::Meeting | Self::Blocked)
    }
}

/// A block of one day, in wall-clock time of its owner's zone. Stored as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeBlock {
    pub id: BlockId,
    #[serde(rename = "type")]
    pub kind: BlockType,
    pub title: String,
    #[serde(flatten)]
    pub span: Span,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub tasks: Vec<TaskPart>,
    /// Whether words that its owner didn't write may have shaped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}

/// A task planned for a block, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskPart {
    pub id: TaskId,
    /// Minutes of the part, if the task is split over blocks; else the block holds the whole task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
}

impl From<TaskId> for TaskPart {
    fn from(id: TaskId) -> Self {
        Self { id, minutes: None }
    }
}

impl TimeBlock {
    /// A block without a description and tasks.
    pub fn new(id: impl Into<BlockId>, kind: BlockType, title: &str, span: Span) -> Self {
        Self {
            id: id.into(),
            kind,
            title: title.to_owned(),
            span,
            description: String::new(),
            tasks: Vec::new(),
            tainted: false,
        }
    }

    pub fn task_ids(&self) -> impl Iterator<Item = &TaskId> {
        self.tasks.iter().map(|part| &part.id)
    }

    /// Whether it marks a whole day, such as a holiday, and takes no hours of it.
    pub fn takes_the_day(&self) -> bool {
        takes_the_day(self.kind, self.span)
    }
}

/// Whether a block of that kind and time marks a whole day.
pub(crate) fn takes_the_day(kind: BlockType, span: Span) -> bool {
    kind == BlockType::Blocked && span == Span::WHOLE_DAY
}

/// The blocks that share a minute with a span, in their order.
pub fn conflicts(blocks: &[TimeBlock], span: Span) -> impl Iterator<Item = &TimeBlock> {
    blocks.iter().filter(move |block| block.span.overlaps(span))
}

/// Puts blocks in the order of a day: by start, then end, then id.
pub fn sort(blocks: &mut [TimeBlock]) {
    blocks.sort_by(|a, b| (a.span, &a.id).cmp(&(b.span, &b.id)));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::clock_time::ClockTime;
    use crate::testing::blocks;
    use proptest::prelude::*;

    /// Half of them on half hours, so that neighbours are common.
    pub(crate) fn any_block() -> impl Strategy<Value = TimeBlock> {
        let kind = prop::sample::select(BlockType::ALL);
        let step = prop::sample::select(vec![1_u16, 30]);
        (kind, step, 0_u16..1_440, 1_u16..=1_440).prop_map(|(kind, step, start, length)| {
            let start = start / step * step;
            let end = (start + length).div_ceil(step) * step;
            let [start, end] = [start, end].map(|time| ClockTime::MIDNIGHT.plus(time.into()));
            TimeBlock::new("blk", kind, "Block", Span::new(start, end).unwrap())
        })
    }

    #[test]
    fn stored_json_is_as_documented() {
        let row = serde_json::to_value(&blocks("break 12:00-24:00")[0]).unwrap();
        assert_eq!(row["type"], "break");
        assert_eq!(row["start"], "12:00");
        assert_eq!(row["end"], "24:00");
        assert_eq!(row.get("tainted"), None);
        let tainted = blocks("~work 09:00-10:00").remove(0);
        let row = serde_json::to_value(&tainted).unwrap();
        assert_eq!(row["tainted"], true);
        assert_eq!(serde_json::from_value::<TimeBlock>(row).unwrap(), tainted);
        let short = r#"{"id":"b","type":"work","title":"T","start":"09:00","end":"10:00"}"#;
        let short: TimeBlock = serde_json::from_str(short).unwrap();
        assert_eq!(short.span.wall_minutes(), 60);
    }

    proptest! {
        #[test]
        fn overlap_is_sharing_a_minute(a in any_block(), b in any_block()) {
            let minutes = |one: &TimeBlock| one.span.start().minutes()..one.span.end().minutes();
            let shared = minutes(&a).any(|minute| minutes(&b).contains(&minute));
            prop_assert_eq!(a.span.overlaps(b.span), shared);
            prop_assert_eq!(b.span.overlaps(a.span), shared);
        }
    }
}
