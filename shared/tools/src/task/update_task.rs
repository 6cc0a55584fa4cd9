use alfred_planner::{Priority, TaskStatus};

use super::status::{self, Change};
use super::store::StoredTask;
use super::{Estimate, TOOLSET};
use crate::args::DayOrNone;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: Ref<StoredTask>,
    /// What is to be done.
    title: Option<Title>,
    /// More about it; "" removes it.
    description: Option<Text<MAX_DESCRIPTION>>,
    /// Minutes it will take.
    estimated_minutes: Option<Estimate>,
    /// How much it matters.
    priority: Option<Priority>,
    /// By which day, as of a new task; "none" removes it.
    due_date: Option<DayOrNone>,
    /// "backlog" takes it out of its blocks, "scheduled" reopens it there.
    status: Option<TaskStatus>,
}

pub fn tool() -> SharedTool {
    let description = "Changes a task; what is left out stays.";
    let def = ToolDef::new(TOOLSET, "task_updateTask", description)
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite);
    let is_light = |args: &Arguments| args.title.is_none() && args.description.is_none();
    heavy(def, is_light, |def| edit::tool(def, update))
}

async fn update(context: ToolContext, args: Arguments) -> Result<Edit<StoredTask>> {
    let before = args.task_id.find(&context).await?;
    let mut after = before.clone();
    let task = &mut after.task;
    if let Some(title) = args.title {
        task.title = title.value;
    }
    if let Some(description) = args.description {
        task.description = description.value;
    }
    if let Some(minutes) = args.estimated_minutes {
        task.estimated_minutes = *minutes;
    }
    if let Some(priority) = args.priority {
        task.priority = priority;
    }
    if let Some(day) = args.due_date {
        task.due_date = day.on(&context)?;
    }
    let only_status = *task == before.task;
    let change = match args.status.filter(|to| *to != before.task.status) {
        Some(to) => status::change(&context, task, to).await?,
        None => Change::default(),
    };
    let task = task.clone();
    let edit = Edit::change("Change a task", before, after);
    change.of(&context, &task, edit, only_status)
}
