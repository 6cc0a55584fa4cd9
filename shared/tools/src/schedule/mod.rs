//! The day's blocks.

pub mod analyze_utilization;
pub mod batch_create_blocks;
pub mod create_time_block;
pub mod day;
pub mod delete_time_block;
pub mod fill_work_block;
pub mod find_gaps;
pub mod meetings;
pub mod move_time_block;
pub mod taken;
pub mod view_schedule;
pub mod view_week;
pub mod work_block;

mod named;
mod shown;
pub(crate) mod times;

use alfred_agent::tool::Toolset;
use alfred_core::id::{BlockId, EventId, TaskId};
use alfred_planner::{BlockType, ClockTime, Task, TaskStatus, TimeBlock};
use serde::Serialize;

/// These tools.
pub const TOOLSET: Toolset = Toolset::new(
    "schedule",
    "the day and week: look at it, create, move, delete or fill single blocks of time",
    "is checking your calendar…",
    "Changing a schedule",
    "show your schedule",
);

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
    /// The calendar's id of a meeting that is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
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
    pub fn new(block: &TimeBlock, tasks: &[Task]) -> Self {
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
                .map(BlockTask::new)
                .collect(),
            event_id: None,
        }
    }

    /// The same, with what the calendar knows of it.
    pub fn in_calendar(mut self, event_id: Option<&EventId>) -> Self {
        self.event_id = event_id.cloned();
        self
    }
}

/// A block in a receipt: its kind where that says something.
fn kind_and_title(block: &TimeBlock) -> String {
    match block.kind {
        BlockType::Blocked => format!("block \"{}\"", block.title),
        kind => format!("{kind} block \"{}\"", block.title),
    }
}

/// Overlapping blocks as an error lists them, at most four.
fn listed<'a>(blocks: impl Iterator<Item = &'a TimeBlock>) -> String {
    let labels: Vec<String> = blocks.take(4).map(label).collect();
    labels.join(", ")
}

/// A block in an error. An error of these tools doesn't taint, so a block that other people's
/// words may have shaped isn't named.
fn label(block: &TimeBlock) -> String {
    let span = format!("{}–{}", block.start, block.end);
    match block.tainted {
        true => format!("a {} block {span}", block.kind),
        false => format!("\"{}\" {span}", block.title),
    }
}

impl BlockTask {
    fn new(task: &Task) -> Self {
        Self {
            id: task.id.clone(),
            title: task.title.clone(),
            status: task.status,
            estimated_minutes: task.estimated_minutes,
        }
    }
}
