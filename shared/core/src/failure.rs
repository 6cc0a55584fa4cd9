use std::time::Duration;
use thiserror::Error;

use crate::ports::{ChatError, StoreError, VaultError};

/// What a handler returns.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a handler didn't finish a message. `Display` is for logs; people only see `user_message`.
#[derive(Debug, Error)]
pub enum Failure {
    /// A temporary failure: the message goes back to its queue.
    #[error("retry: {reason}")]
    Retry {
        reason: String,
        /// Minimum delay; `None` for the queue's own delay.
        after: Option<Duration>,
    },
    /// Answered and dropped, since a retry would give the same result.
    #[error("rejected: {user_message}")]
    Reject { user_message: String },
    /// A bug or invalid data: the person gets a neutral message, and the message goes to the dead letter queue.
    #[error("bug: {detail}")]
    Bug { detail: String },
}

impl Failure {
    /// A temporary failure with the queue's own delay.
    pub fn retry(reason: impl ToString) -> Self {
        let (reason, after) = (reason.to_string(), None);
        Self::Retry { reason, after }
    }

    pub fn bug(detail: impl ToString) -> Self {
        let detail = detail.to_string();
        Self::Bug { detail }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        use StoreError as E;
        match error {
            E::Conflict { .. } | E::Contended { .. } | E::Unavailable { .. } => Self::retry(error),
            E::Refused { .. } | E::Corrupt { .. } => Self::bug(error),
        }
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Self {
        use ChatError as E;
        match error {
            E::RateLimited { retry_after } => Self::Retry {
                reason: error.to_string(),
                after: Some(retry_after),
            },
            E::NotSent { .. } | E::Unknown { .. } => Self::retry(error),
            E::Refused { .. } => Self::bug(error),
        }
    }
}

impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Self {
        match error {
            VaultError::Unavailable { .. } => Self::retry(error),
            VaultError::Taken { .. } | VaultError::Denied { .. } => Self::bug(error),
        }
    }
}
