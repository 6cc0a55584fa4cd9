//! One block, out of its day: by its id, or by words of its title.

use alfred_core::id::BlockId;
use alfred_core::keys;
use alfred_core::ports::{Condition, Write};
use alfred_planner::{InBlock, TimeBlock, block};

use super::day::Day;
use super::{meetings, named};
use crate::fields;
use crate::prelude::*;

/// Times a block is looked up again because it moved between two reads.
const MOVES: u32 = 3;

/// What the index item of a block says.
#[derive(Serialize, Deserialize)]
pub(super) struct IndexRow {
    /// On which day it is.
    pub date: Date,
}

/// A block that was taken out of its day, to be moved or deleted.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenBlock {
    /// The block.
    pub block: TimeBlock,
    /// Its day, without it.
    pub day: Day,
    index_version: u64,
}

impl TakenBlock {
    /// The card of tasks that would be planned for it.
    pub fn planning(&self, tasks: &[String]) -> Preview {
        let when = format!("{} {}–{}", self.day.date, self.block.start, self.block.end);
        Preview::new(plan_tasks_title(tasks.len()))
            .field("Block", &self.block.title)
            .field("When", when)
            .body(tasks.join("\n"))
    }

    /// Finds a block of the asking person by its id or words of its title, which
    /// stand in `field`. Words are looked for today, then in the coming 14 days.
    ///
    /// # Errors
    /// `Failed` for what is none of their blocks, or several, or a meeting of the
    /// calendar, else what the store says.
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

    /// The block of the asking person with this id; `None` when they have none.
    ///
    /// # Errors
    /// What the store says.
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

    /// What of it tells whether it was changed; words of others in it don't.
    pub fn left(&self) -> Value {
        left(self.day.date, &self.block)
    }

    /// Where it is, for what happens to its tasks.
    pub fn as_place(&self) -> InBlock {
        InBlock {
            id: self.block.id.clone(),
            date: self.day.date,
            start: self.block.start,
            end: self.block.end,
        }
    }

    /// The writes that leave it deleted.
    ///
    /// # Errors
    /// As `Day::write`.
    pub fn deleted(self, context: &ToolContext) -> Result<Vec<Write>, ToolError> {
        let key = keys::block_date(&context.team, context.user_id(), &self.block.id);
        let index = Write::delete(key, Some(Condition::Version(self.index_version)));
        Ok(vec![self.day.write(context)?, index])
    }

    /// The writes that put it, as it now is, into another day.
    ///
    /// # Errors
    /// As `Day::add` and `Day::write`.
    pub fn moved(self, context: &ToolContext, mut to: Day) -> Result<Vec<Write>, ToolError> {
        let mut index = to.add(context, self.block)?;
        index.condition = Some(Condition::Version(self.index_version));
        Ok(vec![self.day.write(context)?, to.write(context)?, index])
    }

    /// The write that puts it, as it now is, back into its day.
    ///
    /// # Errors
    /// As `Day::write`.
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

/// The same of any block on this day.
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

/// On which day a block of the asking person is, and the version of the row that says so.
async fn index(context: &ToolContext, id: &BlockId) -> Result<Option<(Date, u64)>, ToolError> {
    let key = keys::block_date(&context.team, context.user_id(), id);
    let Some(item) = context.store.get(&key).await? else {
        return Ok(None);
    };
    let version = item.version;
    let row: IndexRow = item.decode("day of a block")?;
    Ok(Some((row.date, version)))
}
