//! Tasks.

use alfred_core::id::{BlockId, TaskId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::words;

/// Minutes a task may be estimated at: up to a day.
pub const ESTIMATE: std::ops::RangeInclusive<u32> = 1..=1_440;

words! {
    /// Where a task stands.
    TaskStatus {
        /// To be planned.
        Backlog = "backlog",
        /// Planned into a block.
        Scheduled = "scheduled",
        /// Done.
        Completed = "completed",
    }
}

words! {
    /// How much a task matters.
    Priority {
        /// First.
        High = "high",
        /// As usual.
        Medium = "medium",
        /// Whenever there is time.
        Low = "low",
    }
}

words! {
    /// Where a task came from.
    TaskSource {
        /// A conversation.
        Chat = "chat",
        /// A mail.
        Email = "email",
    }
}

/// Something to do. Its row is this as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id, unique per person.
    pub id: TaskId,
    /// What is to be done.
    pub title: String,
    /// More about it, may be empty.
    #[serde(default)]
    pub description: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// How much it matters.
    pub priority: Priority,
    /// Minutes it will take, within `ESTIMATE`.
    pub estimated_minutes: u32,
    /// The day by which it is to be done.
    #[serde(default)]
    pub due_date: Option<Date>,
    /// Where it came from.
    pub source: TaskSource,
    /// When it was made.
    pub created_at: Timestamp,
    /// The block it is planned for, or was done in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_id: Option<BlockId>,
    /// Whether words its owner didn't write may have shaped it: whoever reads it has read them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}
