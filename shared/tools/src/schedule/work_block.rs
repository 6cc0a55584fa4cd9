//! A work block and the tasks planned for it.

use alfred_agent::tool::UndoCall;
use alfred_planner::{BlockType, Task, TaskPart, TaskStatus};

use super::meetings;
use super::parts::assigning;
use super::taken::TakenBlock;
use super::{BlockView, label};
use crate::prelude::*;
use crate::task::store::{self, StoredTask};

/// Deleting a block releases all its tasks in one commit, whose number of writes is limited.
pub const MAX_TASKS: usize = 50;

pub struct WorkBlock {
    pub taken: TakenBlock,
    pub tasks: Vec<Task>,
    /// Elapsed minutes of the block.
    pub length: u32,
    planned: Vec<StoredTask>,
    /// Tasks that were taken out, and their parts.
    removed: Vec<(StoredTask, TaskPart)>,
}

impl WorkBlock {
    /// Refuses blocks of other types.
    pub async fn find(context: &ToolContext, named: &Ref<TakenBlock>) -> Result<Self> {
        let taken = named.find(context).await?;
        if taken.block.kind != BlockType::Work {
            let (label, kind) = (label(&taken.block), taken.block.kind);
            let problem = format!("is {label}, of type {kind}: tasks go into work blocks only.");
            return Err(named.refused(problem));
        }
        Self::of(context, taken).await
    }

    pub async fn of(context: &ToolContext, mut taken: TakenBlock) -> Result<Self> {
        let tasks = store::find(context, taken.block.task_ids()).await?;
        // Deleted tasks take no room.
        let there = |part: &TaskPart| tasks.iter().any(|task| task.id == part.id);
        taken.block.tasks.retain(there);
        let clock = meetings::clock(context, "blockId", taken.day.date)?;
        Ok(Self {
            length: clock.minutes(taken.block.span),
            taken,
            tasks,
            planned: Vec::new(),
            removed: Vec::new(),
        })
    }

    /// Minutes of its tasks, and of its parts of tasks.
    pub fn used(&self) -> u32 {
        let minutes = |part: &TaskPart| {
            let task = self.tasks.iter().find(|task| task.id == part.id);
            part.minutes.or(task.map(|task| task.estimated_minutes))
        };
        self.taken.block.tasks.iter().filter_map(minutes).sum()
    }

    pub fn left(&self) -> u32 {
        self.length.saturating_sub(self.used())
    }

    pub fn places(&self) -> usize {
        MAX_TASKS.saturating_sub(self.tasks.len())
    }

    /// Why a task, or this many minutes of it, can't be planned for it.
    pub fn refuses(&self, task: &Task, part: Option<u32>) -> Option<String> {
        let left = self.left();
        let needs = part.unwrap_or(task.estimated_minutes).max(1);
        Some(if task.status == TaskStatus::Completed {
            "It is already completed.".to_owned()
        } else if self.tasks.iter().any(|there| there.id == task.id) {
            "It is already in this block.".to_owned()
        } else if task.status == TaskStatus::Scheduled && part.is_none() {
            "It is planned for another block: it has to go back to the backlog first.".to_owned()
        } else if self.places() == 0 {
            format!("The block already has {MAX_TASKS} tasks, the most it can hold.")
        } else if needs > left {
            format!("It takes {needs} minutes, and {left} were left.")
        } else {
            return None;
        })
    }

    /// Plans a task for it, or this many minutes of the task.
    pub fn plan(&mut self, context: &ToolContext, mut stored: StoredTask, minutes: Option<u32>) {
        stored.absorb_taint(context);
        let task = &mut stored.task;
        task.status = TaskStatus::Scheduled;
        task.blocks.push(self.taken.block.id.clone());
        let id = task.id.clone();
        self.taken.block.tasks.push(TaskPart { id, minutes });
        self.tasks.push(task.clone());
        self.planned.push(stored);
    }

    /// Takes a task out again; false if it isn't in the block. It goes back to the backlog unless other blocks hold it.
    pub fn remove(&mut self, context: &ToolContext, mut stored: StoredTask) -> bool {
        let parts = &mut self.taken.block.tasks;
        let Some(at) = parts.iter().position(|part| part.id == stored.task.id) else {
            return false;
        };
        let part = parts.remove(at);
        stored.absorb_taint(context);
        let task = &mut stored.task;
        task.blocks.retain(|block| *block != self.taken.block.id);
        if task.blocks.is_empty() && task.status == TaskStatus::Scheduled {
            task.status = TaskStatus::Backlog;
        }
        self.tasks.retain(|task| task.id != part.id);
        self.removed.push((stored, part));
        true
    }

    pub fn planned(&self) -> impl Iterator<Item = &Task> {
        self.planned.iter().map(|stored| &stored.task)
    }

    pub fn view(&self) -> BlockView {
        BlockView::new(&self.taken.block, &self.tasks)
    }

    pub fn tainted(&self) -> bool {
        self.taken.block.tainted || self.tasks.iter().any(|task| task.tainted)
    }

    /// Adds the writes that plan the new tasks, and the calls that undo it. Without changes the output is unchanged.
    pub fn done(self, context: &ToolContext, output: ToolOutput) -> Result<ToolOutput> {
        let removed = self.removed.iter().map(|(stored, _)| stored);
        let mut writes = Vec::new();
        for stored in self.planned.iter().chain(removed) {
            writes.push(stored.write(context)?);
        }
        if writes.is_empty() {
            return Ok(output);
        }
        let receipt = Receipt {
            what: self.action(),
            undo: self.undo(),
            ..Receipt::default()
        };
        writes.push(self.taken.put_back(context)?);
        let output = output.with_receipt(receipt);
        Ok(ToolOutput { writes, ..output })
    }

    fn undo(&self) -> Vec<UndoCall> {
        let assign = |part: &TaskPart| UndoCall {
            tool: "task_assignToTimeBlock".to_owned(),
            arguments: assigning(std::slice::from_ref(part), &self.taken.block.id),
            left: None,
        };
        let release = |task: &Task| UndoCall {
            tool: "task_updateTask".to_owned(),
            arguments: json!({"taskId": task.id, "status": TaskStatus::Backlog}),
            left: Some(json!({"status": TaskStatus::Scheduled, "blocks": task.blocks})),
        };
        let planned = self.planned().map(|task| match task.blocks.len() {
            0 | 1 => release(task),
            _ => assign(&TaskPart {
                id: task.id.clone(),
                minutes: Some(0),
            }),
        });
        let removed = self.removed.iter().map(|(_, part)| assign(part));
        planned.chain(removed).collect()
    }

    fn action(&self) -> String {
        let quoted = |task: &Task| format!("\"{}\"", task.title);
        let plans = self.planned().map(quoted).collect::<Vec<_>>().join(", ");
        let removed = self.removed.iter().map(|(stored, _)| quoted(&stored.task));
        let takes = removed.collect::<Vec<_>>().join(", ");
        let (block, on) = (&self.taken.block, short_date(self.taken.day.date));
        let place = format!("\"{}\" on {on}, {}", block.title, block.span);
        match (plans.is_empty(), takes.is_empty()) {
            (true, _) => format!("Took {takes} out of {place}"),
            (false, true) => format!("Planned {plans} for {place}"),
            (false, false) => format!("Took {takes} out of {place}, and planned {plans} for it"),
        }
    }
}
