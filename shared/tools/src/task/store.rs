//! The rows of tasks: one item each, a `Task` as JSON.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::Failure;
use alfred_core::id::TaskId;
use alfred_core::keys;
use alfred_core::ports::{Condition, Item, Query, Range, StoreError, Write};
use alfred_planner::Task;

use crate::fields;

/// All tasks of the asking person, oldest first. Reads all pages.
///
/// # Errors
/// What the store says, or `Corrupt` for a row that is no task.
pub async fn list(context: &ToolContext) -> Result<Vec<Task>, ToolError> {
    Ok(unversioned(query(context, Range::All).await?))
}

/// Those of the asking person's tasks that are among these; in one query, none without ids.
///
/// # Errors
/// As `list`.
pub async fn find(context: &ToolContext, ids: &[&TaskId]) -> Result<Vec<Task>, ToolError> {
    Ok(unversioned(find_stored(context, ids).await?))
}

/// The same, each with the version of its row.
///
/// # Errors
/// As `list`.
pub async fn find_stored(
    context: &ToolContext,
    ids: &[&TaskId],
) -> Result<Vec<(Task, u64)>, ToolError> {
    let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) else {
        return Ok(Vec::new());
    };
    // Ids sort by time, so the tasks of one day's blocks lie close together.
    let range = Range::Between(first.to_string(), last.to_string());
    let mut tasks = query(context, range).await?;
    tasks.retain(|(task, _)| ids.contains(&&task.id));
    Ok(tasks)
}

/// One of the asking person's tasks by its id, which stands in `field`.
///
/// # Errors
/// `Failed` for an id that is none of theirs, else as `list`.
pub async fn get(context: &ToolContext, field: &str, id: &str) -> Result<(Task, u64), ToolError> {
    let id = TaskId(fields::id(field, id, "tsk_").map_err(fields::invalid)?);
    let key = keys::task(&context.team, context.user_id(), &id);
    match context.store.get(&key).await? {
        Some(item) => {
            let version = item.version;
            Ok((decode(item)?, version))
        }
        None => {
            let problem = "is no task of the person's. task_viewTasks gives the ids.";
            Err(fields::refused(field, id.as_str(), problem))
        }
    }
}

/// The write of a new task.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn create(context: &ToolContext, task: &Task) -> Result<Write, ToolError> {
    let key = keys::task(&context.team, context.user_id(), &task.id);
    let body = serde_json::to_value(task).map_err(Failure::bug)?;
    Ok(Write::create(key, body))
}

/// The write of a task over the version that was read.
///
/// # Errors
/// As `create`.
pub fn replace(context: &ToolContext, task: &Task, version: u64) -> Result<Write, ToolError> {
    let key = keys::task(&context.team, context.user_id(), &task.id);
    let body = serde_json::to_value(task).map_err(Failure::bug)?;
    Ok(Write::replace(key, version, body))
}

/// The write that removes a task as it was read.
#[must_use]
pub fn delete(context: &ToolContext, task: &Task, version: u64) -> Write {
    let key = keys::task(&context.team, context.user_id(), &task.id);
    Write::delete(key, Some(Condition::Version(version)))
}

fn unversioned(tasks: Vec<(Task, u64)>) -> Vec<Task> {
    tasks.into_iter().map(|(task, _)| task).collect()
}

async fn query(context: &ToolContext, range: Range) -> Result<Vec<(Task, u64)>, ToolError> {
    let mut query = Query::state(keys::tasks(&context.team, context.user_id()), range);
    let mut tasks = Vec::new();
    loop {
        let page = context.store.query(&query).await?;
        for item in page.items {
            let version = item.version;
            tasks.push((decode(item)?, version));
        }
        match page.cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return Ok(tasks),
        }
    }
}

fn decode(item: Item) -> Result<Task, StoreError> {
    serde_json::from_value(item.body).map_err(|error| StoreError::Corrupt {
        detail: format!("{:?} is no task: {error}", item.key),
    })
}
