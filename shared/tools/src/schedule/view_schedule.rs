use alfred_planner::DayStats;

use super::shown::Shown;
use super::{BlockView, TOOLSET};
use crate::args;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today" (when left out), "yesterday" or a weekday.
    date: Option<args::Day>,
}

#[derive(Serialize)]
pub(crate) struct Schedule {
    pub date: Date,
    weekday: String,
    timezone: String,
    pub blocks: Vec<BlockView>,
    /// Titles of whole-day events that take no time.
    #[serde(rename = "allDay", skip_serializing_if = "Vec::is_empty")]
    pub all_day: Vec<String>,
    stats: DayStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Whether no calendar is connected.
    #[serde(skip)]
    pub unconnected: bool,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "schedule_viewSchedule",
        "Shows one day: time blocks with their tasks, calendar meetings, hours and utilization. For a week schedule_viewWeek.",
    ).flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let date = args::Day::or_today(args.date.as_ref(), &context)?;
    let shown = Shown::load(&context, "date", &[date]).await?;
    let picture = shown.timeline(&context).await?;
    let schedule = Schedule::new(&context, date, &shown)?;
    Ok(ToolOutput::data(&schedule)?
        .bringing(Flow::of_stored(shown.tainted()))
        .picturing(picture))
}

impl Schedule {
    pub(crate) async fn load(context: &ToolContext, date: Date) -> Result<Self, ToolError> {
        let shown = Shown::load(context, "date", &[date]).await?;
        Self::new(context, date, &shown)
    }

    /// These consecutive days, with one read of the calendar.
    pub(crate) async fn days(
        context: &ToolContext,
        dates: &[Date],
    ) -> Result<Vec<Self>, ToolError> {
        let shown = Shown::load(context, "date", dates).await?;
        let dates = dates.iter();
        dates
            .map(|date| Self::new(context, *date, &shown))
            .collect()
    }

    /// Percent of 8 hours, on the wall clock.
    pub fn utilization(&self) -> u32 {
        self.stats.utilization
    }

    fn new(context: &ToolContext, date: Date, shown: &Shown) -> Result<Self, ToolError> {
        let Some(day) = shown.days.iter().find(|day| day.date == date) else {
            return Err(ToolError::Stop(Failure::bug("a day was not read")));
        };
        Ok(Self {
            date,
            weekday: date.strftime("%A").to_string(),
            timezone: context.user.timezone.clone(),
            stats: DayStats::from_blocks(&day.blocks),
            blocks: shown.views(day),
            all_day: day.all_day().to_vec(),
            note: day.note(),
            unconnected: day.unconnected(),
        })
    }
}
