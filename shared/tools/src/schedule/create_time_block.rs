use alfred_core::id::BlockId;
use alfred_planner::{BlockType, DayClock, TimeBlock, conflicts, parse_date};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::{BlockView, TOOLSET, kind_and_title, listed, taken, times};
use crate::fields::{description, title};
use crate::prelude::*;

/// A block that overlaps this many others is refused.
const TOO_MANY: usize = 4;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today", "tomorrow" or a weekday.
    date: String,
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
    description: Option<String>,
}

#[derive(Serialize)]
struct Created {
    date: Date,
    block: BlockView,
    conflicts: Vec<BlockView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "schedule_createTimeBlock",
        "Creates one time block. It may overlap up to 3 others, which come back as conflicts. Several at once: schedule_batchCreateBlocks.",
    ).flow(Flow::PRIVATE)
    .rules(&["Tell the person about the conflicts that a tool reports."])
    .effect(Effect::ReversibleWrite)
    .with(|def| def.adds = true);
    tool::shown(def, async |context, args| preview(&context, &args), create)
}

fn preview(context: &ToolContext, args: &Arguments) -> Result<Preview, ToolError> {
    let (clock, block) = args.block(context)?;
    let date = clock.date();
    Ok(Preview::new("Create one block")
        .field("Title", block.title)
        .field("When", format!("{date} {}–{}", block.start, block.end))
        .field("For", block.kind.to_string())
        .any("Description", block.description))
}

/// The arguments that create a deleted block again. `None` for a tainted block: its words would become the
/// person's own.
pub(super) fn again(date: Date, block: &TimeBlock) -> Option<Value> {
    let mut again = json!({
        "date": date,
        "type": block.kind,
        "title": block.title,
        "startTime": block.start,
        "endTime": block.end,
    });
    if !block.description.is_empty() {
        again["description"] = block.description.as_str().into();
    }
    (!block.tainted).then_some(again)
}

impl Arguments {
    fn block(&self, context: &ToolContext) -> Result<(DayClock, TimeBlock), ToolError> {
        let date = parse_date("date", &self.date, today(context)).map_err(invalid)?;
        let clock = meetings::clock(context, "date", date)?;
        let (from, until) = (&self.start_time, &self.end_time);
        let span = times::span(date, clock.zone(), ("startTime", from), ("endTime", until));
        let span = span.map_err(invalid)?;
        let block = TimeBlock {
            id: BlockId::new(context.ids.as_ref()),
            kind: self.kind,
            title: title("title", &self.title).map_err(invalid)?,
            start: span.start(),
            end: span.end(),
            description: description("description", self.description.as_deref())
                .map_err(invalid)?,
            task_ids: Vec::new(),
            tainted: context.tainted,
        };
        Ok((clock, block))
    }
}

async fn create(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let (clock, block) = args.block(&context)?;
    let date = clock.date();
    let (start, end) = (block.start, block.end);
    times::check_ahead(&context, &clock, ("startTime", &args.start_time), end).map_err(invalid)?;
    let mut day = Day::load(&context, date).await?;
    // Overlaps are allowed, so a calendar that can't be read doesn't stop it.
    let meetings = Meetings::load_or_note(&context, &clock).await;
    let others = meetings.around(&day.blocks, &block);
    let overlapped: Vec<&TimeBlock> = conflicts(&others, start, end).collect();
    if overlapped.len() >= TOO_MANY {
        return Err(too_crowded(date, &overlapped));
    }
    let created = Created {
        date,
        block: BlockView::new(&block, &[]),
        conflicts: overlapped
            .iter()
            .map(|block| BlockView::new(block, &[]).in_calendar(meetings.event_id(block)))
            .collect(),
        note: meetings.note,
    };
    let action = format!(
        "Created {} on {date}, {start}–{end}",
        kind_and_title(&block)
    );
    let tainted = overlapped.iter().any(|block| block.tainted);
    let (undo, left) = (json!({ "blockId": block.id }), taken::left(date, &block));
    let index = day.add(&context, block)?;
    let writes = vec![day.write(&context)?, index];
    Ok(ToolOutput::data(&created)?
        .with_effect(action, writes)
        .at_place(date.strftime("%A").to_string())
        .undone_by("schedule_deleteTimeBlock", [undo])
        .leaving([left])
        .bringing(Flow::of_stored(tainted)))
}

fn too_crowded(date: Date, overlapped: &[&TimeBlock]) -> ToolError {
    ToolError::failed(format!(
        "it would overlap {} blocks on {date}, at most {} are allowed: {}. Choose another time.",
        overlapped.len(),
        TOO_MANY - 1,
        listed(overlapped.iter().copied())
    ))
}

#[cfg(test)]
#[path = "create_time_block_tests.rs"]
mod tests;
