//! Pages of a partition.

use alfred_core::ports::{Cursor, Direction, Item, Key, Page, Query, Range};
use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::{Stored, number};
use crate::database::text;

/// A page ends after this many bytes of bodies, as DynamoDB's does. So memory stays bounded, and a caller that ignores
/// cursors fails on both sides.
const PAGE_BYTES: usize = 1_000_000;

/// The first text of the query, and the first one after it.
fn bounds(query: &Query) -> (String, Option<String>) {
    // No text is between a text and the same text with a NUL.
    let after = |text: &str| format!("{text}\0");
    let (mut low, mut high) = match &query.range {
        Range::All => (String::new(), None),
        Range::Prefix(prefix) => (prefix.clone(), successor(prefix)),
        Range::Between(low, high) => (low.clone(), Some(after(high))),
    };
    if let Some(Cursor(last)) = &query.cursor {
        match query.direction {
            Direction::Forward => low = after(last),
            Direction::Backward => high = Some(last.clone()),
        }
    }
    (low, high)
}

/// The least text above every text with this prefix, if there is one. UTF-8 sorts by code points, so this increments
/// the last character that has a successor.
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

pub(super) fn page(connection: &Connection, query: &Query, now: i64) -> rusqlite::Result<Page> {
    let order = match query.direction {
        Direction::Forward => "ASC",
        Direction::Backward => "DESC",
    };
    let mut select = connection.prepare_cached(&format!(
        "SELECT version, body, expires, range FROM items
         WHERE tbl = ?1 AND part = ?2 AND range >= ?3 AND range < ?4
         AND (expires IS NULL OR expires > ?5) ORDER BY range {order}"
    ))?;
    let (table, partition, (low, high)) = (number(query.table), &query.partition, bounds(query));
    // SQLite sorts every blob after every text.
    let high = high.map_or(Value::Blob(Vec::new()), Value::Text);
    let mut rows = select.query(params![table, partition, low, high, now])?;
    let (mut items, mut bytes): (Vec<Item>, usize) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        if items.len() == query.limit || bytes > PAGE_BYTES {
            let cursor = items.last().map(|item| Cursor(item.key.range.clone()));
            return Ok(Page { items, cursor });
        }
        let stored = Stored::read(row)?;
        bytes += stored.body.len();
        let key = Key {
            table: query.table,
            partition: partition.clone(),
            range: text(row, 3)?,
        };
        items.push(stored.item(key));
    }
    let cursor = None;
    Ok(Page { items, cursor })
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
