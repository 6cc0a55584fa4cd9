//! Which condition and version each write of a commit gets.

use alfred_core::ports::{Commit, Condition, Op, Write};

use super::{DynamoStore, Result};

pub(super) struct Planned<'a> {
    pub(super) write: &'a Write,
    /// The caller's, or for a put without one: that the item is as it was found.
    pub(super) condition: Option<Condition>,
}

impl Planned<'_> {
    /// Whether the caller asked for the condition, so that its failure is the caller's business.
    pub(super) fn is_asked_for(&self) -> bool {
        self.write.condition.is_some()
    }

    pub(super) fn next_version(&self) -> u64 {
        match self.condition {
            Some(Condition::Version(version)) => version.saturating_add(1),
            Some(Condition::Absent) | None => 1,
        }
    }
}

impl DynamoStore {
    /// The writes to send; `None` when the commit has already taken effect.
    pub(super) async fn plan<'a>(
        &self,
        commit: &'a Commit,
        now: i64,
    ) -> Result<Option<Vec<Planned<'a>>>> {
        let mut plan = Vec::with_capacity(commit.writes.len());
        for write in &commit.writes {
            let condition = match (&write.op, write.condition) {
                // Checks nothing.
                (Op::Check, None) => continue,
                (Op::Put { .. }, None) => match self.read_header(&write.key).await? {
                    Some(found) if found.is_by(commit.id) => return Ok(None),
                    Some(found) if !found.is_expired(now) => {
                        Some(Condition::Version(found.version))
                    }
                    _ => Some(Condition::Absent),
                },
                (_, condition) => condition,
            };
            plan.push(Planned { write, condition });
        }
        Ok(Some(plan))
    }
}
