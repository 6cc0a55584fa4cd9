//! What was observed of a person: the input of the search for patterns.

use alfred_core::id::{BlockId, TaskId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::{Span, Task, TimeBlock, Wish, words};

#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// Days with blocks, each once.
    pub days: Vec<Day>,
    pub tasks: Vec<TaskEvent>,
    pub asked: Vec<Asked>,
    pub offers: Vec<Offer>,
}

#[derive(Clone, Debug)]
pub struct Day {
    pub date: Date,
    pub blocks: Vec<TimeBlock>,
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub date: Date,
    pub wishes: Vec<Wish>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub date: Date,
    pub what: Offered,
    pub taken: bool,
    /// Whether words that its owner didn't write are in it.
    pub tainted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Offered {
    /// A task for a work block.
    Task { id: String, title: String },
    /// To archive a mail from this address.
    Archiving(String),
}

words! {
    RemarkKind {
        Positive = "positive",
        Negative = "negative",
        Suggestion = "suggestion",
        Bug = "bug",
    }
}

words! {
    Happened {
        Completed = "completed",
        Reopened = "reopened",
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
    #[serde(flatten)]
    pub span: Span,
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
