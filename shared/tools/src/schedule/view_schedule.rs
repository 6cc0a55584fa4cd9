use super::TOOLSET;
use super::shown::Shown;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today" (when left out), "yesterday" or a weekday.
    date: Option<Day>,
}

pub fn tool() -> SharedTool {
    let description = "Shows one day: time blocks with their tasks, calendar meetings, hours and utilization. For a week schedule_viewWeek.";
    let def = ToolDef::new(TOOLSET, "schedule_viewSchedule", description).flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let date = Day::or_today(args.date.as_ref(), &context)?;
    let shown = Shown::load(&context, &[date]).await?;
    let day = &shown.days[0];
    let mut schedule = shown.view(day);
    schedule["timezone"] = json!(context.user.timezone);
    add(&mut schedule, "note", json!(day.meetings.note));
    shown.output(&context, &schedule).await
}
