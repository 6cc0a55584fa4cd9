use super::{TOOLSET, TaskView, create_task, store};
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: String,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "task_deleteTask",
        "Deletes a task for good. One that is done: task_completeTask.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::Destructive);
    tool::shown(def, preview, delete)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let (task, _) = store::get(&context, "taskId", &args.task_id).await?;
    let due = task
        .due_date
        .map_or(String::new(), |date| format!(", due {date}"));
    let line = format!(
        "\"{}\" ({}, {} priority, {} minutes{due})",
        task.title, task.status, task.priority, task.estimated_minutes
    );
    let preview = Preview::new("Delete a task").change("Task", line, "");
    Ok(match task.description.is_empty() {
        true => preview,
        false => preview.change("Description", task.description, ""),
    })
}

async fn delete(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let (task, version) = store::get(&context, "taskId", &args.task_id).await?;
    context.ensure_as_left(&task.title, task.tainted, &store::left(&task))?;
    let writes = vec![store::delete(&context, &task, version)];
    let action = format!("Deleted task \"{}\"", task.title);
    let flow = Flow::of_stored(task.tainted);
    let back = create_task::again(&task);
    let deleted = json!({"deleted": TaskView::scored(&context, task)});
    Ok(ToolOutput::data(&deleted)?
        .with_effect(action, writes)
        .undone_by("task_createTask", back)
        .bringing(flow))
}

#[cfg(test)]
#[path = "delete_task_tests.rs"]
mod tests;
