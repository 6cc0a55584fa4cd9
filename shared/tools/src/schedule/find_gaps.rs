use alfred_planner::gaps::LEAST_GAP;
use alfred_planner::{DayClock, Gaps, Span, TimeBlock, find_gaps};

use super::day::Day;
use super::meetings::{self, Meetings};
use super::{TOOLSET, times};
use crate::args;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today", "tomorrow" or a weekday.
    date: args::Day,
    /// Least minutes, from 15 on.
    min_duration: Number<LEAST_GAP, 1_440>,
    /// Where to look; the person's working hours when left out.
    between: Option<Between>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Between {
    /// From when: "09:00", "9am".
    start: String,
    /// Until when: "17:00", "24:00".
    end: String,
}

pub fn tool() -> SharedTool {
    let description = "Finds the free stretches of a day; of today what is still to come.";
    let def = ToolDef::new(TOOLSET, "schedule_findGaps", description)
        // The result has times and numbers only, no titles.
        .flow(Flow::PRIVATE);
    tool::read(def, find)
}

async fn find(context: ToolContext, args: Arguments) -> Result<Value> {
    let date = args.date.on(&context)?;
    let clock = meetings::clock(&context, "date", date)?;
    let between = match &args.between {
        Some(Between { start, end }) => {
            times::span(&clock, ("between.start", start), ("between.end", end)).map_err(invalid)?
        }
        None => times::working(&context).await?,
    };
    let day = Day::load(&context, date).await?;
    let meetings = Meetings::load(&context, &clock).await?;
    let blocks = meetings.with(&day.blocks);
    let mut found = json!(gaps(&context, &blocks, &clock, between, *args.min_duration));
    found["date"] = json!(date);
    found["between"] = json!(between);
    let now = clock.at_or_after(context.now);
    let over = date == today(&context) && now.is_none_or(|now| now >= between.end());
    let note = over.then(|| format!("Of today, {between} is over by now."));
    add(&mut found, "note", json!(meetings.note.or(note)));
    Ok(found)
}

/// The gaps of at least `least` minutes that are still to come. They have times and numbers only, so they bring no
/// taint.
pub(crate) fn gaps(
    context: &ToolContext,
    blocks: &[TimeBlock],
    clock: &DayClock,
    between: Span,
    least: u32,
) -> Gaps {
    let to_come = if clock.date() == today(context) {
        let now = clock.at_or_after(context.now);
        now.and_then(|now| Span::new(between.start().max(now), between.end()))
    } else {
        Some(between)
    };
    let gaps = to_come.map(|within| find_gaps(blocks, within, least, clock));
    gaps.unwrap_or_default()
}
