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
    let date = args::Day::or_today(args.date.as_ref(), &context)?;
    let since_monday = i64::from(date.weekday().to_monday_zero_offset());
    let monday = date.saturating_sub(since_monday.days());
    let dates = [0, 1, 2, 3, 4, 5, 6].map(|days| monday.saturating_add(days.days()));
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
