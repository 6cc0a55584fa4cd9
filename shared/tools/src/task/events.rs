//! What happened to tasks: an item each call, in months. Patterns are counted from it.

use alfred_core::keys;
use alfred_core::ports::Write;
use alfred_planner::TaskEvent;

use crate::months::{self, Newest, newest};
use crate::prelude::*;

#[derive(Serialize, Deserialize)]
struct Row {
    events: Vec<TaskEvent>,
}

/// The write that keeps what a call makes happen; none for nothing. It goes into the call's commit.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn write(context: &ToolContext, events: Vec<TaskEvent>) -> Result<Option<Write>, ToolError> {
    if events.is_empty() {
        return Ok(None);
    }
    let partition = keys::task_events(&context.team, context.user_id(), context.now);
    let (at, id, row) = (context.now, &context.idempotency_key, Row { events });
    months::write(partition, at, id, &row).map(Some)
}

/// What happened since then, the newest calls first.
///
/// # Errors
/// As `newest`.
pub async fn since(
    context: &ToolContext,
    since: Timestamp,
    most: usize,
) -> Result<Newest<TaskEvent>, ToolError> {
    let partition = |at| keys::task_events(&context.team, context.user_id(), at);
    let rows: Newest<Row> = newest(context, partition, since, most).await?;
    Ok(Newest {
        items: rows.items.into_iter().flat_map(|row| row.events).collect(),
        unreadable: rows.unreadable,
    })
}
