use alfred_planner::Utilization;

use super::day::Day;
use super::meetings::{self, Meetings};
use super::{TOOLSET, times};
use crate::args;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today", "yesterday" or a weekday.
    date: args::Day,
}

pub fn tool() -> SharedTool {
    let description = "Says how a day is used: percent planned of 8 hours, focus, minutes lost in short gaps, what could be better.";
    let def = ToolDef::new(TOOLSET, "schedule_analyzeUtilization", description).flow(Flow::PRIVATE);
    tool::read(def, analyze)
}

/// The result has numbers only and no titles, so it brings no taint.
async fn analyze(context: ToolContext, args: Arguments) -> Result<Value> {
    let date = args.date.on(&context)?;
    let clock = meetings::clock(&context, "date", date)?;
    let habits = times::habits(&context).await?;
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load_or_note(&context, &clock).await;
    let blocks = meetings.with(&day.blocks);
    let used = Utilization::from_blocks(&blocks, habits.working, habits.slack, &clock);
    let mut analysis = json!(used);
    analysis["date"] = json!(date);
    add(&mut analysis, "note", json!(meetings.note));
    Ok(analysis)
}
