//! Pages of a partition.

use alfred_core::ports::{Cursor, Direction, Key, Page, Query, Range, StoreError};
use rusqlite::{Connection, params};

use super::{Stored, number};
use crate::database::{store_error, text};

/// A page ends behind this many bytes of bodies, as DynamoDB's does: memory
/// stays bounded, and a caller that ignores cursors fails on both sides.
const PAGE_BYTES: usize = 1_000_000;

struct Bounds {
    low: String,
    low_is_in: bool,
    high: Option<String>,
    high_is_in: bool,
}

impl Bounds {
    fn from_query(query: &Query) -> Self {
        let (low, high, high_is_in) = match &query.range {
            Range::All => (String::new(), None, false),
            Range::Prefix(prefix) => (prefix.clone(), successor(prefix), false),
            Range::Between(low, high) => (low.clone(), Some(high.clone()), true),
        };
        let mut bounds = Self {
            low,
            low_is_in: true,
            high,
            high_is_in,
        };
        if let Some(Cursor(last)) = &query.cursor {
            match query.direction {
                Direction::Forward => (bounds.low, bounds.low_is_in) = (last.clone(), false),
                Direction::Backward => {
                    (bounds.high, bounds.high_is_in) = (Some(last.clone()), false);
                }
            }
        }
        bounds
    }

    /// One of a few texts, so that the statement cache knows them.
    fn sql(&self, direction: Direction) -> String {
        let above = if self.low_is_in { ">=" } else { ">" };
        let below = match (&self.high, self.high_is_in) {
            (None, _) => "?4 IS NULL",
            (Some(_), true) => "range <= ?4",
            (Some(_), false) => "range < ?4",
        };
        let order = match direction {
            Direction::Forward => "ASC",
            Direction::Backward => "DESC",
        };
        format!(
            "SELECT version, body, expires, range FROM items
             WHERE tbl = ?1 AND part = ?2 AND range {above} ?3 AND {below}
             AND (expires IS NULL OR expires > ?5) ORDER BY range {order}"
        )
    }
}

/// The least text above every text with this prefix; `None` when there is none.
/// UTF-8 sorts by code points, so the last character that can grow does.
fn successor(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        let next = match last {
            // The code points between these two are no characters.
            '\u{D7FF}' => Some('\u{E000}'),
            other => char::from_u32(u32::from(other) + 1),
        };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

pub(super) fn page(connection: &Connection, query: &Query, now: i64) -> Result<Page, StoreError> {
    if query.limit == 0 {
        return Err(StoreError::Refused {
            reason: "a query of no items".into(),
        });
    }
    let bounds = Bounds::from_query(query);
    let mut select = connection
        .prepare_cached(&bounds.sql(query.direction))
        .map_err(store_error)?;
    let (table, partition) = (number(query.table), &query.partition);
    let mut rows = select
        .query(params![table, partition, bounds.low, bounds.high, now])
        .map_err(store_error)?;
    let (mut items, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next().map_err(store_error)? {
        if items.len() == query.limit || bytes > PAGE_BYTES {
            let last: Option<&alfred_core::ports::Item> = items.last();
            let cursor = last.map(|item| Cursor(item.key.range.clone()));
            return Ok(Page { items, cursor });
        }
        let stored = Stored::read(row).map_err(store_error)?;
        bytes += stored.body.len();
        let key = Key {
            table: query.table,
            partition: partition.clone(),
            range: text(row, 3).map_err(store_error)?,
        };
        items.push(stored.item(key));
    }
    Ok(Page {
        items,
        cursor: None,
    })
}

#[cfg(test)]
mod tests {
    use super::successor;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_text_is_below_the_successor_exactly_when_it_has_the_prefix(
            prefix in "[a-b\u{D7FF}\u{E000}\u{10FFFF}]{0,3}",
            text in "[a-b\u{D7FF}\u{E000}\u{10FFFF}]{0,5}",
        ) {
            let is_within = text >= prefix && successor(&prefix).is_none_or(|end| text < end);
            prop_assert_eq!(is_within, text.starts_with(&prefix));
        }
    }
}
