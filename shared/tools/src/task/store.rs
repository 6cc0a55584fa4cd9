//! The rows of tasks: one item each, a `Task` as JSON.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::Failure;
use alfred_core::id::TaskId;
use alfred_core::keys;
use alfred_core::ports::{Item, Query, Range, StoreError, Write};
use alfred_planner::Task;

/// All tasks of the asking person, oldest first. Reads all pages.
///
/// # Errors
/// What the store says, or `Corrupt` for a row that is no task.
pub async fn list(context: &ToolContext) -> Result<Vec<Task>, ToolError> {
    query(context, Range::All).await
}

/// Those of the asking person's tasks that are among these; in one query, none without ids.
///
/// # Errors
/// As `list`.
pub async fn find(context: &ToolContext, ids: &[&TaskId]) -> Result<Vec<Task>, ToolError> {
    let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) else {
        return Ok(Vec::new());
    };
    // Ids sort by time, so the tasks of one day's blocks lie close together.
    let range = Range::Between(first.to_string(), last.to_string());
    let mut tasks = query(context, range).await?;
    tasks.retain(|task| ids.contains(&&task.id));
    Ok(tasks)
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

async fn query(context: &ToolContext, range: Range) -> Result<Vec<Task>, ToolError> {
    let mut query = Query::state(keys::tasks(&context.team, context.user_id()), range);
    let mut tasks = Vec::new();
    loop {
        let page = context.store.query(&query).await?;
        for item in page.items {
            tasks.push(decode(item)?);
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
