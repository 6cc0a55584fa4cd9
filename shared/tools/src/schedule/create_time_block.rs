use alfred_planner::{BlockType, TimeBlock};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::taken::TakenBlock;
use super::times::NewBlock;
use super::{BlockView, TOOLSET, kind_and_title, listed};
use crate::args;
use crate::prelude::*;

/// A block that overlaps this many others is refused.
const TOO_MANY: usize = 4;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today", "tomorrow" or a weekday.
    date: args::Day,
    /// What the block is for.
    #[serde(rename = "type")]
    kind: BlockType,
    /// What it is called.
    title: String,
    /// When it starts: "09:00", "9am".
    start_time: String,
    /// When it ends: "10:30", "2:30 pm", "24:00".
    end_time: String,
    /// More about it.
    description: Option<Text<MAX_DESCRIPTION>>,
}

pub fn tool() -> SharedTool {
    let description = "Creates one time block. It may overlap up to 3 others, which come back as conflicts. Several at once: schedule_batchCreateBlocks.";
    let def = ToolDef::new(TOOLSET, "schedule_createTimeBlock", description)
        .flow(Flow::PRIVATE)
        .rules(&["Tell the person about the conflicts that a tool reports."])
        .effect(Effect::ReversibleWrite)
        .with(|def| def.adds = true);
    edit::tool(def, create)
}

async fn create(context: ToolContext, args: Arguments) -> Result<Edit<TakenBlock>> {
    let date = args.date.on(&context)?;
    let clock = meetings::clock(&context, "date", date)?;
    let new = NewBlock {
        kind: args.kind,
        title: args.title,
        start_time: args.start_time,
        end_time: args.end_time,
    };
    let block = TimeBlock {
        description: args.description.map_or(String::new(), |text| text.value),
        ..new.on(&context, &clock).map_err(invalid)?
    };
    let day = Day::load(&context, date).await?;
    // Overlaps are allowed, so a calendar that can't be read doesn't stop it.
    let meetings = Meetings::load_or_note(&context, &clock).await;
    let overlapped = meetings.conflicts(&day.blocks, &block);
    let on = short_date(date);
    if overlapped.len() >= TOO_MANY {
        return Err(ToolError::failed(format!(
            "it would overlap {} blocks on {on}, at most {} are allowed: {}. Choose another time.",
            overlapped.len(),
            TOO_MANY - 1,
            listed(overlapped.iter())
        )));
    }
    let view = |block: &TimeBlock| meetings.view(block, &[]);
    let conflicts: Vec<BlockView> = overlapped.iter().map(view).collect();
    let tainted = overlapped.iter().any(|block| block.tainted);
    let (what, span) = (kind_and_title(&block), block.span);
    let receipt = format!("Created {what} on {on}, {span}");
    let edit = Edit::create("Create one block", TakenBlock::new(block, day)).receipt(receipt);
    let edit = edit.tainted(tainted);
    let edit = edit.data("date", date).data("conflicts", conflicts);
    Ok(match meetings.note {
        Some(note) => edit.data("note", note),
        None => edit,
    })
}
