//! Changes a task's status, and its block accordingly.

use alfred_core::ports::Write;
use alfred_planner::{Happened, InBlock, Task, TaskEvent, TaskStatus};

use crate::prelude::*;
use crate::schedule::taken::TakenBlock;

pub(super) struct Changed {
    /// Writes for the day of the block.
    pub writes: Vec<Write>,
    pub undo: Undo,
    happened: Option<(Happened, Option<InBlock>)>,
}

impl Changed {
    /// The history event; `task` is the task after the change.
    pub fn event(&self, context: &ToolContext, task: &Task) -> Option<TaskEvent> {
        let (happened, block) = self.happened.clone()?;
        Some(TaskEvent::new(happened, context.now, task, block))
    }
}

pub(super) enum Undo {
    /// `task_updateTask` with this status.
    Status(TaskStatus),
    /// `task_assignToTimeBlock` with these arguments.
    Assign(Value),
    /// The task left the block in which it was completed; no single call restores that.
    None,
}

/// Changes the status. A task in the backlog leaves its block; a completed task stays in its block.
pub(super) async fn change(
    context: &ToolContext,
    task: &mut Task,
    to: TaskStatus,
) -> Result<Changed, ToolError> {
    let before = task.status;
    let block = match &task.block_id {
        Some(id) => TakenBlock::load(context, id).await?,
        None => None,
    };
    let block = block.filter(|taken| taken.block.task_ids.contains(&task.id));
    let happened = match (before, to) {
        (_, TaskStatus::Completed) => Some(Happened::Completed),
        (TaskStatus::Completed, _) => Some(Happened::Reopened),
        (TaskStatus::Scheduled, TaskStatus::Backlog) => Some(Happened::PutOff),
        (TaskStatus::Backlog | TaskStatus::Scheduled, _) => None,
    };
    let happened = happened.map(|happened| (happened, block.as_ref().map(TakenBlock::as_place)));
    let mut writes = Vec::new();
    let undo = match (before, to) {
        (_, TaskStatus::Scheduled) if block.is_none() => {
            let error = refused("status", to.as_str(), "needs a block.");
            return Err(error.hint("task_assignToTimeBlock plans a task for one."));
        }
        (_, TaskStatus::Backlog) => match block {
            Some(mut taken) => {
                let undo = match before {
                    TaskStatus::Completed => Undo::None,
                    TaskStatus::Backlog | TaskStatus::Scheduled => {
                        Undo::Assign(json!({"taskIds": [&task.id], "blockId": taken.block.id}))
                    }
                };
                taken.block.task_ids.retain(|id| *id != task.id);
                task.block_id = None;
                writes = taken.put_back(context)?;
                undo
            }
            None => {
                task.block_id = None;
                Undo::Status(before)
            }
        },
        (_, TaskStatus::Scheduled | TaskStatus::Completed) => Undo::Status(before),
    };
    task.status = to;
    Ok(Changed {
        writes,
        undo,
        happened,
    })
}
