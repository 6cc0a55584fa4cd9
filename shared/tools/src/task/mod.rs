//! Tasks.

pub mod create_task;
pub mod delete_task;
pub mod store;
pub mod view_tasks;

use alfred_core::id::TaskId;
use alfred_planner::{Priority, Score, Task, TaskSource, TaskStatus};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;

/// A task as tools show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// Its id.
    pub id: TaskId,
    /// What is to be done.
    pub title: String,
    /// More about it, may be empty.
    pub description: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// How much it matters.
    pub priority: Priority,
    /// Minutes it will take.
    pub estimated_minutes: u32,
    /// The day by which it is to be done.
    pub due_date: Option<Date>,
    /// Where it came from.
    pub source: TaskSource,
    /// When it was made.
    pub created_at: Timestamp,
    /// `score` and `scoreBreakdown`.
    #[serde(flatten)]
    pub score: Score,
}

impl TaskView {
    /// The task with its score.
    #[must_use]
    pub fn of(task: Task, score: Score) -> Self {
        Self {
            id: task.id,
            title: task.title,
            description: task.description,
            status: task.status,
            priority: task.priority,
            estimated_minutes: task.estimated_minutes,
            due_date: task.due_date,
            source: task.source,
            created_at: task.created_at,
            score,
        }
    }
}
