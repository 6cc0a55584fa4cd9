use alfred_planner::gaps::LEAST_GAP;
use alfred_planner::{Gaps, Span, find_gaps, parse_date};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::{TOOLSET, times};
use crate::fields::request_date;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Arguments {
    /// "2026-11-21", "today", "tomorrow" or a weekday.
    pub date: String,
    /// Least minutes, from 15 on.
    pub min_duration: i64,
    /// Where to look; the person's working hours when left out.
    pub between: Option<Between>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Between {
    /// From when: "09:00", "9am".
    start: String,
    /// Until when: "17:00", "24:00".
    end: String,
}

impl From<Span> for Between {
    fn from(span: Span) -> Self {
        let (start, end) = (span.start().to_string(), span.end().to_string());
        Self { start, end }
    }
}

#[derive(Serialize)]
pub(crate) struct Found {
    date: Date,
    between: Span,
    #[serde(flatten)]
    pub gaps: Gaps,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "schedule_findGaps",
        "Finds the free stretches of a day; of today what is still to come.",
    )
    // The result has times and numbers only, no titles.
    .flow(Flow::PRIVATE);
    tool::read(def, find)
}

/// The gaps of a day. The result has times and numbers only, so it brings no taint.
pub(crate) async fn find(context: ToolContext, args: Arguments) -> Result<Found, ToolError> {
    let today = today(&context);
    let date = parse_date("date", &args.date, request_date(&context)).map_err(invalid)?;
    let least = within("minDuration", args.min_duration, &(LEAST_GAP..=1_440)).map_err(invalid)?;
    let clock = meetings::clock(&context, "date", date)?;
    let between = match &args.between {
        Some(Between { start, end }) => {
            let span = times::span(&clock, ("between.start", start), ("between.end", end));
            span.map_err(invalid)?
        }
        None => times::working(&context).await?,
    };
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load(&context, &clock).await?;
    let blocks = meetings.with(&day.blocks);
    let to_come = if date == today {
        let now = clock.at_or_after(context.now);
        now.and_then(|now| Span::new(between.start().max(now), between.end()))
    } else {
        Some(between)
    };
    let gaps = to_come.map(|within| find_gaps(&blocks, within, least, &clock));
    Ok(Found {
        date,
        between,
        gaps: gaps.unwrap_or_default(),
        note: meetings.note,
    })
}
