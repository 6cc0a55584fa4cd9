//! A work block and the tasks planned for it.

use alfred_planner::{BlockType, Task, TaskStatus};

use super::meetings;
use super::taken::TakenBlock;
use super::{BlockView, label};
use crate::prelude::*;
use crate::task::store;

/// Deleting a block releases all its tasks in one commit, whose number of writes is limited.
pub const MAX_TASKS: usize = 50;

pub struct WorkBlock {
    pub taken: TakenBlock,
    pub tasks: Vec<Task>,
    /// Elapsed minutes of the block.
    pub length: u32,
    planned: Vec<(Task, u64)>,
}

impl WorkBlock {
    /// Finds a work block as `TakenBlock::find` does. Refuses blocks of other types.
    pub async fn find(context: &ToolContext, field: &str, text: &str) -> Result<Self, ToolError> {
        let mut taken = TakenBlock::find(context, field, text).await?;
        if taken.block.kind != BlockType::Work {
            let problem = format!(
                "is {}, of type {}: tasks go into work blocks only.",
                label(&taken.block),
                taken.block.kind
            );
            return Err(refused(field, text, problem));
        }
        let ids: Vec<_> = taken.block.task_ids.iter().collect();
        let tasks = store::find(context, &ids).await?;
        // Deleted tasks take no room.
        let there = |id: &_| tasks.iter().any(|task| task.id == *id);
        taken.block.task_ids.retain(there);
        let clock = meetings::clock(context, field, taken.day.date)?;
        Ok(Self {
            length: clock.between(taken.block.start, taken.block.end),
            taken,
            tasks,
            planned: Vec::new(),
        })
    }

    pub fn used(&self) -> u32 {
        self.tasks.iter().map(|task| task.estimated_minutes).sum()
    }

    pub fn places(&self) -> usize {
        MAX_TASKS.saturating_sub(self.tasks.len())
    }

    /// Why a task can't be planned for it. With `begin`, a task that is too long may be begun in it.
    pub fn refuses(&self, task: &Task, begin: bool) -> Option<String> {
        let left = self.length.saturating_sub(self.used());
        let needs = task.estimated_minutes.max(1);
        if task.status == TaskStatus::Completed {
            Some("It is already completed.".to_owned())
        } else if self.tasks.iter().any(|there| there.id == task.id) {
            Some("It is already in this block.".to_owned())
        } else if task.status == TaskStatus::Scheduled {
            Some(
                "It is planned for another block: it has to go back to the backlog first."
                    .to_owned(),
            )
        } else if self.places() == 0 {
            Some(format!(
                "The block already has {MAX_TASKS} tasks, the most it can hold."
            ))
        } else if needs > left && !(begin && left > 0) {
            Some(format!("It takes {needs} minutes, and {left} were left."))
        } else {
            None
        }
    }

    /// Plans a task for it; `version` is that of the task's row.
    pub fn plan(&mut self, context: &ToolContext, task: Task, version: u64) {
        let scheduled = Task {
            status: TaskStatus::Scheduled,
            block_id: Some(self.taken.block.id.clone()),
            tainted: task.tainted || context.tainted,
            ..task
        };
        self.taken.block.task_ids.push(scheduled.id.clone());
        self.tasks.push(scheduled.clone());
        self.planned.push((scheduled, version));
    }

    pub fn planned(&self) -> impl Iterator<Item = &Task> {
        self.planned.iter().map(|(task, _)| task)
    }

    pub fn view(&self) -> BlockView {
        BlockView::new(&self.taken.block, &self.tasks)
    }

    pub fn tainted(&self) -> bool {
        self.taken.block.tainted || self.tasks.iter().any(|task| task.tainted)
    }

    /// Adds the writes that plan the new tasks. Without new tasks the output is unchanged.
    pub fn done(self, context: &ToolContext, output: ToolOutput) -> Result<ToolOutput, ToolError> {
        if self.planned.is_empty() {
            return Ok(output);
        }
        let back = |task: &Task| json!({"taskId": task.id, "status": TaskStatus::Backlog});
        let undo: Vec<_> = self.planned().map(back).collect();
        let there = json!({"status": TaskStatus::Scheduled, "block": self.taken.block.id});
        let left = vec![there; undo.len()];
        let (action, date) = (self.action(), self.taken.day.date);
        let mut writes = Vec::new();
        for (task, version) in &self.planned {
            writes.push(store::replace(context, task, *version)?);
        }
        writes.extend(self.taken.put_back(context)?);
        Ok(output
            .with_effect(action, writes)
            .at_place(date.strftime("%A").to_string())
            .undone_by("task_updateTask", undo)
            .leaving(left))
    }

    fn action(&self) -> String {
        let titles = self.planned().map(|task| format!("\"{}\"", task.title));
        let titles = titles.collect::<Vec<_>>().join(", ");
        let (block, date) = (&self.taken.block, self.taken.day.date);
        let (title, start, end) = (&block.title, block.start, block.end);
        format!("Planned {titles} for \"{title}\" on {date}, {start}–{end}")
    }
}
