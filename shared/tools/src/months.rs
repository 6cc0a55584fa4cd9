//! Rows in monthly partitions; the sort key begins with the time.

use alfred_core::ports::{Direction, Item, Key, Query, Range};
use jiff::Span;
use serde::de::DeserializeOwned;

use crate::prelude::*;

/// The current month and the twelve before it.
pub const MONTHS: usize = 13;

#[derive(Debug)]
pub struct Newest<T> {
    pub items: Vec<T>,
    /// Rows that can't be decoded, such as those of a newer release. They are left out of `items`.
    pub unreadable: usize,
}

/// The write of a row under `at`. Repeating it with the same `id` overwrites the same row.
pub fn write(partition: String, at: Timestamp, id: &str, row: &impl Serialize) -> Result<Write> {
    let key = Key::state(partition, format!("{at}#{id}"));
    let body = serde_json::to_value(row).map_err(Failure::bug)?;
    Ok(Write::put(key, None, body))
}

/// The newest rows, back to `since` and at most `MONTHS`. Reads at most `most` rows.
pub async fn newest<T: DeserializeOwned>(
    context: &ToolContext,
    partition: impl Fn(Timestamp) -> String,
    since: Timestamp,
    most: usize,
) -> Result<Newest<T>> {
    let mut found = Newest {
        items: Vec::new(),
        unreadable: 0,
    };
    let oldest = since.to_string();
    let mut month = context.now.to_zoned(TimeZone::UTC);
    for _ in 0..MONTHS {
        let mut query = Query::state(partition(month.timestamp()), Range::All);
        query.direction = Direction::Backward;
        loop {
            query.limit = most.saturating_sub(found.items.len() + found.unreadable);
            if query.limit == 0 {
                return Ok(found);
            }
            let page = context.store.query(&query).await?;
            for item in page.items {
                if item.key.range < oldest {
                    return Ok(found);
                }
                found.add(item);
            }
            match page.cursor {
                Some(cursor) => query.cursor = Some(cursor),
                None => break,
            }
        }
        let first = month.first_of_month().and_then(|day| day.start_of_day());
        match first.and_then(|first| first.checked_sub(Span::new().seconds(1))) {
            Ok(before) if before.timestamp() >= since => month = before,
            _ => break,
        }
    }
    Ok(found)
}

impl<T: DeserializeOwned> Newest<T> {
    fn add(&mut self, item: Item) {
        match serde_json::from_value(item.body) {
            Ok(read) => self.items.push(read),
            // The error isn't logged: it may quote the row.
            Err(_) => {
                tracing::warn!(store.key = ?item.key, "a row that this release can't read is left out");
                self.unreadable += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;
    use std::collections::BTreeMap;

    #[tokio::test]
    async fn an_unreadable_row_counts_toward_the_limit() {
        let harness = ToolHarness::at("2026-11-21T12:00:00Z");
        for (at, row) in [("10", json!({"n": 1})), ("11", json!({"n": "newer"}))] {
            let at = format!("2026-11-21T{at}:00:00Z").parse().unwrap();
            let write = write("rows".into(), at, "r", &row).unwrap();
            harness.put(write).await;
        }
        for (most, readable) in [(1, 0), (2, 1)] {
            let (context, rows) = (&harness.context, |_| "rows".into());
            let found = newest::<BTreeMap<String, u8>>(context, rows, Timestamp::MIN, most);
            let found = found.await.unwrap();
            assert_eq!((found.items.len(), found.unreadable), (readable, 1));
        }
    }
}
