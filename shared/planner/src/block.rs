//! Blocks of a day.

use alfred_core::id::{BlockId, TaskId};
use serde::{Deserialize, Serialize};

use crate::{Span, words};

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

    /// Whether a block of that time marks the whole day, such as a holiday, and takes no hours of it.
    pub(crate) fn takes_the_day(self, span: Span) -> bool {
        self == Self::Blocked && span == Span::WHOLE_DAY
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
}

/// The blocks that share a minute with a span, in their order.
pub fn conflicts(blocks: &[TimeBlock], span: Span) -> impl Iterator<Item = &TimeBlock> {
    blocks.iter().filter(move |block| block.span.overlaps(span))
}

/// Puts blocks in the order of a day: by start, then end, then id.
pub fn sort(blocks: &mut [TimeBlock]) {
    blocks.sort_by(|a, b| (a.span, &a.id).cmp(&(b.span, &b.id)));
}
