//! The blocks that hold a task.

use alfred_core::id::TaskId;
use alfred_planner::{InBlock, Task, TaskPart, TimeBlock};
use std::slice;

use super::day::Day;
use super::taken;
use crate::prelude::*;

/// The arguments of `task_assignToTimeBlock` that plan tasks, or parts of them, for a block.
pub fn assigning(tasks: &[TaskPart], block: &impl Serialize) -> Value {
    let ids: Vec<&TaskId> = tasks.iter().map(|task| &task.id).collect();
    let mut call = json!({"taskIds": ids, "blockId": block});
    let part = |task: &TaskPart| Some(json!({"taskId": task.id, "minutes": task.minutes?}));
    let parts: Vec<Value> = tasks.iter().filter_map(part).collect();
    add(&mut call, "parts", parts.into());
    call
}

pub struct Parts {
    task: TaskId,
    /// The days of its blocks.
    days: Vec<Day>,
}

impl Parts {
    pub async fn of(context: &ToolContext, task: &Task) -> Result<Self> {
        let mut days: Vec<Day> = Vec::new();
        for block in &task.blocks {
            let Some((date, _)) = taken::index(context, block).await? else {
                continue;
            };
            if days.iter().all(|day| day.date != date) {
                days.push(Day::load(context, date).await?);
            }
        }
        let task = task.id.clone();
        Ok(Self { task, days })
    }

    fn all(&self) -> impl Iterator<Item = (Date, &TimeBlock, &TaskPart)> {
        let blocks = self.days.iter().flat_map(Day::dated_blocks);
        blocks.filter_map(|(date, block)| {
            let part = block.tasks.iter().find(|part| part.id == self.task)?;
            Some((date, block, part))
        })
    }

    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// Where they are, for events.
    pub fn places(&self) -> impl Iterator<Item = InBlock> {
        self.all().map(|(date, block, _)| InBlock {
            id: block.id.clone(),
            date,
            span: block.span,
        })
    }

    /// The arguments of `task_assignToTimeBlock` that plan the task for its blocks again.
    pub fn calls(&self) -> Vec<Value> {
        let calls = self.all();
        let calls = calls.map(|(_, block, part)| assigning(slice::from_ref(part), &block.id));
        calls.collect()
    }

    pub fn released(self, context: &ToolContext) -> Result<Vec<Write>> {
        let writes = self.days.into_iter().map(|mut day| {
            for block in &mut day.blocks {
                block.tasks.retain(|part| part.id != self.task);
            }
            day.write(context)
        });
        writes.collect()
    }
}
