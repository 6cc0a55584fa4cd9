//! `task_updateTask`.

use alfred_agent::preview::Preview;
use alfred_agent::tool::{
    self, Effect, Flow, Heavy, SharedTool, ToolContext, ToolDef, ToolError, ToolOutput,
};
use alfred_core::text;
use alfred_planner::task::ESTIMATE;
use alfred_planner::{Happened, Priority, Score, Task, TaskEvent, TaskStatus, parse_date};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::status::{self, Undo};
use super::{TOOLSET, TaskView, events, store};
use crate::fields::{description, invalid, refused, title, today, within};

/// What takes a due date away.
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

#[derive(Serialize)]
struct Updated {
    task: TaskView,
    /// The names of the fields that changed.
    changed: Vec<String>,
}

/// The tool.
#[must_use]
pub fn tool() -> SharedTool {
    let def = ToolDef::new(
        TOOLSET,
        "task_updateTask",
        "Changes a task; what is left out stays.",
    )
    .flow(Flow::PRIVATE)
    .effect(Effect::ReversibleWrite);
    let heavy = Heavy {
        is_light: |args: &Arguments| args.title.is_none() && args.description.is_none(),
        preview: |context, args| Box::pin(preview(context, args)),
    };
    tool::heavy(def, heavy, update)
}

/// Every field that would be another, with what it replaces.
async fn preview(context: ToolContext, args: Arguments) -> Result<Preview, ToolError> {
    let (before, _) = store::get(&context, "taskId", &args.task_id).await?;
    let mut after = before.clone();
    args.apply(&mut after, today(&context))?;
    after.status = args.status.unwrap_or(before.status);
    let due = |task: &Task| {
        task.due_date
            .map_or_else(String::new, |date| date.to_string())
    };
    let minutes = |task: &Task| task.estimated_minutes.to_string();
    let rows = [
        ("Title", before.title.clone(), after.title.clone()),
        (
            "Description",
            before.description.clone(),
            after.description.clone(),
        ),
        ("Estimated minutes", minutes(&before), minutes(&after)),
        (
            "Priority",
            before.priority.to_string(),
            after.priority.to_string(),
        ),
        ("Due date", due(&before), due(&after)),
        (
            "Status",
            before.status.to_string(),
            after.status.to_string(),
        ),
    ];
    let preview = Preview::new(text::update_task_title()).field("Task", &before.title);
    let changed = rows
        .into_iter()
        .filter(|(_, before, after)| before != after);
    Ok(changed.fold(preview, |preview, (label, before, after)| {
        preview.change(label, before, after)
    }))
}

async fn update(context: ToolContext, args: Arguments) -> Result<ToolOutput, ToolError> {
    let today = today(&context);
    let (before, version) = store::get(&context, "taskId", &args.task_id).await?;
    let mut task = before.clone();
    args.apply(&mut task, today)?;
    let mut old = old_values(&before, &task);
    let mut changed: Vec<String> = old.keys().cloned().collect();
    let mut writes = Vec::new();
    let mut event = None;
    let mut undo = Some(("task_updateTask", json!({"taskId": task.id})));
    if let Some(to) = args.status.filter(|to| *to != before.status) {
        let change = status::change(&context, &mut task, to).await?;
        event = change.event(&context, &task);
        writes = change.writes;
        changed.push("status".to_owned());
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
        let problem = "is as asked for already: give a field another value.";
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
    let action = format!("Changed {} of task \"{}\"", changed.join(", "), task.title);
    let flow = Flow::of_stored(task.tainted);
    let score = Score::new(&task, today, &context.zone());
    let updated = Updated {
        task: TaskView::new(task, score),
        changed,
    };
    let output = ToolOutput::data(&updated)?
        .with_effect(action, writes)
        .at_place(text::among_tasks())
        .bringing(flow);
    Ok(match undo {
        Some((tool, mut arguments)) => {
            if let Some(arguments) = arguments.as_object_mut() {
                arguments.extend(old);
            }
            output.undone_by(tool, arguments)
        }
        None => output,
    })
}

impl Arguments {
    /// Everything but the status.
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

/// What changed, as the arguments that change it back.
fn old_values(before: &Task, after: &Task) -> Map<String, Value> {
    let due = before
        .due_date
        .map_or_else(|| NO_DATE.to_owned(), |date| date.to_string());
    [
        ("title", before.title != after.title, json!(before.title)),
        (
            "description",
            before.description != after.description,
            json!(before.description),
        ),
        (
            "estimatedMinutes",
            before.estimated_minutes != after.estimated_minutes,
            json!(before.estimated_minutes),
        ),
        (
            "priority",
            before.priority != after.priority,
            json!(before.priority),
        ),
        ("dueDate", before.due_date != after.due_date, json!(due)),
    ]
    .into_iter()
    .filter(|(_, changed, _)| *changed)
    .map(|(name, _, old)| (name.to_owned(), old))
    .collect()
}

#[cfg(test)]
#[path = "update_task_tests.rs"]
mod tests;
