//! Items of the state store, and writes to them.

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

use super::Body;

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

    /// Checks that the body is an object. Fails with `Corrupt` otherwise; the error contains none of the stored text.
    pub fn readable(self) -> Result<Self, StoreError> {
        if self.body.is_object() {
            return Ok(self);
        }
        let detail = format!("{:?}: its body is no JSON object", self.key);
        Err(StoreError::Corrupt { detail })
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
        let op = Op::Delete;
        Self { key, condition, op }
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
    /// The request exceeds a limit, or a right is missing; nothing was done.
    #[error("refused: {reason}")]
    Refused { reason: String },
    #[error("corrupt: {detail}")]
    Corrupt { detail: String },
}
