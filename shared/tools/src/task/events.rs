//! The history of tasks, from which patterns are counted. Stored as one item per call, in monthly partitions.

use alfred_planner::TaskEvent;

use crate::months::{self, Newest, newest};
use crate::prelude::*;

#[derive(Serialize, Deserialize)]
struct Row {
    events: Vec<TaskEvent>,
}

/// Returns the write for the call's commit; `None` without events.
pub fn write(context: &ToolContext, events: Vec<TaskEvent>) -> Result<Option<Write>> {
    if events.is_empty() {
        return Ok(None);
    }
    let partition = keys::task_events(&context.team, context.user_id(), context.now);
    let (at, id, row) = (context.now, &context.call.key, Row { events });
    months::write(partition, at, id, &row).map(Some)
}

/// Lists events since `at`, newest calls first.
pub async fn since(context: &ToolContext, at: Timestamp, most: usize) -> Result<Newest<TaskEvent>> {
    let partition = |at| keys::task_events(&context.team, context.user_id(), at);
    let rows: Newest<Row> = newest(context, partition, at, most).await?;
    Ok(Newest {
        items: rows.items.into_iter().flat_map(|row| row.events).collect(),
        unreadable: rows.unreadable,
    })
}
