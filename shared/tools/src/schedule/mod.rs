//! The day's blocks.

pub mod create_time_block;
pub mod day;
pub mod delete_time_block;
pub mod move_time_block;
pub mod view_schedule;

use alfred_core::id::{BlockId, TaskId};
use alfred_planner::{BlockType, ClockTime, Task, TaskStatus, TimeBlock};
use serde::Serialize;

/// A block as tools show it (annex 2, "Blocks").
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockView {
    /// Its id.
    pub id: BlockId,
    /// What it is for.
    #[serde(rename = "type")]
    pub kind: BlockType,
    /// What it is called.
    pub title: String,
    /// Its first minute.
    pub start_time: ClockTime,
    /// The first minute after it.
    pub end_time: ClockTime,
    /// Minutes.
    pub duration: u32,
    /// More about it, may be empty.
    pub description: String,
    /// Tasks planned for it, in order.
    pub tasks: Vec<BlockTask>,
}

/// A task inside a block.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockTask {
    /// Its id.
    pub id: TaskId,
    /// What is to be done.
    pub title: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Minutes it will take.
    pub estimated_minutes: u32,
}

impl BlockView {
    /// The block with those of its tasks that are given.
    #[must_use]
    pub fn of(block: &TimeBlock, tasks: &[Task]) -> Self {
        let task = |id: &TaskId| tasks.iter().find(|task| task.id == *id);
        Self {
            id: block.id.clone(),
            kind: block.kind,
            title: block.title.clone(),
            start_time: block.start,
            end_time: block.end,
            duration: block.duration(),
            description: block.description.clone(),
            tasks: block
                .task_ids
                .iter()
                .filter_map(task)
                .map(BlockTask::of)
                .collect(),
        }
    }
}

/// Overlapping blocks as an error lists them, at most four. An error doesn't
/// taint, so a block that other people's words may have shaped isn't named.
fn listed(blocks: &[&TimeBlock]) -> String {
    let label = |block: &&TimeBlock| {
        let span = format!("{}–{}", block.start, block.end);
        match block.tainted {
            true => format!("a {} block {span}", block.kind),
            false => format!("\"{}\" {span}", block.title),
        }
    };
    let labels: Vec<String> = blocks.iter().take(4).map(label).collect();
    labels.join(", ")
}

impl BlockTask {
    fn of(task: &Task) -> Self {
        Self {
            id: task.id.clone(),
            title: task.title.clone(),
            status: task.status,
            estimated_minutes: task.estimated_minutes,
        }
    }
}
