//! What becomes of a task and its block when its status changes.

use alfred_core::ports::Write;
use alfred_planner::{Happened, InBlock, Task, TaskEvent, TaskStatus};

use crate::prelude::*;
use crate::schedule::taken::TakenBlock;

/// A change of status that was made on a task.
pub(super) struct Changed {
    /// What the blocks' day needs.
    pub writes: Vec<Write>,
    /// The call that takes it back, if one alone does.
    pub undo: Undo,
    happened: Option<(Happened, Option<InBlock>)>,
}

impl Changed {
    /// What happened to the task, which is given as it is now.
    pub fn event(&self, context: &ToolContext, task: &Task) -> Option<TaskEvent> {
        let (happened, block) = self.happened.clone()?;
        Some(TaskEvent::new(happened, context.now, task, block))
    }
}

/// The call that takes a change of status back.
pub(super) enum Undo {
    /// `task_updateTask` with this status.
    Status(TaskStatus),
    /// `task_assignToTimeBlock` with these arguments.
    Assign(Value),
    /// No one call: the task was done in a block, and is out of it now.
    None,
}

/// Gives a task a status it doesn't have. In the backlog it is in no block; a task that is
/// done stays in its block, and can be planned there again.
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
