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
    /// Due then or later.
    due_from: Option<String>,
    /// Due then or earlier; "yesterday" gives what is overdue.
    due_until: Option<String>,
    /// Most tasks, up to 200; 50 when left out.
    limit: Option<i64>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "task_viewTasks",
        "Lists the person's tasks, planned ones too, most pressing first. To plan by: task_getBacklogWithScores.",
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
