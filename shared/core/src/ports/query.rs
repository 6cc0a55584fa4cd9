//! What is read of a partition, a page at a time.

use super::{Item, Store, StoreError, Table};

/// Which items of a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Range {
    /// All of them.
    #[default]
    All,
    /// Those whose range key starts so.
    Prefix(String),
    /// Those between two range keys, both included.
    Between(String, String),
}

/// In which order of the range key (bytes of UTF-8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Ascending.
    #[default]
    Forward,
    /// Descending.
    Backward,
}

/// Where the next page starts. Opaque, and only good for the same query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A page of a partition.
#[derive(Clone, Debug)]
pub struct Query {
    /// The table.
    pub table: Table,
    /// The partition.
    pub partition: String,
    /// Which items.
    pub range: Range,
    /// At most so many.
    pub limit: usize,
    /// Where to go on.
    pub cursor: Option<Cursor>,
    /// In which order.
    pub direction: Direction,
}

impl Query {
    /// Everything in a partition of the state table, 1,000 items a page.
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

    /// The items of all its pages.
    ///
    /// # Errors
    /// When the store doesn't answer.
    pub async fn all(mut self, store: &dyn Store) -> Result<Vec<Item>, StoreError> {
        let mut found = Vec::new();
        loop {
            let page = store.query(&self).await?;
            found.extend(page.items);
            self.cursor = page.cursor;
            if self.cursor.is_none() {
                return Ok(found);
            }
        }
    }
}

/// One page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Items that haven't expired, in order. May be empty while there is a cursor.
    pub items: Vec<Item>,
    /// Where the next page starts; `None` at the end.
    pub cursor: Option<Cursor>,
}
