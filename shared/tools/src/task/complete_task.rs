use alfred_planner::TaskStatus;

use super::{TOOLSET, TaskView, events, status, store};
use crate::fields::MAX_DESCRIPTION;
use crate::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: String,
    /// What came of it; added to the description.
    notes: Option<String>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(TOOLSET, "task_completeTask", "Marks a task as done.")
        .flow(Flow::PRIVATE)
        .effect(Effect::ReversibleWrite);
    tool::shown(def, preview, complete)
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let (task, _) = store::get(&context, "taskId", &args.task_id).await?;
    let preview = Preview::new("Mark a task as done").field("Task", task.title);
    Ok(preview.any("Notes", args.notes.unwrap_or_default()))
}

async fn complete(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let notes = args.notes.as_deref().unwrap_or_default();
    let notes = text_up_to("notes", notes, MAX_DESCRIPTION).map_err(invalid)?;
    let (mut task, version) = store::get(&context, "taskId", &args.task_id).await?;
    if task.status == TaskStatus::Completed {
        return Err(refused("taskId", &args.task_id, "is already completed."));
    }
    let mut undo = json!({"taskId": task.id, "status": task.status});
    if !notes.is_empty() {
        undo["description"] = task.description.as_str().into();
        task.description = match task.description.as_str() {
            "" => notes.clone(),
            before => format!("{before}\n\n{notes}"),
        };
        let length = task.description.chars().count();
        if length > MAX_DESCRIPTION {
            let problem = format!(
                "are too long: with them the description has {length} characters, at most {MAX_DESCRIPTION}."
            );
            return Err(refused("notes", &notes, problem));
        }
    }
    let changed = status::change(&context, &mut task, TaskStatus::Completed).await?;
    task.tainted |= context.tainted;
    let action = format!("Completed task \"{}\"", task.title);
    let mut writes = vec![store::replace(&context, &task, version)?];
    let event = changed.event(&context, &task);
    writes.extend(events::write(&context, event.into_iter().collect())?);
    writes.extend(changed.writes);
    let flow = Flow::of_stored(task.tainted);
    let mut left = json!({"status": task.status});
    if undo.get("description").is_some() {
        left["description"] = task.description.as_str().into();
    }
    let completed = json!({"task": TaskView::scored(&context, task)});
    Ok(ToolOutput::data(&completed)?
        .with_effect(action, writes)
        .at_place("your tasks")
        .undone_by("task_updateTask", [undo])
        .leaving([left])
        .bringing(flow))
}

#[cfg(test)]
#[path = "complete_task_tests.rs"]
mod tests;
