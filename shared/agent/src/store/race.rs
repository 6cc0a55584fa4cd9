use alfred_core::{Failure, Result};

use crate::store::journal::CommitError;

/// Also limits parallel calls of a turn that write the same item.
const MAX_CONFLICT_RETRIES: u32 = 100;

#[derive(Debug)]
pub struct Race {
    over: &'static str,
    lost: u32,
}

impl Race {
    /// `over` names the contended item in errors.
    pub fn over(over: &'static str) -> Self {
        Self { over, lost: 0 }
    }

    /// False for a conflict; then read again and repeat.
    pub fn won<E: Into<CommitError>>(&mut self, done: Result<(), E>) -> Result<bool> {
        match done.map_err(Into::into) {
            Ok(()) => Ok(true),
            Err(CommitError::Conflict(_)) => self.lost().map(|()| false),
            Err(other) => Err(other.into()),
        }
    }

    /// `Retry` after too many conflicts.
    pub fn lost(&mut self) -> Result<()> {
        self.lost += 1;
        if self.lost < MAX_CONFLICT_RETRIES {
            return Ok(());
        }
        Err(Failure::retry(format!("{} is contended", self.over)))
    }
}
