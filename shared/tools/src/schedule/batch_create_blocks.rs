use alfred_core::ports::Write;
use alfred_planner::{DayClock, TimeBlock, conflicts};

use super::day::{Day, MAX_BLOCKS};
use super::meetings::{self, Meetings};
use super::times::NewBlock;
use super::{BlockView, TOOLSET, taken};
use crate::args;
use crate::fields::check_count;
use crate::prelude::*;

/// Each block is a write of the one commit.
const MAX_BATCH: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today", "tomorrow" or a weekday.
    date: args::Day,
    /// At most 50; of two that overlap the first.
    blocks: Vec<NewBlock>,
}

#[derive(Serialize)]
struct Created {
    date: Date,
    created: Vec<BlockView>,
    conflicts: Vec<Conflict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Conflict {
    block: NewBlock,
    reason: String,
    conflicts_with: Vec<BlockView>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "schedule_batchCreateBlocks",
        "Creates several time blocks on one day. Those that would overlap anything are left out and come back as conflicts.",
    ).flow(Flow::PRIVATE)
    .rules(&["Tell the person about the conflicts that a tool reports."])
    .effect(Effect::ReversibleWrite);
    // It has no undo.
    heavy(
        def,
        |_: &Arguments| false,
        |def| tool::shown(def, preview, create),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let date = args.date.on(&context)?;
    let line = |one: &NewBlock| format!("{}–{} {}", one.start_time, one.end_time, one.title);
    let lines: Vec<String> = args.blocks.iter().map(line).collect();
    let title = match lines.len() {
        1 => "Create one block".to_owned(),
        more => format!("Create {more} blocks"),
    };
    Ok(Preview::new(title)
        .field("Day", date.to_string())
        .body(lines.join("\n")))
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let date = args.date.on(&context)?;
    check_count("blocks", args.blocks.len(), "blocks", 1..=MAX_BATCH)?;
    let clock = meetings::clock(&context, "date", date)?;
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load(&context, &clock).await?;
    let note = meetings.note.clone();
    let mut batch = Batch {
        context: &context,
        clock,
        day,
        meetings,
        created: Vec::new(),
        indexes: Vec::new(),
        conflicts: Vec::new(),
        tainted: false,
    };
    for wanted in args.blocks {
        batch.add(wanted)?;
    }
    batch.output(note)
}

/// Collects the new blocks of one day.
struct Batch<'a> {
    context: &'a ToolContext,
    clock: DayClock,
    day: Day,
    meetings: Meetings,
    created: Vec<TimeBlock>,
    indexes: Vec<Write>,
    conflicts: Vec<Conflict>,
    /// Whether a conflicting block is tainted.
    tainted: bool,
}

impl Batch<'_> {
    fn add(&mut self, wanted: NewBlock) -> Result<(), ToolError> {
        let block = match wanted.on(self.context, &self.clock) {
            Ok(block) => block,
            Err(error) => {
                self.refuse(wanted, error.to_string(), Vec::new());
                return Ok(());
            }
        };
        let others = self.meetings.around(&self.day.blocks, &block);
        let hit: Vec<&TimeBlock> = conflicts(&others, block.span).collect();
        if !hit.is_empty() {
            let within = |other: &&TimeBlock| self.created.iter().any(|made| made.id == other.id);
            let reason = if hit.iter().all(within) {
                "Conflicts with another block of this batch."
            } else {
                "Conflicts with an existing block."
            };
            let view = |block: &TimeBlock| {
                BlockView::new(block, &[]).in_calendar(self.meetings.event_id(block))
            };
            self.tainted |= hit.iter().any(|block| block.tainted);
            let views = hit.into_iter().map(view).collect();
            self.refuse(wanted, reason.to_owned(), views);
            return Ok(());
        }
        if self.day.blocks.len() >= MAX_BLOCKS {
            let reason = format!("The day already has {MAX_BLOCKS} blocks, the most it can hold.");
            self.refuse(wanted, reason, Vec::new());
            return Ok(());
        }
        self.indexes
            .push(self.day.add(self.context, block.clone())?);
        self.created.push(block);
        Ok(())
    }

    fn refuse(&mut self, block: NewBlock, reason: String, conflicts_with: Vec<BlockView>) {
        self.conflicts.push(Conflict {
            block,
            reason,
            conflicts_with,
        });
    }

    fn output(self, note: Option<String>) -> Result<ToolOutput, ToolError> {
        let date = self.day.date;
        let created = self.created.iter().map(|block| BlockView::new(block, &[]));
        let data = ToolOutput::data(&Created {
            date,
            created: created.collect(),
            conflicts: self.conflicts,
            note,
        })?
        .bringing(Flow::of_stored(self.tainted));
        if self.created.is_empty() {
            return Ok(data);
        }
        let line = |block: &TimeBlock| format!("\"{}\" {}", block.title, block.span);
        let lines: Vec<String> = self.created.iter().map(line).collect();
        let action = match lines.len() {
            1 => format!("Created a block on {date}: {}", lines.join("")),
            n => format!("Created {n} blocks on {date}: {}", lines.join(", ")),
        };
        let context = self.context;
        let mut writes = self.indexes;
        writes.push(self.day.write(context)?);
        let last_first = self.created.iter().rev();
        let left: Vec<_> = last_first
            .clone()
            .map(|one| taken::left(context, date, one))
            .collect();
        let undo: Vec<_> = last_first.map(|one| json!({"blockId": one.id})).collect();
        Ok(data
            .with_effect(action, writes)
            .at_place(date.strftime("%A").to_string())
            .undone_by("schedule_deleteTimeBlock", undo)
            .leaving(left))
    }
}
