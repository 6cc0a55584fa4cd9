//! Stores tasks: one item per task, as JSON.

use alfred_core::id::TaskId;
use alfred_core::keys;
use alfred_core::ports::{Condition, Query, Range, Write};
use alfred_planner::{Task, TaskStatus};

use crate::fields::{self, Labelled};
use crate::prelude::*;
use crate::resolve_by_title::{ambiguous, resolve_by_title};

/// Lists the asking person's tasks, oldest first. Reads all pages.
pub async fn list(context: &ToolContext) -> Result<Vec<Task>, ToolError> {
    Ok(unversioned(query(context, Range::All).await?))
}

/// Like [`list`], with the version of each item.
pub async fn list_stored(context: &ToolContext) -> Result<Vec<(Task, u64)>, ToolError> {
    query(context, Range::All).await
}

/// Returns the person's tasks with these ids, in one query.
pub async fn find(context: &ToolContext, ids: &[&TaskId]) -> Result<Vec<Task>, ToolError> {
    Ok(unversioned(find_stored(context, ids).await?))
}

/// Like [`find`], with the version of each item.
pub async fn find_stored(
    context: &ToolContext,
    ids: &[&TaskId],
) -> Result<Vec<(Task, u64)>, ToolError> {
    let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) else {
        return Ok(Vec::new());
    };
    // Ids sort by time, so the tasks of one day's blocks are close together.
    let range = Range::Between(first.to_string(), last.to_string());
    let mut tasks = query(context, range).await?;
    tasks.retain(|(task, _)| ids.contains(&&task.id));
    Ok(tasks)
}

/// Finds a task by id or by words of its title. Fails if none or several match; `field` names the argument.
pub async fn get(context: &ToolContext, field: &str, text: &str) -> Result<(Task, u64), ToolError> {
    Lookup::new(context).get(field, text).await
}

/// Looks up several tasks, and reads the whole list at most once.
pub struct Lookup<'a> {
    context: &'a ToolContext,
    all: Option<Vec<(Task, u64)>>,
}

impl<'a> Lookup<'a> {
    pub const fn new(context: &'a ToolContext) -> Self {
        Self { context, all: None }
    }

    pub async fn get(&mut self, field: &str, text: &str) -> Result<(Task, u64), ToolError> {
        let found = match fields::id(field, text, "tsk_") {
            Ok(id) => by_id(self.context, &TaskId(id)).await?,
            Err(_) => self.named(field, text).await?,
        };
        let none = || fields::refused(field, text, "isn't among the tasks.");
        found.ok_or_else(|| none().hint("task_viewTasks gives the ids."))
    }

    /// Prefers open tasks over completed ones.
    async fn named(&mut self, field: &str, words: &str) -> Result<Option<(Task, u64)>, ToolError> {
        if words.trim().is_empty() {
            let problem = "is empty: say which task.";
            return Err(fields::refused(field, words, problem));
        }
        let all = match &mut self.all {
            Some(all) => all,
            none => none.insert(query(self.context, Range::All).await?),
        };
        let (done, open): (Vec<_>, Vec<_>) = all
            .iter()
            .partition(|(task, _)| task.status == TaskStatus::Completed);
        let mut found = resolve_by_title(open, words, |(task, _)| &task.title);
        if found.is_empty() {
            found = resolve_by_title(done, words, |(task, _)| &task.title);
        }
        match found.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some((*one).clone())),
            several => {
                let things: Vec<_> = several.iter().map(|(task, _)| label(task)).collect();
                let titles = several.iter().map(|(task, _)| super::line(task));
                Err(ambiguous(field, words, &things).offering(titles))
            }
        }
    }
}

/// Omits a tainted title, because errors of the task tools don't taint the run.
fn label(task: &Task) -> Labelled {
    let label = match task.tainted {
        true => "a task".to_owned(),
        false => format!("\"{}\"", task.title),
    };
    (label, task.id.to_string())
}

async fn by_id(context: &ToolContext, id: &TaskId) -> Result<Option<(Task, u64)>, ToolError> {
    let key = keys::task(&context.team, context.user_id(), id);
    let Some(item) = context.store.get(&key).await? else {
        return Ok(None);
    };
    let version = item.version;
    Ok(Some((item.decode("task")?, version)))
}

/// The fields that show whether the person has changed the task.
pub fn left(task: &Task) -> Value {
    json!({
        "title": task.title,
        "description": task.description,
        "estimatedMinutes": task.estimated_minutes,
        "priority": task.priority,
        "dueDate": task.due_date,
        "status": task.status,
        "block": task.block_id,
    })
}

pub fn create(context: &ToolContext, task: &Task) -> Result<Write, ToolError> {
    let key = keys::task(&context.team, context.user_id(), &task.id);
    let body = serde_json::to_value(task).map_err(Failure::bug)?;
    Ok(Write::create(key, body))
}

pub fn replace(context: &ToolContext, task: &Task, version: u64) -> Result<Write, ToolError> {
    let key = keys::task(&context.team, context.user_id(), &task.id);
    let body = serde_json::to_value(task).map_err(Failure::bug)?;
    Ok(Write::replace(key, version, body))
}

pub fn delete(context: &ToolContext, task: &Task, version: u64) -> Write {
    let key = keys::task(&context.team, context.user_id(), &task.id);
    Write::delete(key, Some(Condition::Version(version)))
}

fn unversioned(tasks: Vec<(Task, u64)>) -> Vec<Task> {
    tasks.into_iter().map(|(task, _)| task).collect()
}

async fn query(context: &ToolContext, range: Range) -> Result<Vec<(Task, u64)>, ToolError> {
    let query = Query::state(keys::tasks(&context.team, context.user_id()), range);
    let items = query.all(&*context.store).await?.into_iter();
    let tasks = items.map(|item| {
        let version = item.version;
        Ok((item.decode("task")?, version))
    });
    tasks.collect()
}
