use alfred_core::id::TaskId;
use alfred_planner::{Priority, Task, TaskSource};

use super::store::StoredTask;
use super::{Estimate, TOOLSET, due_on};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// What is to be done.
    title: Title,
    /// More about it.
    description: Option<Text<MAX_DESCRIPTION>>,
    /// Minutes it will take; 30 when left out.
    estimated_minutes: Option<Estimate>,
    /// How much it matters; medium when left out.
    priority: Option<Priority>,
    /// By which day: "2026-11-21", "tomorrow" or a weekday.
    due_date: Option<Day>,
    /// Where it came from; chat when left out.
    source: Option<TaskSource>,
}

pub fn tool() -> SharedTool {
    let description =
        "Adds a task to the person's backlog. From an e-mail: email_createTaskFromEmail.";
    let def = ToolDef::new(TOOLSET, "task_createTask", description)
        // The output contains only the arguments, which the run has already read.
        .flow(Flow::NEUTRAL)
        .effect(Effect::ReversibleWrite)
        .with(|def| def.adds = true);
    edit::tool(def, create)
}

async fn create(context: ToolContext, args: Arguments) -> Result<Edit<StoredTask>> {
    let due_date = args.due_date.map(|day| day.on(&context)).transpose()?;
    let priority = args.priority.map(|it| format!(", {it} priority"));
    let (due, priority) = (due_on(due_date), priority.unwrap_or_default());
    let receipt = format!("Created task \"{}\"{due}{priority}", *args.title);
    let new = Task::new(TaskId::new(&*context.ids), args.title.value, context.now);
    let minutes = args.estimated_minutes.map(|minutes| *minutes);
    let task = Task {
        description: args.description.map_or(String::new(), |text| text.value),
        priority: args.priority.unwrap_or(new.priority),
        estimated_minutes: minutes.unwrap_or(new.estimated_minutes),
        due_date,
        source: args.source.unwrap_or(new.source),
        ..new
    };
    Ok(Edit::create("Create a task", StoredTask::new(task)).receipt(receipt))
}
