//! `task_getBacklogWithScores`.

use alfred_agent::tool::{self, SharedTool, ToolContext, ToolError, ToolOutput};
use alfred_planner::task::ESTIMATE;
use alfred_planner::{Backlog, BacklogFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TaskView, store};
use crate::fields::{invalid, today, within};
use crate::flows;

/// Tasks that are given, the best ones; the sums are of all.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Only tasks of at least this score.
    #[schemars(range(min = 0, max = 100))]
    min_score: Option<i64>,
    /// Only tasks that take at most this many minutes.
    #[schemars(range(min = 1, max = 1_440))]
    max_duration: Option<i64>,
    /// Also tasks that are done; not when left out.
    include_completed: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Scored {
    tasks: Vec<TaskView>,
    average_score: u32,
    /// How many fit, shown or not.
    total_tasks: usize,
    /// How many there are, all of which were looked at.
    considered: usize,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = flows::def(
        "task_getBacklogWithScores",
        "Gives the person's tasks that are not planned yet, best score first (at most 200), each with its score from 0 to 100 and what it is made of, and their average and number.",
    );
    tool::full(def, backlog)
}

async fn backlog(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let bound = |field, value: Option<i64>, range| {
        let value = value.map(|value| within(field, value, &range));
        value.transpose().map_err(invalid)
    };
    let filter = BacklogFilter {
        min_score: bound("minScore", args.min_score, 0..=100)?,
        max_duration: bound("maxDuration", args.max_duration, ESTIMATE)?,
        include_completed: args.include_completed.unwrap_or(false),
    };
    let tasks = store::list(&context).await?;
    let considered = tasks.len();
    let backlog = Backlog::from_tasks(tasks, &filter, today(&context), &context.zone());
    let mut shown = backlog.tasks;
    shown.truncate(MOST);
    let tainted = shown.iter().any(|scored| scored.task.tainted);
    let scored = Scored {
        tasks: shown.into_iter().map(TaskView::from).collect(),
        average_score: backlog.average_score,
        total_tasks: backlog.total_tasks,
        considered,
    };
    Ok(ToolOutput::data(&scored)?.bringing(flows::of_stored(tainted)))
}

#[cfg(test)]
#[path = "get_backlog_with_scores_tests.rs"]
pub(crate) mod tests;
