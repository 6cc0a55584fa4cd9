//! `schedule_findGaps`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_planner::gaps::LEAST_GAP;
use alfred_planner::{Gaps, Span, find_gaps, parse_date};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::times;
use crate::fields::{invalid, today, within};
use crate::flows;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Which day: "2026-11-21", "today", "tomorrow" or a weekday such as "friday".
    date: String,
    /// Minutes a gap has at least.
    #[schemars(range(min = 15, max = 1_440))]
    min_duration: i64,
    /// Where to look; the person's working hours when left out.
    between: Option<Between>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Between {
    /// From when, in the person's time zone: "09:00", "9am", "noon".
    start: String,
    /// Until when, later than the start: "17:00", "5 pm"; "24:00" is the end of the day.
    end: String,
}

#[derive(Serialize)]
struct Found {
    date: Date,
    between: Span,
    #[serde(flatten)]
    gaps: Gaps,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "schedule_findGaps",
        "Finds the free stretches of a day between the person's time blocks and calendar meetings; of today only what is still to come.",
    );
    tool::full(def, find)
}

async fn find(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let today = today(&context);
    let date = parse_date("date", &args.date, today).map_err(invalid)?;
    let least = within("minDuration", args.min_duration, &(LEAST_GAP..=1_440)).map_err(invalid)?;
    let clock = meetings::clock(&context, "date", date)?;
    let between = match &args.between {
        Some(Between { start, end }) => times::span(
            date,
            clock.zone(),
            ("between.start", start),
            ("between.end", end),
        )
        .map_err(invalid)?,
        None => times::working(&context).await?,
    };
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load(&context, &clock).await?;
    let blocks = meetings.with(&day.blocks);
    let to_come = match date == today {
        true => clock
            .at_or_after(context.now)
            .and_then(|now| Span::new(between.start().max(now), between.end())),
        false => Some(between),
    };
    let gaps = to_come.map(|within| find_gaps(&blocks, within, least, &clock));
    let found = Found {
        date,
        between,
        gaps: gaps.transpose().map_err(invalid)?.unwrap_or_default(),
        note: meetings.note,
    };
    // Times alone: what the blocks are called isn't in it.
    ToolOutput::data(&found)
}

#[cfg(test)]
#[path = "find_gaps_tests.rs"]
mod tests;
