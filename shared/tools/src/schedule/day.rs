//! The rows of a day: one item with all its blocks, and an index item a block
//! that says on which day it is.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::Failure;
use alfred_core::id::BlockId;
use alfred_core::keys;
use alfred_core::ports::{Condition, SPILL_BYTES, StoreError, Write};
use alfred_planner::{TimeBlock, block};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::fields;

/// Blocks of one day; keeps a day readable, and its item small.
pub const MAX_BLOCKS: usize = 100;

/// A day of the asking person as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    /// The date.
    pub date: Date,
    /// Its blocks, in order.
    pub blocks: Vec<TimeBlock>,
    version: Option<u64>,
}

/// Times a block is looked up again because it moved between two reads.
const MOVES: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Row {
    blocks: Vec<TimeBlock>,
}

#[derive(Serialize, Deserialize)]
struct IndexRow {
    date: Date,
}

impl Day {
    /// Reads a day; one without blocks is empty.
    ///
    /// # Errors
    /// What the store says, or `Corrupt` for a row that is no day.
    pub async fn load(context: &ToolContext, date: Date) -> Result<Self, ToolError> {
        let key = keys::day(&context.team, context.user_id(), date);
        let Some(item) = context.store.get(&key).await? else {
            return Ok(Self {
                date,
                blocks: Vec::new(),
                version: None,
            });
        };
        let row: Row = serde_json::from_value(item.body).map_err(|error| StoreError::Corrupt {
            detail: format!("{key:?} is no day: {error}"),
        })?;
        let mut blocks = row.blocks;
        block::sort(&mut blocks);
        Ok(Self {
            date,
            blocks,
            version: Some(item.version),
        })
    }

    /// Adds a block, and gives the write of its index item. The day itself is written by `write`.
    ///
    /// # Errors
    /// `Failed` when the day is full.
    pub fn add(&mut self, context: &ToolContext, new: TimeBlock) -> Result<Write, ToolError> {
        if self.blocks.len() >= MAX_BLOCKS {
            return Err(ToolError::failed(format!(
                "{} already has {MAX_BLOCKS} blocks, the most a day can hold. Delete some first.",
                self.date
            )));
        }
        let key = keys::block_date(&context.team, context.user_id(), &new.id);
        let body = serde_json::to_value(IndexRow { date: self.date }).map_err(Failure::bug)?;
        self.blocks.push(new);
        block::sort(&mut self.blocks);
        Ok(Write::create(key, body))
    }

    /// The write of the whole day; it fails when the day has changed since it was read.
    ///
    /// # Errors
    /// `Failed` when its texts are too long together, `Bug` when it can't be written as JSON.
    pub fn write(self, context: &ToolContext) -> Result<Write, ToolError> {
        let key = keys::day(&context.team, context.user_id(), self.date);
        let row = Row {
            blocks: self.blocks,
        };
        let body = serde_json::to_value(row).map_err(Failure::bug)?;
        // A larger item would move to the blobs, which are kept for days only.
        if body.to_string().len() >= SPILL_BYTES {
            return Err(ToolError::failed(format!(
                "description: the blocks of {} hold too much text together. Shorten it.",
                self.date
            )));
        }
        Ok(match self.version {
            None => Write::create(key, body),
            Some(version) => Write::replace(key, version, body),
        })
    }
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
    /// Finds a block of the asking person by its id, which stands in `field`.
    ///
    /// # Errors
    /// `Failed` for an id that is none of theirs, else what the store says.
    pub async fn find(context: &ToolContext, field: &str, id: &str) -> Result<Self, ToolError> {
        let id = BlockId(fields::id(field, id, "blk_").map_err(fields::invalid)?);
        for _ in 0..MOVES {
            let Some((date, index_version)) = index(context, &id).await? else {
                break;
            };
            let mut day = Day::load(context, date).await?;
            if let Some(at) = day.blocks.iter().position(|block| block.id == id) {
                return Ok(Self {
                    block: day.blocks.remove(at),
                    day,
                    index_version,
                });
            }
        }
        let problem = "is no block of the person's. schedule_viewSchedule gives the ids.";
        Err(fields::refused(field, id.as_str(), problem))
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

/// On which day a block of the asking person is, and the version of the row that says so.
async fn index(context: &ToolContext, id: &BlockId) -> Result<Option<(Date, u64)>, ToolError> {
    let key = keys::block_date(&context.team, context.user_id(), id);
    let Some(item) = context.store.get(&key).await? else {
        return Ok(None);
    };
    let row: IndexRow = serde_json::from_value(item.body).map_err(|error| StoreError::Corrupt {
        detail: format!("{key:?} names no date: {error}"),
    })?;
    Ok(Some((row.date, item.version)))
}
