//! State: items under a partition and a range key, written all-or-nothing.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashSet;
use thiserror::Error;
use uuid::Uuid;

use super::{Ids, Page, Query};

/// The most writes in one commit (DynamoDB's `TransactWriteItems`).
pub const MAX_WRITES: usize = 100;
/// The most bytes in one commit, 4 MB (DynamoDB's `TransactWriteItems`).
pub const MAX_COMMIT_BYTES: usize = 4_000_000;
/// The most bytes in one item, a little under DynamoDB's 400 KB to leave room for its keys.
pub const MAX_ITEM_BYTES: usize = 390_000;

/// Which table. `Audit` only ever takes writes that require `Absent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Table {
    /// Runs, sessions, users, tasks, blocks, timers.
    State,
    /// What was done, for whom, and why it was allowed.
    Audit,
}

/// Where an item is. The grammar of both parts is in `keys`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The table.
    pub table: Table,
    /// Items of one partition are stored, paged and sorted together.
    pub partition: String,
    /// The sort key within the partition.
    pub range: String,
}

impl Key {
    /// A key in the state table.
    pub fn state(partition: impl Into<String>, range: impl Into<String>) -> Self {
        Self {
            table: Table::State,
            partition: partition.into(),
            range: range.into(),
        }
    }
}

/// A stored item.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Where it is.
    pub key: Key,
    /// 1 when first written, one more with each write.
    pub version: u64,
    /// A JSON object. In a page it may be a text: what is stored isn't one, and this is it.
    pub body: Value,
    /// From this moment on it is never read again. Whole seconds count.
    pub expires_at: Option<Timestamp>,
}

impl Item {
    /// What its body holds; `what` names that in an error.
    ///
    /// # Errors
    /// `Corrupt` when it holds something else.
    pub fn decode<T: DeserializeOwned>(self, what: &str) -> Result<T, StoreError> {
        serde_json::from_value(self.body).map_err(|error| StoreError::Corrupt {
            detail: format!("{:?} is no {what}: {error}", self.key),
        })
    }

    /// The same, if its body is an object.
    ///
    /// # Errors
    /// `Corrupt` otherwise, without a word of what is stored.
    pub fn readable(self) -> Result<Self, StoreError> {
        if self.body.is_object() {
            return Ok(self);
        }
        Err(StoreError::Corrupt {
            detail: format!("{:?}: its body is no JSON object", self.key),
        })
    }
}

/// What must hold of an item for a commit to take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It isn't there, or has expired.
    Absent,
    /// It is there and has this version.
    Version(u64),
}

/// What is done with an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Replace it.
    Put {
        /// A JSON object.
        body: Value,
        /// When it expires.
        expires_at: Option<Timestamp>,
    },
    /// Remove it.
    Delete,
    /// Only check the condition.
    Check,
}

/// One write of a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// Where.
    pub key: Key,
    /// What must hold; `None` writes whatever is there.
    pub condition: Option<Condition>,
    /// What is done.
    pub op: Op,
}

impl Write {
    /// A new item.
    pub fn create(key: Key, body: Value) -> Self {
        Self::put(key, Some(Condition::Absent), body)
    }

    /// A new version of an item that was read at `version`.
    pub fn replace(key: Key, version: u64, body: Value) -> Self {
        Self::put(key, Some(Condition::Version(version)), body)
    }

    /// A new item at version 0, else a new version of the one that was read at it.
    pub fn over(key: Key, version: u64, body: Value) -> Self {
        match version {
            0 => Self::create(key, body),
            version => Self::replace(key, version, body),
        }
    }

    /// A put under a condition.
    pub fn put(key: Key, condition: Option<Condition>, body: Value) -> Self {
        Self {
            key,
            condition,
            op: Op::Put {
                body,
                expires_at: None,
            },
        }
    }

    /// A removal.
    pub fn delete(key: Key, condition: Option<Condition>) -> Self {
        Self {
            key,
            condition,
            op: Op::Delete,
        }
    }

    /// The same put, expiring so long after this moment; never, where that is beyond all time.
    pub fn kept(self, from: Timestamp, keep: SignedDuration) -> Self {
        match from.saturating_add(keep) {
            Ok(at) => self.expiring(at),
            Err(_) => self,
        }
    }

    /// The same put, expiring at this moment.
    pub fn expiring(mut self, at: Timestamp) -> Self {
        if let Op::Put { expires_at, .. } = &mut self.op {
            *expires_at = Some(at);
        }
        self
    }
}

/// Writes that take effect together or not at all.
#[derive(Clone, Debug)]
pub struct Commit {
    /// Stored with each item it writes: a failed condition whose stored commit
    /// id is this one is a success that timed out, not a lost race.
    pub id: Uuid,
    /// At most `MAX_WRITES`, one per item, `MAX_COMMIT_BYTES` together.
    pub writes: Vec<Write>,
}

impl Commit {
    /// These writes under a new id.
    pub fn new(ids: &dyn Ids, writes: Vec<Write>) -> Self {
        let id = ids.uuid();
        Self { id, writes }
    }

    /// What every side refuses before it sends anything.
    ///
    /// # Errors
    /// `StoreError::Refused` with the limit that was broken.
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
                let size = body.to_string().len();
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

/// Why the store said no.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Another writer was there first. Nothing was written.
    #[error("condition failed on {key:?}")]
    Conflict {
        /// The first item whose condition failed.
        key: Key,
    },
    /// Conflicts with running transactions or throttling, still after the adapter's retries. Nothing was written.
    #[error("contended: {detail}")]
    Contended {
        /// For the log.
        detail: String,
    },
    /// The store didn't answer. A commit may have taken effect: repeat it with the same id.
    #[error("store unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
    /// A limit of the store was broken by the caller; nothing was sent.
    #[error("refused: {reason}")]
    Refused {
        /// The limit.
        reason: String,
    },
    /// An `add` would pass its ceiling. Nothing was added.
    #[error("{field} of {key:?} would pass {ceiling}")]
    Ceiling {
        /// The counter.
        key: Key,
        /// Its field.
        field: String,
        /// What it may not pass.
        ceiling: i64,
    },
    /// What is stored can't be read.
    #[error("corrupt: {detail}")]
    Corrupt {
        /// What is wrong, and where.
        detail: String,
    },
}

/// State. Reads are strongly consistent; an expired item is absent even before it is swept.
#[async_trait]
pub trait Store: Send + Sync {
    /// One item; `Corrupt` when its body can't be read.
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError>;
    /// One page of a partition. An item whose body can't be read is in it, so that it hides no other.
    async fn query(&self, query: &Query) -> Result<Page, StoreError>;
    /// All writes or none. Repeating a commit with the same id is safe.
    async fn commit(&self, commit: &Commit) -> Result<(), StoreError>;
    /// Adds `n` to a number of an item, made if absent, and gives the new value.
    /// Fails with `Ceiling` when that would pass the ceiling. The expiry is that of a new item;
    /// one that is there keeps its own. Not safe to repeat after `Unavailable`.
    async fn add(
        &self,
        key: &Key,
        field: &str,
        n: i64,
        ceiling: Option<i64>,
        expires_at: Option<Timestamp>,
    ) -> Result<i64, StoreError>;
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
