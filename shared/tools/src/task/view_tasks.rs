use alfred_planner::{Priority, ScoredTask, Task, TaskStatus, parse_date};
use std::ops::RangeInclusive;

use super::{TOOLSET, TaskView, store};
use crate::prelude::*;

const SCORES: RangeInclusive<u32> = 0..=100;
const LIMITS: RangeInclusive<u32> = 1..=200;
const DEFAULT_LIMIT: i64 = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// All but completed ones when left out.
    status: Option<TaskStatus>,
    /// Only tasks of this priority.
    priority: Option<Priority>,
    /// Least score, 0 to 100.
    min_score: Option<i64>,
    /// Due then or later: "2026-11-21", "tomorrow" or a weekday.
    due_from: Option<String>,
    /// Due then or earlier; "yesterday" gives what is overdue.
    due_until: Option<String>,
    /// Most tasks, up to 200; 50 when left out.
    limit: Option<i64>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "task_viewTasks",
        "Lists the person's tasks, planned ones too, most pressing first. For tasks that are still to be planned: task_getBacklogWithScores.",
    ).flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let least = within("minScore", args.min_score.unwrap_or(0), &SCORES).map_err(invalid)?;
    let limit = within("limit", args.limit.unwrap_or(DEFAULT_LIMIT), &LIMITS).map_err(invalid)?;
    let (today, zone) = (today(&context), context.zone());
    let day = |field: &str, text: &Option<String>| {
        let date = text.as_deref().map(|text| parse_date(field, text, today));
        date.transpose().map_err(invalid)
    };
    let due = Due {
        from: day("dueFrom", &args.due_from)?,
        until: day("dueUntil", &args.due_until)?,
    };
    let asked = store::list(&context)
        .await?
        .into_iter()
        .filter(|task| args.asks_for(task) && due.asks_for(task));
    let mut scored = ScoredTask::all(asked, today, &zone);
    scored.retain(|task| task.score.score >= least);
    let total = scored.len();
    scored.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let tainted = scored.iter().any(|scored| scored.task.tainted);
    let tasks: Vec<TaskView> = scored.into_iter().map(TaskView::from).collect();
    let data = json!({"tasks": tasks, "total": total});
    Ok(ToolOutput::data(&data)?.bringing(Flow::of_stored(tainted)))
}

/// Inclusive range of due dates.
struct Due {
    from: Option<Date>,
    until: Option<Date>,
}

impl Due {
    /// A task without a due date matches only without a range.
    fn asks_for(&self, task: &Task) -> bool {
        let from = self
            .from
            .is_none_or(|day| task.due_date.is_some_and(|due| due >= day));
        let until = self
            .until
            .is_none_or(|day| task.due_date.is_some_and(|due| due <= day));
        from && until
    }
}

impl Arguments {
    fn asks_for(&self, task: &Task) -> bool {
        let status = match self.status {
            Some(status) => task.status == status,
            None => task.status != TaskStatus::Completed,
        };
        status
            && self
                .priority
                .is_none_or(|priority| task.priority == priority)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    async fn task(harness: &ToolHarness, title: &str, more: Value) {
        let mut args = json!({"title": title});
        args.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        harness.ok("task_createTask", args).await;
    }

    async fn titles(harness: &ToolHarness, args: Value) -> Vec<String> {
        let data = harness.ok("task_viewTasks", args).await;
        let titles = each(&data["tasks"], "title").into_iter();
        titles.map(str::to_owned).collect()
    }

    async fn office() -> ToolHarness {
        let harness = ToolHarness::at("2026-11-01T12:00:00Z");
        task(&harness, "old", json!({"priority": "low"})).await;
        let harness = harness.later("2026-11-21T08:00:00Z");
        task(&harness, "first", json!({"priority": "medium"})).await;
        let harness = harness.later("2026-11-21T09:00:00Z");
        task(&harness, "second", json!({"priority": "medium"})).await;
        task(
            &harness,
            "due",
            json!({"priority": "high", "dueDate": "today"}),
        )
        .await;
        harness
    }

    #[tokio::test]
    async fn most_pressing_first_and_ties_by_age() {
        let harness = office().await;
        let data = harness.ok("task_viewTasks", json!({})).await;
        let scores: Vec<_> = data["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| {
                (
                    task["title"].as_str().unwrap(),
                    task["score"].as_u64().unwrap(),
                )
            })
            .collect();
        assert_eq!(
            scores,
            [("due", 80), ("old", 40), ("first", 30), ("second", 30)]
        );
        assert_eq!(data["total"], 4);
        assert_eq!(
            data["tasks"][1]["scoreBreakdown"],
            json!({"priority": 10, "age": 20, "urgency": 10})
        );
    }

    #[tokio::test]
    async fn filters_and_limit() {
        let harness = office().await;
        assert_eq!(
            titles(&harness, json!({"priority": "medium"})).await,
            ["first", "second"]
        );
        assert_eq!(
            titles(&harness, json!({"minScore": 40})).await,
            ["due", "old"]
        );
        assert_eq!(titles(&harness, json!({"limit": 1})).await, ["due"]);
        let data = harness.ok("task_viewTasks", json!({"limit": 1})).await;
        assert_eq!(data["total"], 4);
        assert!(
            titles(&harness, json!({"status": "scheduled"}))
                .await
                .is_empty()
        );
        assert_eq!(
            titles(&harness, json!({"status": "backlog"})).await.len(),
            4
        );
    }

    #[tokio::test]
    async fn tasks_by_the_day_they_are_due() {
        let harness = office().await;
        task(&harness, "late", json!({"dueDate": "yesterday"})).await;
        task(&harness, "soon", json!({"dueDate": "tomorrow"})).await;
        for (args, expected) in [
            (json!({"dueUntil": "yesterday"}), vec!["late"]),
            (
                json!({"dueFrom": "today", "dueUntil": "today"}),
                vec!["due"],
            ),
            (json!({"dueFrom": "2026-11-22"}), vec!["soon"]),
            (
                json!({"dueUntil": "today", "priority": "high"}),
                vec!["due"],
            ),
        ] {
            assert_eq!(titles(&harness, args.clone()).await, expected, "{args}");
        }
        let error = harness
            .fails("task_viewTasks", json!({"dueFrom": "2026-02-30"}))
            .await;
        assert!(
            error.starts_with("dueFrom: \"2026-02-30\" does not exist"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn completed_tasks_are_shown_only_when_asked_for() {
        let harness = office().await;
        let row = json!({
            "id": "tsk_0", "title": "done", "status": "completed", "priority": "high",
            "estimated_minutes": 5, "source": "chat", "created_at": "2026-11-20T09:00:00Z",
        });
        let key = keys::task(&"T1".into(), &"U1".into(), &"tsk_0".into());
        harness.put(Write::create(key, row)).await;
        assert_eq!(
            titles(&harness, json!({"status": "completed"})).await,
            ["done"]
        );
        assert!(
            !titles(&harness, json!({}))
                .await
                .contains(&"done".to_owned())
        );
    }

    #[tokio::test]
    async fn tasks_past_one_page_are_all_scored() {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        for n in 0..1_005 {
            let priority = if n == 1_004 { "high" } else { "low" };
            task(&harness, &format!("t{n}"), json!({"priority": priority})).await;
        }
        let data = harness.ok("task_viewTasks", json!({"limit": 2})).await;
        assert_eq!(data["total"], 1_005);
        assert_eq!(data["tasks"][0]["title"], "t1004");
        assert_eq!(data["tasks"][1]["title"], "t0");
    }
}
