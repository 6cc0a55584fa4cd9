use alfred_planner::{Priority, ScoredTask, Task, TaskStatus};

use super::{TOOLSET, TaskView, store};
use crate::prelude::*;

const DEFAULT_LIMIT: u32 = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// All but completed ones when left out.
    status: Option<TaskStatus>,
    /// Only tasks of this priority.
    priority: Option<Priority>,
    /// Least score, 0 to 100.
    min_score: Option<Number<0, 100>>,
    /// Due then or later.
    due_from: Option<Day>,
    /// Due then or earlier; "yesterday" gives what is overdue.
    due_until: Option<Day>,
    /// Most tasks, up to 200; 50 when left out.
    limit: Option<Number<1, 200>>,
}

pub fn tool() -> SharedTool {
    let description = "Lists the person's tasks, planned ones too, most pressing first. To plan by: task_getBacklogWithScores.";
    let def = ToolDef::new(TOOLSET, "task_viewTasks", description).flow(Flow::PRIVATE);
    tool::full(def, view)
}

async fn view(context: ToolContext, args: Arguments) -> Result<ToolOutput> {
    let least = args.min_score.as_deref().copied().unwrap_or(0);
    let limit = args.limit.as_deref().copied().unwrap_or(DEFAULT_LIMIT);
    let day = |day: &Option<Day>| day.as_ref().map(|day| day.on(&context)).transpose();
    let (from, until) = (day(&args.due_from)?, day(&args.due_until)?);
    let is_in_range = |task: &Task| match task.due_date {
        Some(due) => from.is_none_or(|day| due >= day) && until.is_none_or(|day| due <= day),
        None => from.is_none() && until.is_none(),
    };
    let tasks = store::list(&context).await?.into_iter();
    let asked = tasks.filter(|task| args.asks_for(task) && is_in_range(task));
    let mut scored = ScoredTask::all(asked, today(&context), &context.zone());
    scored.retain(|task| task.score.score >= least);
    let total = scored.len();
    scored.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let tainted = scored.iter().any(|scored| scored.task.tainted);
    let tasks: Vec<TaskView> = scored.into_iter().map(TaskView::from).collect();
    let data = json!({"tasks": tasks, "total": total});
    Ok(ToolOutput::data(&data)?.bringing(Flow::of_stored(tainted)))
}

impl Arguments {
    fn asks_for(&self, task: &Task) -> bool {
        let is_open = task.status != TaskStatus::Completed;
        let status = self.status.map_or(is_open, |status| task.status == status);
        status && self.priority.is_none_or(|asked| task.priority == asked)
    }
}
