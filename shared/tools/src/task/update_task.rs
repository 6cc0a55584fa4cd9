use alfred_agent::model::in_words;
use alfred_planner::task::ESTIMATE;
use alfred_planner::{Happened, Priority, Task, TaskEvent, TaskStatus, parse_date};
use serde_json::Map;

use super::status::{self, Undo};
use super::{TOOLSET, TaskView, events, store};
use crate::fields::{becomes, description, shown, title};
use crate::prelude::*;

/// Argument that removes the due date.
const NO_DATE: &str = "none";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// Its id, or words of its title.
    task_id: String,
    /// What is to be done.
    title: Option<String>,
    /// More about it; "" removes it.
    description: Option<String>,
    /// Minutes it will take.
    estimated_minutes: Option<i64>,
    /// How much it matters.
    priority: Option<Priority>,
    /// By which day: "2026-11-21", "tomorrow" or a weekday; "none" removes it.
    due_date: Option<String>,
    /// "backlog" takes it out of its block or reopens it, "scheduled" reopens it in its block, "completed" marks it done.
    status: Option<TaskStatus>,
}

pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "task_updateTask",
        "Changes a task; what is left out stays.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::ReversibleWrite);
    heavy(
        def,
        |args: &Arguments| args.title.is_none() && args.description.is_none(),
        |def| tool::shown(def, preview, update),
    )
}

async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let (before, _) = store::get(&context, "taskId", &args.task_id).await?;
    let mut after = before.clone();
    args.apply(&mut after, today(&context))?;
    after.status = args.status.unwrap_or(before.status);
    let mut preview = Preview::new("Change a task").field("Task", &before.title);
    for (field, from, to) in differences(&before, &after) {
        preview = preview.change(&in_words(field), shown(&from), shown(&to));
    }
    Ok(preview)
}

async fn update(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let (before, version) = store::get(&context, "taskId", &args.task_id).await?;
    context.ensure_as_left(&before.title, before.tainted, &store::left(&before))?;
    let mut task = before.clone();
    args.apply(&mut task, today(&context))?;
    let differences = differences(&before, &task);
    let mut parts: Vec<String> = differences
        .iter()
        .map(|(field, _, to)| becomes(field, to))
        .collect();
    let mut old: Map<String, Value> = differences
        .into_iter()
        .map(|(field, from, _)| match from {
            Value::Null => (field.to_owned(), NO_DATE.into()),
            from => (field.to_owned(), from),
        })
        .collect();
    let mut changed: Vec<String> = old.keys().cloned().collect();
    let mut writes = Vec::new();
    let mut event = None;
    let mut undo = Some(("task_updateTask", json!({"taskId": task.id})));
    if let Some(to) = args.status.filter(|to| *to != before.status) {
        let change = status::change(&context, &mut task, to).await?;
        event = change.event(&context, &task);
        writes = change.writes;
        changed.push("status".to_owned());
        parts.push(becomes("status", &json!(to)));
        match change.undo {
            Undo::Status(status) => {
                old.insert("status".to_owned(), json!(status));
            }
            Undo::Assign(arguments) if old.is_empty() => {
                undo = Some(("task_assignToTimeBlock", arguments));
            }
            Undo::Assign(_) | Undo::None => undo = None,
        }
    }
    if changed.is_empty() {
        let problem = "is as asked for already.";
        return Err(refused("taskId", &args.task_id, problem));
    }
    task.tainted |= context.tainted;
    if event.is_none() && before.due_date.is_some() && task.due_date > before.due_date {
        event = Some(TaskEvent::new(Happened::PutOff, context.now, &task, None));
    }
    if let Some(event) = &mut event {
        event.tainted = task.tainted;
    }
    writes.extend(events::write(&context, event.into_iter().collect())?);
    writes.push(store::replace(&context, &task, version)?);
    let action = format!("Changed task \"{}\": {}", task.title, parts.join(", "));
    let flow = Flow::of_stored(task.tainted);
    let task_left = store::left(&task);
    let updated = json!({"task": TaskView::scored(&context, task), "changed": changed});
    if let Some((_, Value::Object(arguments))) = &mut undo {
        arguments.extend(old);
    }
    let (tool, undo) = undo.unzip();
    let left = changed_to(&task_left, &changed);
    Ok(ToolOutput::data(&updated)?
        .with_effect(action, writes)
        .at_place("your tasks")
        .undone_by(tool.unwrap_or_default(), undo)
        .leaving([left])
        .bringing(flow))
}

fn changed_to(task: &Value, changed: &[String]) -> Value {
    let fields = changed.iter();
    let fields = fields.map(|field| (field.clone(), task[field].clone()));
    Value::Object(fields.collect())
}

impl Arguments {
    /// Applies all fields except the status.
    fn apply(&self, task: &mut Task, today: Date) -> Result<(), ToolError> {
        if let Some(text) = &self.title {
            task.title = title("title", text).map_err(invalid)?;
        }
        if let Some(text) = &self.description {
            task.description = description("description", Some(text)).map_err(invalid)?;
        }
        if let Some(minutes) = self.estimated_minutes {
            task.estimated_minutes =
                within("estimatedMinutes", minutes, &ESTIMATE).map_err(invalid)?;
        }
        if let Some(priority) = self.priority {
            task.priority = priority;
        }
        if let Some(text) = &self.due_date {
            task.due_date = match text.trim().eq_ignore_ascii_case(NO_DATE) {
                true => None,
                false => Some(parse_date("dueDate", text, today).map_err(invalid)?),
            };
        }
        Ok(())
    }
}

/// Changed arguments with their old and new values.
fn differences(before: &Task, after: &Task) -> Vec<(&'static str, Value, Value)> {
    let values = |task: &Task| {
        [
            ("title", json!(task.title)),
            ("description", json!(task.description)),
            ("estimatedMinutes", json!(task.estimated_minutes)),
            ("priority", json!(task.priority)),
            ("dueDate", json!(task.due_date)),
            ("status", json!(task.status)),
        ]
    };
    let pairs = values(before).into_iter().zip(values(after));
    pairs
        .filter(|(before, after)| before != after)
        .map(|((field, from), (_, to))| (field, from, to))
        .collect()
}

#[cfg(test)]
#[path = "update_task_tests.rs"]
mod tests;
