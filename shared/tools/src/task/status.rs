//! Changes a task's status, and its blocks accordingly.

use alfred_planner::{Happened, InBlock, Task, TaskEvent, TaskStatus};

use super::events;
use super::store::StoredTask;
use crate::prelude::*;
use crate::schedule::parts::Parts;

/// What else changes with a task.
#[derive(Default)]
pub struct Change {
    /// Writes of the days of its blocks.
    writes: Vec<Write>,
    /// Calls of `task_assignToTimeBlock` that undo the change. `None`: the edit's own undo restores the status. Empty: no
    /// call undoes it, because the task left the block in which it was completed.
    undo: Option<Vec<Value>>,
    pub happened: Option<Happened>,
    block: Option<InBlock>,
}

impl Change {
    /// Adds the writes, the undo and the event to the task's edit. `is_all` says that nothing but the status changes.
    pub fn of(
        self,
        context: &ToolContext,
        task: &Task,
        edit: Edit<StoredTask>,
        is_all: bool,
    ) -> Result<Edit<StoredTask>> {
        let event = self.happened.map(|happened| {
            let event = TaskEvent::new(happened, context.now, task, self.block);
            let tainted = task.tainted || context.tainted;
            TaskEvent { tainted, ..event }
        });
        let events = events::write(context, event.into_iter().collect())?;
        let edit = edit.writing(events).writing(self.writes);
        let Some(calls) = self.undo else {
            return Ok(edit);
        };
        let calls = calls.into_iter().filter(|_| is_all);
        Ok(calls.fold(edit.not_undoable(), |edit, call| {
            edit.undone_by("task_assignToTimeBlock", call)
        }))
    }
}

/// Changes the status. A task in the backlog leaves its blocks; a completed task stays in them.
pub async fn change(context: &ToolContext, task: &mut Task, to: TaskStatus) -> Result<Change> {
    let before = std::mem::replace(&mut task.status, to);
    let parts = Parts::of(context, task).await?;
    let mut change = Change {
        happened: match (before, to) {
            (_, TaskStatus::Completed) => Some(Happened::Completed),
            (TaskStatus::Completed, _) => Some(Happened::Reopened),
            (TaskStatus::Backlog | TaskStatus::Scheduled, _) => None,
        },
        block: parts.places().next(),
        ..Change::default()
    };
    match to {
        TaskStatus::Scheduled if parts.is_empty() => {
            let error = refused("status", to.as_str(), "needs a block.");
            return Err(error.hint("task_assignToTimeBlock plans a task for one."));
        }
        TaskStatus::Backlog if !parts.is_empty() => {
            change.undo = Some(match before {
                TaskStatus::Completed => Vec::new(),
                TaskStatus::Backlog | TaskStatus::Scheduled => parts.calls(),
            });
            change.writes = parts.released(context)?;
            task.blocks.clear();
        }
        TaskStatus::Backlog => task.blocks.clear(),
        TaskStatus::Scheduled | TaskStatus::Completed => {}
    }
    Ok(change)
}
