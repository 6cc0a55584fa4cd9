use alfred_core::Failure;

use crate::journal::CommitError;
use crate::step::Unclear;
use crate::tool::{Refusal, ToolError};

/// Why a call does not go on.
#[derive(Debug)]
pub enum CallError {
    /// The call can't or may not run; this becomes its result.
    Refused {
        /// Message for the model.
        why: Refusal,
        /// The reason to show in the ledger, which has no receipt for the call.
        unclear: Option<Unclear>,
    },
    /// The message goes back to its queue, or the run fails with a bug.
    Stop(Failure),
}

impl CallError {
    pub fn refused(unclear: Unclear, why: impl Into<Refusal>) -> Self {
        Self::Refused {
            why: why.into(),
            unclear: Some(unclear),
        }
    }

    /// For a call whose owner was asked: a refusal must be reported to them, so it gets a reason.
    pub fn after_asking(self) -> Self {
        match self {
            Self::Refused { why, unclear: None } => Self::refused(Unclear::Drifted, why),
            other => other,
        }
    }
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Stop(failure)
    }
}

impl From<CommitError> for CallError {
    fn from(error: CommitError) -> Self {
        Self::Stop(error.into())
    }
}

/// For tools that only read: an unknown outcome can be retried.
impl From<ToolError> for CallError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Failed(why) => Self::Refused { why, unclear: None },
            ToolError::Unknown(detail) => Self::Stop(Failure::retry(detail)),
            ToolError::Stop(failure) => Self::Stop(failure),
        }
    }
}
