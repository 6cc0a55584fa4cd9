//! Workflows that were carried out: an item each, in months.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::Failure;
use alfred_core::keys;
use alfred_core::ports::{Direction, Query, Range, Write};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Months that are looked through.
pub const MONTHS: usize = 13;

/// A workflow that was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Executed {
    /// The call that did it.
    pub id: String,
    /// Which workflow.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was done.
    pub executed_at: Timestamp,
    /// `completed`, or `partial` when something of it didn't work.
    pub status: String,
    /// What it changed, as a sentence.
    pub outcome: String,
    /// What it gave.
    #[serde(default)]
    pub changes: Value,
}

/// The write that keeps one.
///
/// # Errors
/// `Bug` when it can't be written as JSON.
pub fn write(context: &ToolContext, executed: &Executed) -> Result<Write, ToolError> {
    let partition = keys::workflows(&context.team, context.user_id(), executed.executed_at);
    let range = format!("{}#{}", executed.executed_at, executed.id);
    let body = serde_json::to_value(executed).map_err(Failure::bug)?;
    Ok(Write::put(
        alfred_core::ports::Key::state(partition, range),
        None,
        body,
    ))
}

/// The newest items of monthly partitions, newest first, back to `since`, at most so many.
///
/// # Errors
/// What the store says; `Bug` for a row that can't be read.
pub async fn newest<T: DeserializeOwned>(
    context: &ToolContext,
    partition: impl Fn(Timestamp) -> String,
    since: Timestamp,
    most: usize,
) -> Result<Vec<T>, ToolError> {
    let mut found = Vec::new();
    let mut at = context.now;
    let mut seen = String::new();
    for _ in 0..MONTHS {
        let name = partition(at);
        if name != seen {
            let mut query = Query::state(name.clone(), Range::All);
            (query.direction, query.limit) =
                (Direction::Backward, most.saturating_sub(found.len()));
            for item in context.store.query(&query).await?.items {
                // Ranges begin with the moment.
                if item.key.range.as_str() < since.to_string().as_str() {
                    return Ok(found);
                }
                found.push(serde_json::from_value(item.body).map_err(Failure::bug)?);
            }
            seen = name;
        }
        let month = SignedDuration::from_hours(24 * 28);
        at = at.saturating_sub(month).unwrap_or(at);
        if found.len() >= most || at < since.saturating_sub(month).unwrap_or(since) {
            break;
        }
    }
    Ok(found)
}
