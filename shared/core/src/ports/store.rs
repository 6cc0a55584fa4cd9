//! The port to the state store: items with a partition and a range key, in atomic commits.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashSet;
use thiserror::Error;
use uuid::Uuid;

use super::{Body, Ids, Page, Query};

/// Maximum writes per commit (DynamoDB's `TransactWriteItems`).
pub const MAX_WRITES: usize = 100;
/// Maximum bytes per commit: 4 MB (DynamoDB's `TransactWriteItems`).
pub const MAX_COMMIT_BYTES: usize = 4_000_000;
/// Maximum bytes per item. Slightly below DynamoDB's 400 KB, which include the keys.
pub const MAX_ITEM_BYTES: usize = 390_000;

/// A table. `Audit` only accepts writes that require `Absent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// Runs, sessions, users, tasks, blocks, timers.
    State,
    Audit,
}

/// The address of an item. The module `keys` describes the format.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub table: Table,
    /// Items of a partition are sorted and read together.
    pub partition: String,
    pub range: String,
}

impl Key {
    pub fn state(partition: impl Into<String>, range: impl Into<String>) -> Self {
        Self {
            table: Table::State,
            partition: partition.into(),
            range: range.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub key: Key,
    /// 1 when first written; incremented by each write.
    pub version: u64,
    /// A JSON object. In a query's page, a string holds a corrupt body as stored.
    pub body: Value,
    /// From then on the item isn't returned any more. Precision is one second.
    pub expires_at: Option<Timestamp>,
}

impl Item {
    /// Parses the body; `what` names the type in errors. Fails with `Corrupt` if it doesn't fit.
    pub fn decode<T: DeserializeOwned>(self, what: &str) -> Result<T, StoreError> {
        serde_json::from_value(self.body).map_err(|error| StoreError::Corrupt {
            detail: format!("{:?} is no {what}: {error}", self.key),
        })
    }

    /// Checks that the body is an object. Fails with `Corrupt` otherwise; the error contains none of the
    /// stored text.
    pub fn readable(self) -> Result<Self, StoreError> {
        if self.body.is_object() {
            return Ok(self);
        }
        Err(StoreError::Corrupt {
            detail: format!("{:?}: its body is no JSON object", self.key),
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The item doesn't exist or has expired.
    Absent,
    /// The item exists with this version.
    Version(u64),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Put {
        /// A JSON object.
        body: Body,
        expires_at: Option<Timestamp>,
    },
    Delete,
    Check,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    pub key: Key,
    /// The condition; `None` for unconditional.
    pub condition: Option<Condition>,
    pub op: Op,
}

impl Write {
    /// Creates an item; fails if it exists.
    pub fn create(key: Key, body: impl Into<Body>) -> Self {
        Self::put(key, Some(Condition::Absent), body)
    }

    /// Replaces an item that was read at `version`.
    pub fn replace(key: Key, version: u64, body: impl Into<Body>) -> Self {
        Self::put(key, Some(Condition::Version(version)), body)
    }

    /// Creates an item for version 0, otherwise replaces that version.
    pub fn over(key: Key, version: u64, body: impl Into<Body>) -> Self {
        match version {
            0 => Self::create(key, body),
            version => Self::replace(key, version, body),
        }
    }

    pub fn put(key: Key, condition: Option<Condition>, body: impl Into<Body>) -> Self {
        Self {
            key,
            condition,
            op: Op::Put {
                body: body.into(),
                expires_at: None,
            },
        }
    }

    pub fn delete(key: Key, condition: Option<Condition>) -> Self {
        Self {
            key,
            condition,
            op: Op::Delete,
        }
    }

    /// Sets the expiry to `keep` after `from`; no expiry if that is out of range.
    pub fn kept(self, from: Timestamp, keep: SignedDuration) -> Self {
        match from.saturating_add(keep) {
            Ok(at) => self.expiring(at),
            Err(_) => self,
        }
    }

    pub fn expiring(mut self, at: Timestamp) -> Self {
        if let Op::Put { expires_at, .. } = &mut self.op {
            *expires_at = Some(at);
        }
        self
    }
}

/// Writes that succeed or fail together.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Stored with each written item. If a condition fails on an item with this same id, the commit
    /// had succeeded before and only its answer was lost.
    pub id: Uuid,
    /// At most `MAX_WRITES` writes, one per item, with at most `MAX_COMMIT_BYTES` in total.
    pub writes: Vec<Write>,
}

impl Commit {
    pub fn new(ids: &dyn Ids, writes: Vec<Write>) -> Self {
        let id = ids.uuid();
        Self { id, writes }
    }

    /// Checks the limits before anything is sent. Fails with `StoreError::Refused` with the limit that is
    /// exceeded.
    pub fn validate(&self) -> Result<(), StoreError> {
        let refuse = |reason: String| Err(StoreError::Refused { reason });
        if self.writes.is_empty() {
            return refuse("a commit without writes".into());
        }
        if self.writes.len() > MAX_WRITES {
            return refuse(format!(
                "{} writes in one commit, at most {MAX_WRITES}",
                self.writes.len()
            ));
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
                let size = body.len();
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
            return refuse(format!(
                "{total} bytes in one commit, at most {MAX_COMMIT_BYTES}"
            ));
        }
        Ok(())
    }
}

#[derive(Debug, Error)]
pub enum StoreError {
    /// A condition failed; nothing was written.
    #[error("condition failed on {key:?}")]
    Conflict {
        /// The first item whose condition failed.
        key: Key,
    },
    /// Transaction conflicts or throttling continued after the adapter's retries; nothing was written.
    #[error("contended: {detail}")]
    Contended { detail: String },
    /// The store gave no answer, so a commit may have succeeded. Repeat it with the same id.
    #[error("store unavailable: {detail}")]
    Unavailable { detail: String },
    /// The request exceeds a limit; nothing was sent.
    #[error("refused: {reason}")]
    Refused { reason: String },
    #[error("corrupt: {detail}")]
    Corrupt { detail: String },
}

/// The state store. Reads are strongly consistent. Expired items are never returned, even before
/// they are deleted.
#[async_trait]
pub trait Store: Send + Sync {
    /// Reads an item; `Corrupt` if its body can't be parsed.
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError>;
    /// Reads a page of a partition. Items with corrupt bodies are included, so that they don't hide others.
    async fn query(&self, query: &Query) -> Result<Page, StoreError>;
    /// Executes all writes or none. Repeating a commit with the same id is safe.
    async fn commit(&self, commit: &Commit) -> Result<(), StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn commit(writes: Vec<Write>) -> Commit {
        Commit {
            id: Uuid::nil(),
            writes,
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
