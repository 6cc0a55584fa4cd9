use alfred_planner::task::ESTIMATE;
use alfred_planner::{Backlog, BacklogFilter};

use super::{TOOLSET, TaskView, store};
use crate::prelude::*;

/// Tasks returned, best first; the totals cover all tasks.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Least score, 0 to 100.
    min_score: Option<i64>,
    /// Most minutes a task takes.
    max_duration: Option<i64>,
    /// Also done ones.
    include_completed: Option<bool>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Scored {
    pub tasks: Vec<TaskView>,
    average_score: u32,
    /// Number of matches, including those that aren't returned.
    pub total_tasks: usize,
    /// Number of all tasks.
    considered: usize,
    #[serde(skip)]
    tainted: bool,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "task_getBacklogWithScores",
        "Lists tasks that aren't planned yet, best score first, with what each score is made of. All tasks: task_viewTasks.",
    ).flow(Flow::PRIVATE);
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
    let scored = Scored::load(&context, &filter).await?;
    Ok(ToolOutput::data(&scored)?.bringing(Flow::of_stored(scored.tainted)))
}

/// The number of all tasks, and those that match, as they are scored on that day.
pub(crate) async fn backlog_on(
    context: &ToolContext,
    filter: &BacklogFilter,
    date: Date,
) -> Result<(usize, Backlog), ToolError> {
    let tasks = store::list(context).await?;
    let all = tasks.len();
    let backlog = Backlog::from_tasks(tasks, filter, date, &context.zone());
    Ok((all, backlog))
}

impl Scored {
    /// Returns the matching tasks, best first.
    pub(crate) async fn load(
        context: &ToolContext,
        filter: &BacklogFilter,
    ) -> Result<Self, ToolError> {
        let (considered, backlog) = backlog_on(context, filter, today(context)).await?;
        let mut shown = backlog.tasks;
        shown.truncate(MOST);
        let tainted = shown.iter().any(|scored| scored.task.tainted);
        Ok(Self {
            tasks: shown.into_iter().map(TaskView::from).collect(),
            average_score: backlog.average_score,
            total_tasks: backlog.total_tasks,
            considered,
            tainted,
        })
    }
}
