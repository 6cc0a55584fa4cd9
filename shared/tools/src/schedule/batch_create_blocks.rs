use alfred_planner::TimeBlock;

use super::day::{Day, MAX_BLOCKS};
use super::meetings::{self, Meetings};
use super::taken::TakenBlock;
use super::times::NewBlock;
use super::{BlockView, TOOLSET};
use crate::args;
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

pub fn tool() -> SharedTool {
    let description = "Creates several time blocks on one day. Those that would overlap anything are left out and come back as conflicts.";
    let def = ToolDef::new(TOOLSET, "schedule_batchCreateBlocks", description)
        .flow(Flow::PRIVATE)
        .rules(&["Tell the person about the conflicts that a tool reports."])
        .effect(Effect::ReversibleWrite)
        .with(|def| def.blind_undo = true);
    tool::shown(def, preview, create)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview> {
    let date = args.date.on(&context)?;
    let line = |one: &NewBlock| format!("{}–{} {}", one.start_time, one.end_time, one.title);
    let lines: Vec<String> = args.blocks.iter().map(line).collect();
    let title = match lines.len() {
        1 => "Create one block".to_owned(),
        more => format!("Create {more} blocks"),
    };
    Ok(Preview::new(title)
        .field("Day", short_date(date))
        .body(lines.join("\n")))
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let date = args.date.on(&context)?;
    check_count("blocks", args.blocks.len(), "blocks", 1..=MAX_BATCH)?;
    let clock = meetings::clock(&context, "date", date)?;
    let mut batch = Batch {
        day: Day::load(&context, date).await?,
        meetings: Meetings::load(&context, &clock).await?,
        created: Vec::new(),
        tainted: false,
    };
    let (mut writes, mut conflicts) = (Vec::new(), Vec::new());
    for wanted in args.blocks {
        let block = wanted.on(&context, &clock);
        let block = block.map_err(|error| conflict(&error.to_string(), &[]));
        match block.and_then(|block| batch.check(&block).map(|()| block)) {
            Ok(block) => {
                writes.push(batch.day.add(&context, block.clone())?);
                batch.created.push(block);
            }
            Err(mut conflict) => {
                conflict["block"] = json!(wanted);
                conflicts.push(conflict);
            }
        }
    }
    let created = batch.created.iter();
    let view = |block: &TimeBlock| BlockView::new(block, &[]);
    let views: Vec<BlockView> = created.clone().map(view).collect();
    let mut data = json!({"date": date, "created": views, "conflicts": conflicts});
    add(&mut data, "note", json!(batch.meetings.note));
    let output = ToolOutput::data(&data)?.bringing(Flow::of_stored(batch.tainted));
    if batch.created.is_empty() {
        return Ok(output);
    }
    let line = |block: &TimeBlock| format!("\"{}\" {}", block.title, block.span);
    let lines: Vec<String> = created.clone().map(line).collect();
    let on = short_date(date);
    let action = match lines.len() {
        1 => format!("Created a block on {on}: {}", lines.join("")),
        n => format!("Created {n} blocks on {on}: {}", lines.join(", ")),
    };
    let last_first = created.rev();
    let taken = |one: &TimeBlock| TakenBlock::new(one.clone(), Day::empty(date));
    let taken: Vec<TakenBlock> = last_first.clone().map(taken).collect();
    let undo: Vec<_> = last_first.map(|one| json!({"blockId": one.id})).collect();
    writes.push(batch.day.write(&context)?);
    Ok(output
        .with_effect(action, writes)
        .undone_by("schedule_deleteTimeBlock", undo)
        .leaving(taken.iter().map(|one| one.left(&context))))
}

/// A day with its meetings, and the blocks that this call adds.
struct Batch {
    day: Day,
    meetings: Meetings,
    created: Vec<TimeBlock>,
    /// Whether a conflicting block is tainted.
    tainted: bool,
}

impl Batch {
    /// Returns the conflict if the block overlaps another one or the day is full.
    fn check(&mut self, block: &TimeBlock) -> Result<(), Value> {
        let hit = self.meetings.conflicts(&self.day.blocks, block);
        self.tainted |= hit.iter().any(|block| block.tainted);
        let within = |other: &TimeBlock| self.created.iter().any(|made| made.id == other.id);
        let reason = if hit.is_empty() && self.day.blocks.len() < MAX_BLOCKS {
            return Ok(());
        } else if hit.is_empty() {
            format!("The day already has {MAX_BLOCKS} blocks, the most it can hold.")
        } else if hit.iter().all(within) {
            "Another of these blocks takes that time.".to_owned()
        } else {
            "That time is taken.".to_owned()
        };
        let views = hit.iter().map(|block| self.meetings.view(block, &[]));
        Err(conflict(&reason, &views.collect::<Vec<_>>()))
    }
}

fn conflict(reason: &str, with: &[BlockView]) -> Value {
    json!({"reason": reason, "conflictsWith": with})
}
