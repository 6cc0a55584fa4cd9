use alfred_planner::{Utilization, parse_date};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::{TOOLSET, times};
use crate::fields::request_date;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Arguments {
    /// "2026-11-21", "today", "yesterday" or a weekday.
    pub date: String,
}

#[derive(Serialize)]
pub(crate) struct Analysis {
    date: Date,
    #[serde(flatten)]
    pub utilization: Utilization,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "schedule_analyzeUtilization",
        "Says how a day is used: percent planned of 8 hours, focus, minutes lost in short gaps, what could be better.",
    ).flow(Flow::PRIVATE);
    tool::read(def, analyze)
}

/// How a day is used. The result has numbers only and no titles, so it brings no taint.
pub(crate) async fn analyze(context: ToolContext, args: Arguments) -> Result<Analysis, ToolError> {
    let date = parse_date("date", &args.date, request_date(&context)).map_err(invalid)?;
    let clock = meetings::clock(&context, "date", date)?;
    let habits = times::habits(&context).await?;
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load_or_note(&context, &clock).await;
    let blocks = meetings.with(&day.blocks);
    Ok(Analysis {
        date,
        utilization: Utilization::from_blocks(&blocks, habits.working, habits.slack, &clock),
        note: meetings.note,
    })
}
