//! Why a call doesn't go on.

use alfred_core::Failure;

use crate::journal::CommitError;
use crate::step::Unclear;
use crate::tool::{Refusal, ToolError};

/// Why a call doesn't go on.
#[derive(Debug)]
pub enum CallError {
    /// It can't be done, or may not: this is its result.
    Refused {
        /// For the model.
        why: Refusal,
        /// Why there is no receipt, where that needs saying.
        unclear: Option<Unclear>,
    },
    /// The whole message goes back, or is a defect.
    Stop(Failure),
}

impl CallError {
    pub fn refused(unclear: Unclear, why: impl Into<Refusal>) -> Self {
        Self::Refused {
            why: why.into(),
            unclear: Some(unclear),
        }
    }

    /// The same of a call that its owner was asked about: they hear of any refusal.
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

/// Of a tool that only looked: nothing was begun whose outcome could be unknown.
impl From<ToolError> for CallError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Failed(why) => Self::Refused { why, unclear: None },
            ToolError::Unknown(detail) => Self::Stop(Failure::retry(detail)),
            ToolError::Stop(failure) => Self::Stop(failure),
        }
    }
}
