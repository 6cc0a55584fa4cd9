//! A block that is found by id or title and taken out of its day.

use alfred_core::id::BlockId;
use alfred_core::keys;
use alfred_core::ports::{Condition, Write};
use alfred_planner::{InBlock, TimeBlock, block};

use super::day::Day;
use super::{meetings, named};
use crate::fields;
use crate::prelude::*;

/// Most lookups of a block that moves between the read of its index and the read of its day.
const MOVES: u32 = 3;

#[derive(Serialize, Deserialize)]
pub(super) struct IndexRow {
    pub date: Date,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TakenBlock {
    pub block: TimeBlock,
    /// The day without the block.
    pub day: Day,
    index_version: u64,
}

impl TakenBlock {
    /// The card for planning tasks in this block.
    pub fn planning(&self, tasks: &[String]) -> Preview {
        let when = format!("{} {}–{}", self.day.date, self.block.start, self.block.end);
        Preview::new(plan_tasks_title(tasks.len()))
            .field("Block", &self.block.title)
            .field("When", when)
            .body(tasks.join("\n"))
    }

    /// Finds a block of the asking person by id or title. Titles are searched today and in the next 14 days.
    /// `field` names the argument in errors. Refuses several matches and meetings of the calendar.
    pub async fn find(context: &ToolContext, field: &str, text: &str) -> Result<Self, ToolError> {
        if text.trim().starts_with(meetings::PREFIX) {
            return Err(named::is_a_meeting(field, text));
        }
        let id = match fields::id(field, text, "blk_") {
            Ok(id) => BlockId(id),
            Err(_) => named::block(context, field, text).await?,
        };
        let found = Self::load(context, &id).await?;
        found.ok_or_else(|| named::unknown(field, text))
    }

    /// The asking person's block with this id.
    pub async fn load(context: &ToolContext, id: &BlockId) -> Result<Option<Self>, ToolError> {
        for _ in 0..MOVES {
            let Some((date, index_version)) = index(context, id).await? else {
                break;
            };
            let mut day = Day::load(context, date).await?;
            if let Some(at) = day.blocks.iter().position(|block| block.id == *id) {
                return Ok(Some(Self {
                    block: day.blocks.remove(at),
                    day,
                    index_version,
                }));
            }
        }
        Ok(None)
    }

    /// The values that show whether the block was changed since. Used for comparison only, so they may hold
    /// tainted text.
    pub fn left(&self) -> Value {
        left(self.day.date, &self.block)
    }

    /// Where the block is, for events of its tasks.
    pub fn as_place(&self) -> InBlock {
        InBlock {
            id: self.block.id.clone(),
            date: self.day.date,
            start: self.block.start,
            end: self.block.end,
        }
    }

    /// The writes that delete it.
    pub fn deleted(self, context: &ToolContext) -> Result<Vec<Write>, ToolError> {
        let key = keys::block_date(&context.team, context.user_id(), &self.block.id);
        let index = Write::delete(key, Some(Condition::Version(self.index_version)));
        Ok(vec![self.day.write(context)?, index])
    }

    /// The writes that put the changed block into another day.
    pub fn moved(self, context: &ToolContext, mut to: Day) -> Result<Vec<Write>, ToolError> {
        let mut index = to.add(context, self.block)?;
        index.condition = Some(Condition::Version(self.index_version));
        Ok(vec![self.day.write(context)?, to.write(context)?, index])
    }

    /// The write that puts the changed block back into its day.
    pub fn put_back(mut self, context: &ToolContext) -> Result<Vec<Write>, ToolError> {
        self.day.blocks.push(self.block);
        block::sort(&mut self.day.blocks);
        Ok(vec![self.day.write(context)?])
    }
}

fn plan_tasks_title(count: usize) -> String {
    match count {
        1 => "Plan one task for a block".into(),
        more => format!("Plan {more} tasks for a block"),
    }
}

/// The values that show whether a block on this day was changed since.
pub(super) fn left(date: Date, block: &TimeBlock) -> Value {
    json!({
        "date": date,
        "type": block.kind,
        "title": block.title,
        "start": block.start,
        "end": block.end,
        "description": block.description,
        "tasks": block.task_ids,
    })
}

/// The date of a block, and the version of its index row.
async fn index(context: &ToolContext, id: &BlockId) -> Result<Option<(Date, u64)>, ToolError> {
    let key = keys::block_date(&context.team, context.user_id(), id);
    let Some(item) = context.store.get(&key).await? else {
        return Ok(None);
    };
    let version = item.version;
    let row: IndexRow = item.decode("day of a block")?;
    Ok(Some((row.date, version)))
}
