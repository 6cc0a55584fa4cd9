//! Items that are kept by month: their ranges begin with the moment they are of.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::Failure;
use alfred_core::ports::{Direction, Query, Range};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde::de::DeserializeOwned;

/// Months that are looked through: a year and the one that has begun.
pub const MONTHS: usize = 13;

/// The newest items, newest first, back to `since` and no further than `MONTHS`; at most so many.
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
    let oldest = since.to_string();
    let mut month = context.now.to_zoned(TimeZone::UTC);
    for _ in 0..MONTHS {
        let mut query = Query::state(partition(month.timestamp()), Range::All);
        query.direction = Direction::Backward;
        loop {
            query.limit = most.saturating_sub(found.len());
            if query.limit == 0 {
                return Ok(found);
            }
            let page = context.store.query(&query).await?;
            for item in page.items {
                if item.key.range < oldest {
                    return Ok(found);
                }
                found.push(serde_json::from_value(item.body).map_err(Failure::bug)?);
            }
            match page.cursor {
                Some(cursor) => query.cursor = Some(cursor),
                None => break,
            }
        }
        let first = month
            .first_of_month()
            .and_then(|first| first.start_of_day());
        // The month before ends where this one begins.
        match first.and_then(|first| first.checked_sub(Span::new().seconds(1))) {
            Ok(before) if before.timestamp() >= since => month = before,
            _ => break,
        }
    }
    Ok(found)
}
