//! The port to the state store: items with a partition and a range key, in atomic commits.

use async_trait::async_trait;
use std::collections::HashSet;
use uuid::Uuid;

use super::{Condition, Ids, Item, Key, Op, Page, Query, StoreError, Table, Write};

/// Maximum writes per commit (DynamoDB's `TransactWriteItems`).
pub const MAX_WRITES: usize = 100;
/// Maximum bytes per commit: 4 MB (DynamoDB's `TransactWriteItems`).
pub const MAX_COMMIT_BYTES: usize = 4_000_000;
/// Maximum bytes per item. Slightly below DynamoDB's 400 KB, which include the keys.
pub const MAX_ITEM_BYTES: usize = 390_000;

/// Writes that succeed or fail together.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Stored with each written item. If a condition fails on an item with this same id, the commit
    /// had succeeded before and only its answer was lost.
    pub id: Uuid,
    /// At most `MAX_WRITES` writes, one per item, with at most `MAX_COMMIT_BYTES` in total.
    pub writes: Vec<Write>,
    /// A kill never loses the commit. A power cut may, along with later ones that set this flag too; the next one
    /// without it makes them all durable. Saves an fsync in SQLite; DynamoDB ignores it.
    pub defers_sync: bool,
}

impl Commit {
    pub fn new(ids: &dyn Ids, writes: Vec<Write>) -> Self {
        Self {
            id: ids.uuid(),
            writes,
            defers_sync: false,
        }
    }

    /// Checks the limits before anything is sent. Fails with `StoreError::Refused` with the limit that is exceeded.
    pub fn validate(&self) -> Result<(), StoreError> {
        let refuse = |reason: String| Err(StoreError::Refused { reason });
        if self.writes.is_empty() {
            return refuse("a commit without writes".into());
        }
        if self.writes.len() > MAX_WRITES {
            let n = self.writes.len();
            return refuse(format!("{n} writes in one commit, at most {MAX_WRITES}"));
        }
        let mut seen = HashSet::new();
        let mut total = 0;
        for write in &self.writes {
            if !seen.insert(&write.key) {
                return refuse(format!("one item twice in a commit: {:?}", write.key));
            }
            if write.key.table == Table::Audit
                && (write.condition != Some(Condition::Absent) || write.op == Op::Delete)
            {
                return refuse("the audit table only takes new items".into());
            }
            if let Op::Put { body, .. } = &write.op {
                if !body.is_object() {
                    return refuse(format!("the body of {:?} is no JSON object", write.key));
                }
                let size = body.byte_len();
                if size > MAX_ITEM_BYTES {
                    return refuse(format!(
                        "{:?} has {size} bytes, at most {MAX_ITEM_BYTES}",
                        write.key
                    ));
                }
                total += size;
            }
        }
        if total > MAX_COMMIT_BYTES {
            let reason = format!("{total} bytes in one commit, at most {MAX_COMMIT_BYTES}");
            return refuse(reason);
        }
        Ok(())
    }
}

/// The state store. Reads are strongly consistent. Expired items are never returned, even before they are deleted.
#[async_trait]
pub trait Store: Send + Sync {
    /// Reads an item; `Corrupt` if its body can't be parsed.
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError>;
    /// Reads a page of a partition. Items with corrupt bodies are included, so that they don't hide others.
    async fn query(&self, query: &Query) -> Result<Page, StoreError>;
    /// Executes all writes or none. Repeating a commit with the same id is safe.
    async fn commit(&self, commit: &Commit) -> Result<(), StoreError>;
}

impl Query {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn commit(writes: Vec<Write>) -> Commit {
        Commit {
            id: Uuid::nil(),
            writes,
            defers_sync: false,
        }
    }

    #[test]
    fn limits_are_refused_with_their_reason() {
        let put = |n: usize| Write::create(Key::state("p", n.to_string()), json!({"n": n}));
        let reason = |c: Commit| c.validate().unwrap_err().to_string();
        assert!(reason(commit(vec![])).contains("without writes"));
        assert!(reason(commit((0..101).map(put).collect())).contains("101 writes"));
        assert!(reason(commit(vec![put(1), put(1)])).contains("twice"));
        let big = Write::create(Key::state("p", "b"), json!({"t": "x".repeat(400_000)}));
        assert!(reason(commit(vec![big])).contains("at most 390000"));
        let audit = Key {
            table: Table::Audit,
            ..Key::state("p", "a")
        };
        assert!(reason(commit(vec![Write::replace(audit, 1, json!({}))])).contains("audit"));
        assert!(commit((0..100).map(put).collect()).validate().is_ok());
    }
}
