//! The history of tasks.

use alfred_core::id::{BlockId, TaskId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::clock_time::ClockTime;
use crate::task::Task;
use crate::words;

words! {
    Happened {
        Completed = "completed",
        Reopened = "reopened",
        /// It was taken out of its block, or its due date was moved to later.
        PutOff = "put_off",
    }
}

/// Something that happened to a task, with the task's values at that time. Stored as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEvent {
    pub happened: Happened,
    pub at: Timestamp,
    pub task: TaskId,
    pub title: String,
    pub estimated_minutes: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<InBlock>,
    /// Whether words that its owner didn't write may have shaped it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InBlock {
    pub id: BlockId,
    pub date: Date,
    pub start: ClockTime,
    pub end: ClockTime,
}

impl TaskEvent {
    pub fn new(happened: Happened, at: Timestamp, task: &Task, block: Option<InBlock>) -> Self {
        Self {
            happened,
            at,
            task: task.id.clone(),
            title: task.title.clone(),
            estimated_minutes: task.estimated_minutes,
            block,
            tainted: task.tainted,
        }
    }
}
