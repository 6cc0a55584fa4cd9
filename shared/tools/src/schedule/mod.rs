//! Blocks of time in a person's day.

pub mod analyze_utilization;
pub mod batch_create_blocks;
pub mod create_time_block;
pub mod day;
pub mod delete_time_block;
pub mod fill_work_block;
pub mod find_gaps;
pub mod meetings;
pub mod move_time_block;
pub mod parts;
pub mod shown;
pub mod taken;
pub mod view_schedule;
pub mod view_week;
pub mod work_block;

pub(crate) mod times;

use alfred_planner::{BlockType, Task, TaskPart, TimeBlock};

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "schedule",
    "the day and week: view, create, move, delete or fill blocks of time",
    "is checking your calendar…",
    "Changing a schedule",
    "show your schedule",
);

/// A block as the tools return it.
#[derive(Serialize)]
pub struct BlockView(Value);

impl BlockView {
    /// Shows those of its tasks that are in `tasks`, in order. The minutes of a task are those of its part, if it is
    /// split over blocks.
    pub fn new(block: &TimeBlock, tasks: &[Task]) -> Self {
        let task = |part: &TaskPart| {
            let task = tasks.iter().find(|task| task.id == part.id)?;
            let mut view = json!({
                "id": task.id,
                "title": task.title,
                "status": task.status,
                "estimatedMinutes": task.estimated_minutes,
            });
            add(&mut view, "minutes", json!(part.minutes));
            Some(view)
        };
        Self(json!({
            "id": block.id,
            "type": block.kind,
            "title": block.title,
            "startTime": block.span.start(),
            "endTime": block.span.end(),
            "duration": block.span.wall_minutes(),
            "description": block.description,
            "tasks": block.tasks.iter().filter_map(task).collect::<Vec<_>>(),
        }))
    }
}

/// A block in a receipt; leaves out the kind `blocked`.
fn kind_and_title(block: &TimeBlock) -> String {
    match block.kind {
        BlockType::Blocked => format!("block \"{}\"", block.title),
        kind => format!("{kind} block \"{}\"", block.title),
    }
}

/// Overlapping blocks in an error, at most four.
fn listed<'a>(blocks: impl Iterator<Item = &'a TimeBlock>) -> String {
    let labels: Vec<String> = blocks.take(4).map(label).collect();
    labels.join(", ")
}

/// A block in an error. Errors carry no taint, so a tainted title isn't quoted.
fn label(block: &TimeBlock) -> String {
    let span = block.span;
    if block.tainted {
        format!("a {} block {span}", block.kind)
    } else {
        format!("\"{}\" {span}", block.title)
    }
}

#[cfg(test)]
mod day_tests;
