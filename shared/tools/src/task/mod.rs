//! Tasks.

pub mod assign_to_time_block;
pub mod complete_task;
pub mod create_task;
pub mod delete_task;
pub mod events;
pub mod get_backlog_with_scores;
pub mod store;
pub mod suggest_for_duration;
pub mod update_task;
pub mod view_tasks;

mod status;

use alfred_agent::tool::Toolset;
use alfred_core::id::{BlockId, TaskId};
use alfred_planner::{Priority, Score, ScoredTask, Task, TaskSource, TaskStatus};

use crate::prelude::*;

/// These tools.
pub const TOOLSET: Toolset = Toolset::new(
    "task",
    "to-do items: add, list, change, complete, rank, put into a block",
    "is looking at your tasks…",
    "Changing tasks",
    "list your tasks",
);

/// A task on a card of several.
pub fn line(task: &Task) -> String {
    format!("{} ({} min)", task.title, task.estimated_minutes)
}

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
    /// The block it is planned for, or was done in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<BlockId>,
    /// `score` and `scoreBreakdown`.
    #[serde(flatten)]
    pub score: Score,
}

impl TaskView {
    /// The task with its score.
    pub fn new(task: Task, score: Score) -> Self {
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
            block_id: task.block_id,
            score,
        }
    }
}

impl TaskView {
    /// The task with its score of today.
    pub fn scored(context: &ToolContext, task: Task) -> Self {
        let score = Score::new(&task, today(context), &context.zone());
        Self::new(task, score)
    }
}

impl From<ScoredTask> for TaskView {
    fn from(scored: ScoredTask) -> Self {
        Self::new(scored.task, scored.score)
    }
}
