//! Queries for the items of a partition.

use super::{Item, Table};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Range {
    #[default]
    All,
    Prefix(String),
    /// Range keys between two keys, inclusive.
    Between(String, String),
}

/// The order of the range keys, by UTF-8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Forward,
    Backward,
}

/// Where the next page starts. Opaque, and valid only for the same query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

#[derive(Clone, Debug)]
pub struct Query {
    pub table: Table,
    pub partition: String,
    pub range: Range,
    pub limit: usize,
    pub cursor: Option<Cursor>,
    pub direction: Direction,
}

impl Query {
    /// A query for the state table with pages of 1,000 items.
    pub fn state(partition: impl Into<String>, range: Range) -> Self {
        Self {
            table: Table::State,
            partition: partition.into(),
            range,
            limit: 1_000,
            cursor: None,
            direction: Direction::Forward,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Page {
    /// Unexpired items, in order. May be empty although there is a cursor.
    pub items: Vec<Item>,
    /// Where the next page starts; `None` after the last page.
    pub cursor: Option<Cursor>,
}
