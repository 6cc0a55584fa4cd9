use jiff::ToSpan;

use super::TOOLSET;
use super::shown::Shown;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Any day of that week; today when left out.
    date: Option<Day>,
}

pub fn tool() -> SharedTool {
    let description = "Shows a week, Monday to Sunday, as schedule_viewSchedule shows one day.";
    let def = ToolDef::new(TOOLSET, "schedule_viewWeek", description).flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let date = Day::or_today(args.date.as_ref(), &context)?;
    let since_monday = i64::from(date.weekday().to_monday_zero_offset());
    let monday = date.saturating_sub(since_monday.days());
    let dates = [0, 1, 2, 3, 4, 5, 6].map(|days| monday.saturating_add(days.days()));
    let shown = Shown::load(&context, &dates).await?;
    let days: Vec<Value> = shown.days.iter().map(|day| shown.view(day)).collect();
    let (first, last, zone) = (dates[0], dates[6], &context.user.timezone);
    let mut week = json!({"from": first, "to": last, "timezone": zone, "days": days});
    let mut notes = shown.days.iter().map(|day| &day.meetings.note);
    add(&mut week, "note", json!(notes.find_map(Option::as_ref)));
    shown.output(&context, &week).await
}
