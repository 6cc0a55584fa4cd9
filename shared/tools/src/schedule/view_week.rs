use alfred_planner::DayStats;
use jiff::ToSpan;

use super::shown::{Shown, ShownDay};
use super::{BlockView, TOOLSET};
use crate::args;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Any day of that week; today when left out.
    date: Option<args::Day>,
}

#[derive(Serialize)]
struct Week {
    from: Date,
    to: Date,
    timezone: String,
    days: Vec<WeekDay>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize)]
struct WeekDay {
    date: Date,
    weekday: String,
    blocks: Vec<BlockView>,
    stats: DayStats,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "schedule_viewWeek",
        "Shows a week, Monday to Sunday, as schedule_viewSchedule shows one day.",
    )
    .flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let date = match &args.date {
        Some(day) => day.on(&context)?,
        None => today(&context),
    };
    let none = || refused("date", &date.to_string(), "is in no whole week.");
    let dates = week_of(date).ok_or_else(none)?;
    let shown = Shown::load(&context, "date", &dates).await?;
    let day = |day: &ShownDay| WeekDay {
        date: day.date,
        weekday: day.date.strftime("%A").to_string(),
        stats: DayStats::from_blocks(&day.blocks),
        blocks: shown.views(day),
    };
    let week = Week {
        from: dates[0],
        to: dates[6],
        timezone: context.user.timezone.clone(),
        days: shown.days.iter().map(day).collect(),
        note: shown.days.iter().find_map(ShownDay::note),
    };
    let picture = shown.timeline(&context).await?;
    Ok(ToolOutput::data(&week)?
        .bringing(Flow::of_stored(shown.tainted()))
        .picturing(picture))
}

/// Monday to Sunday around a day; `None` at the ends of the calendar.
fn week_of(date: Date) -> Option<[Date; 7]> {
    let since_monday = i64::from(date.weekday().to_monday_zero_offset());
    let monday = date.checked_sub(since_monday.days()).ok()?;
    let mut dates = [monday; 7];
    for (offset, day) in (0_i64..).zip(&mut dates) {
        *day = monday.checked_add(offset.days()).ok()?;
    }
    Some(dates)
}
