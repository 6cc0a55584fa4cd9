//! Stored days: one item with all blocks of a day, and an index item per block with its date.

use alfred_core::ports::{Item, Query, Range, SPILL_BYTES};
use alfred_planner::{TimeBlock, block};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::BTreeSet;

use super::taken::IndexRow;
use crate::prelude::*;

/// Keeps a day readable, and its item small.
pub const MAX_BLOCKS: usize = 100;

const READS_AT_ONCE: usize = 16;

#[derive(Clone, Debug, PartialEq)]
pub struct Day {
    pub date: Date,
    /// Sorted.
    pub blocks: Vec<TimeBlock>,
    version: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    blocks: Vec<TimeBlock>,
}

impl Day {
    pub const fn empty(date: Date) -> Self {
        Self {
            date,
            blocks: Vec::new(),
            version: None,
        }
    }

    /// Reads a day; one without a row is empty.
    pub async fn load(context: &ToolContext, date: Date) -> Result<Self> {
        let key = keys::day(&context.team, context.user_id(), date);
        let mut day = Self::empty(date);
        if let Some(item) = context.store.get(&key).await? {
            day.version = Some(item.version);
            day.blocks = item.decode::<Row>("day")?.blocks;
            block::sort(&mut day.blocks);
        }
        Ok(day)
    }

    pub async fn all(context: &ToolContext, days: impl Iterator<Item = Date>) -> Result<Vec<Self>> {
        let reads = days.map(|date| Self::load(context, date));
        let reads = stream::iter(reads).buffered(READS_AT_ONCE);
        reads.try_collect().await
    }

    /// Reads these days and drops those without blocks.
    pub async fn with_blocks(
        context: &ToolContext,
        dates: impl IntoIterator<Item = Date>,
    ) -> Result<Vec<Self>> {
        let mut days = Self::all(context, dates.into_iter()).await?;
        days.retain(|day| !day.blocks.is_empty());
        Ok(days)
    }

    pub fn dated_blocks(&self) -> impl Iterator<Item = (Date, &TimeBlock)> {
        self.blocks.iter().map(|block| (self.date, block))
    }

    pub async fn dates(context: &ToolContext) -> Result<BTreeSet<Date>> {
        let partition = keys::block_dates(&context.team, context.user_id());
        let items = Query::state(partition, Range::All).all(&*context.store);
        let rows = items.await?.into_iter();
        let date = |item: Item| Ok(item.decode::<IndexRow>("day of a block")?.date);
        rows.map(date).collect()
    }

    /// Adds a block and returns the write of its index item; `write` stores the day. Refuses a full day.
    pub fn add(&mut self, context: &ToolContext, new: TimeBlock) -> Result<Write> {
        if self.blocks.len() >= MAX_BLOCKS {
            return Err(ToolError::failed(format!(
                "{} already has {MAX_BLOCKS} blocks, the most a day can hold. Delete some first.",
                short_date(self.date)
            )));
        }
        let key = keys::block_date(&context.team, context.user_id(), &new.id);
        let body = serde_json::to_value(IndexRow { date: self.date }).map_err(Failure::bug)?;
        self.blocks.push(new);
        block::sort(&mut self.blocks);
        Ok(Write::create(key, body))
    }

    /// The write of the whole day. The commit fails if the day has changed since. Refuses too much text.
    pub fn write(self, context: &ToolContext) -> Result<Write> {
        let key = keys::day(&context.team, context.user_id(), self.date);
        let blocks = self.blocks;
        let body = serde_json::to_value(Row { blocks }).map_err(Failure::bug)?;
        // A larger item would move to blob storage, which keeps it for days only.
        if body.to_string().len() >= SPILL_BYTES {
            return Err(ToolError::failed(format!(
                "description: the blocks of {} hold too much text together. Shorten it.",
                short_date(self.date)
            )));
        }
        Ok(Write::over(key, self.version.unwrap_or(0), body))
    }
}
