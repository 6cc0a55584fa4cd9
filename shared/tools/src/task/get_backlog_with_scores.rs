use alfred_planner::{Backlog, BacklogFilter};

use super::{Estimate, TOOLSET, TaskView, store};
use crate::prelude::*;

/// Tasks returned, best first; the totals cover all tasks.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Least score, 0 to 100.
    min_score: Option<Number<0, 100>>,
    /// Most minutes a task takes.
    max_duration: Option<Estimate>,
    /// Also done ones.
    include_completed: Option<bool>,
}

pub fn tool() -> SharedTool {
    let description = "Lists tasks that aren't planned yet, best score first, with what each score is made of. All tasks: task_viewTasks.";
    let def = ToolDef::new(TOOLSET, "task_getBacklogWithScores", description).flow(Flow::PRIVATE);
    tool::full(def, backlog)
}

async fn backlog(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let filter = BacklogFilter {
        min_score: args.min_score.map(|score| *score),
        max_duration: args.max_duration.map(|minutes| *minutes),
        include_completed: args.include_completed.unwrap_or(false),
    };
    let (considered, mut backlog) = backlog_on(&context, &filter, today(&context)).await?;
    backlog.tasks.truncate(MOST);
    let tainted = backlog.tasks.iter().any(|scored| scored.task.tainted);
    let tasks: Vec<TaskView> = backlog.tasks.into_iter().map(TaskView::from).collect();
    let data = json!({
        "tasks": tasks,
        "averageScore": backlog.average_score,
        // All matches, also those that aren't returned.
        "totalTasks": backlog.total_tasks,
        "considered": considered,
    });
    Ok(ToolOutput::data(&data)?.bringing(Flow::of_stored(tainted)))
}

/// The number of all tasks, and those that match, as they are scored on that day.
pub(crate) async fn backlog_on(
    context: &ToolContext,
    filter: &BacklogFilter,
    date: Date,
) -> Result<(usize, Backlog)> {
    let tasks = store::list(context).await?;
    let all = tasks.len();
    let backlog = Backlog::from_tasks(tasks, filter, date, &context.zone());
    Ok((all, backlog))
}
