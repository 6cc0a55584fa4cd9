//! Tasks.

use alfred_core::id::{BlockId, TaskId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::words;

/// Minutes a task may be estimated at: up to a day.
pub const ESTIMATE: std::ops::RangeInclusive<u32> = 1..=1_440;

words! {
    TaskStatus {
        Backlog = "backlog",
        /// Planned into a block.
        Scheduled = "scheduled",
        Completed = "completed",
    }
}

words! {
    Priority {
        High = "high",
        Medium = "medium",
        Low = "low",
    }
}

words! {
    TaskSource {
        Chat = "chat",
        Email = "email",
    }
}

/// Stored as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub id: TaskId,
    pub title: String,
    #[serde(default)]
    pub description: String,
    pub status: TaskStatus,
    pub priority: Priority,
    /// Minutes it will take, within `ESTIMATE`.
    pub estimated_minutes: u32,
    pub due_date: Option<Date>,
    pub source: TaskSource,
    pub created_at: Timestamp,
    /// The blocks it is planned for, or was done in; several if it is split.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BlockId>,
    /// Whether words that its owner didn't write may have shaped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}

impl Task {
    /// An open task as chats give it if they say no more: of half an hour, without a due date.
    pub fn new(id: impl Into<TaskId>, title: String, created_at: Timestamp) -> Self {
        Self {
            id: id.into(),
            title,
            description: String::new(),
            status: TaskStatus::Backlog,
            priority: Priority::Medium,
            estimated_minutes: 30,
            due_date: None,
            source: TaskSource::Chat,
            created_at,
            blocks: Vec::new(),
            tainted: false,
        }
    }
}
