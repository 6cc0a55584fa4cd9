//! `schedule_analyzeUtilization`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_planner::{Utilization, parse_date};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::times;
use crate::fields::{invalid, today};
use crate::flows;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Which day: "2026-11-21", "today", "tomorrow", "yesterday" or a weekday such as "friday".
    date: String,
}

#[derive(Serialize)]
struct Analysis {
    date: Date,
    #[serde(flatten)]
    utilization: Utilization,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "schedule_analyzeUtilization",
        "Says how a day is used: percent of 8 hours that are planned, minutes of focus, minutes lost in short gaps, and what could be better. Calendar meetings count.",
    );
    tool::full(def, analyze)
}

async fn analyze(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let date = parse_date("date", &args.date, today(&context)).map_err(invalid)?;
    let clock = meetings::clock(&context, "date", date)?;
    let working = times::working(&context).await?;
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load_or_note(&context, &clock).await;
    let blocks = meetings.with(&day.blocks);
    // Sums alone: what the blocks are called isn't in it.
    ToolOutput::data(&Analysis {
        date,
        utilization: Utilization::from_blocks(&blocks, working, &clock),
        note: meetings.note,
    })
}

#[cfg(test)]
#[path = "analyze_utilization_tests.rs"]
mod tests;
