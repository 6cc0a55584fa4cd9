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

use alfred_core::id::{BlockId, TaskId};
use alfred_planner::task::ESTIMATE;
use alfred_planner::{Priority, Score, ScoredTask, Task, TaskSource, TaskStatus};

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "task",
    "tasks: add, list, change, complete, rank, put into a block",
    "is looking at your tasks…",
    "Changing tasks",
    "list your tasks",
);

/// Minutes that a task takes.
pub type Estimate = Number<{ *ESTIMATE.start() }, { *ESTIMATE.end() }>;

pub fn line(task: &Task) -> String {
    format!("{} ({} min)", task.title, task.estimated_minutes)
}

/// The day in the receipt of a new task: ", due Fri 27 Nov", or nothing.
pub fn due_on(day: Option<Date>) -> String {
    day.map_or(String::new(), |day| format!(", due {}", short_date(day)))
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub id: TaskId,
    pub title: String,
    pub description: String,
    pub status: TaskStatus,
    pub priority: Priority,
    pub estimated_minutes: u32,
    pub due_date: Option<Date>,
    pub source: TaskSource,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_id: Option<BlockId>,
    /// All its blocks, if it is split.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub block_ids: Vec<BlockId>,
    /// Adds the fields `score` and `scoreBreakdown`.
    #[serde(flatten)]
    pub score: Score,
}

impl TaskView {
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
            block_id: task.blocks.first().cloned(),
            block_ids: match task.blocks.len() {
                0 | 1 => Vec::new(),
                _ => task.blocks,
            },
            score,
        }
    }
}

impl From<ScoredTask> for TaskView {
    fn from(scored: ScoredTask) -> Self {
        Self::new(scored.task, scored.score)
    }
}

/// The example of `docs/tools.md`. The catalogue doesn't have it.
#[cfg(test)]
mod raise_priority;
