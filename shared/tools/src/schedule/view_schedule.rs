use alfred_planner::{DayStats, parse_date};

use super::shown::Shown;
use super::{BlockView, TOOLSET};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// "2026-11-21", "today" (when left out), "yesterday" or a weekday.
    date: Option<String>,
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
    let text = args.date.as_deref().unwrap_or("today");
    let date = parse_date("date", text, today(&context)).map_err(invalid)?;
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

    fn new(context: &ToolContext, date: Date, shown: &Shown) -> Result<Self, ToolError> {
        let Some(day) = shown.days.first() else {
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

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[tokio::test]
    async fn a_day_in_order_with_its_sums() {
        let harness = ToolHarness::at("2026-11-21T00:00:00Z");
        harness.block("today", "meeting 14:00-15:30 B").await;
        harness.block("today", "work 09:00-12:00 B").await;
        harness.block("tomorrow", "work 09:00-10:00 B").await;
        let day = harness.ok("schedule_viewSchedule", json!({})).await;
        assert_eq!(day["date"], "2026-11-21");
        assert_eq!(day["weekday"], "Saturday");
        let starts: Vec<_> = day["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|b| &b["startTime"])
            .collect();
        assert_eq!(starts, ["09:00", "14:00"]);
        assert_eq!(day["blocks"][1]["duration"], 90);
        assert_eq!(day["blocks"][1]["tasks"], json!([]));
        assert_eq!(
            day["stats"],
            json!({"totalHours": 4.5, "focusHours": 3.0, "meetingHours": 1.5, "utilization": 56})
        );
    }

    #[tokio::test]
    async fn today_is_the_persons_today() {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z").zone("Pacific/Auckland");
        let day = harness.ok("schedule_viewSchedule", json!({})).await;
        assert_eq!(day["date"], "2026-11-22");
        assert_eq!(day["blocks"], json!([]));
        assert_eq!(day["stats"]["utilization"], 0);
        let day = harness.shown_day("monday").await;
        assert_eq!(day["date"], "2026-11-23");
    }

    #[tokio::test]
    async fn tasks_of_a_block_are_shown_in_their_order() {
        let harness = ToolHarness::at("2026-11-21T00:00:00Z");
        let mut ids = Vec::new();
        for title in ["First", "Second", "Third"] {
            let task = harness.ok("task_createTask", json!({"title": title})).await;
            ids.push(task["task"]["id"].clone());
        }
        let row = json!({"blocks": [{
            "id": "blk_1", "type": "work", "title": "W", "start": "09:00", "end": "10:00",
            "task_ids": [ids[2], ids[0], "tsk_gone"],
        }]});
        let day = "2026-11-21".parse().unwrap();
        harness
            .put(Write::create(
                keys::day(&"T1".into(), &"U1".into(), day),
                row,
            ))
            .await;
        let shown = harness.ok("schedule_viewSchedule", json!({})).await;
        let tasks = &shown["blocks"][0]["tasks"];
        assert_eq!(tasks.as_array().unwrap().len(), 2);
        assert_eq!(tasks[0]["title"], "Third");
        assert_eq!(
            tasks[1],
            json!({"id": ids[0], "title": "First", "status": "backlog", "estimatedMinutes": 30})
        );
    }

    #[tokio::test]
    async fn a_bad_date_is_named_and_a_broken_row_is_no_empty_day() {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        for date in ["2026-02-31", "someday", ""] {
            let error = harness
                .fails("schedule_viewSchedule", json!({"date": date}))
                .await;
            assert!(error.starts_with(&format!("date: \"{date}\"")), "{error}");
        }
        let key = keys::day(&"T1".into(), &"U1".into(), "2026-11-21".parse().unwrap());
        harness.put(Write::create(key, json!({"blocks": 7}))).await;
        let error = harness
            .run("schedule_viewSchedule", json!({}))
            .await
            .unwrap_err();
        assert!(error.to_string().contains("is no day"), "{error}");
    }
}
