//! What a handler that can't finish asks its runner to do.

use std::time::Duration;
use thiserror::Error;

/// The outcome of a message that wasn't handled to its end. `Display` is for
/// logs; people only ever see `user_message`.
#[derive(Debug, Error)]
pub enum Failure {
    /// Back to the queue: a passing fault. Nothing was lost.
    #[error("retry: {reason}")]
    Retry {
        /// For the log.
        reason: String,
        /// Not before this long from now; the queue's own delay when `None`.
        after: Option<Duration>,
    },
    /// Answer and drop: asking again would give the same.
    #[error("rejected: {user_message}")]
    Reject {
        /// What the person reads.
        user_message: String,
    },
    /// A defect, or data that can't be: neutral reply, and the dead-letter queue.
    #[error("bug: {detail}")]
    Bug {
        /// For the log.
        detail: String,
    },
}

impl Failure {
    /// A passing fault, tried again after the queue's own delay.
    pub fn retry(reason: impl ToString) -> Self {
        Self::Retry {
            reason: reason.to_string(),
            after: None,
        }
    }

    /// A defect.
    pub fn bug(detail: impl ToString) -> Self {
        Self::Bug {
            detail: detail.to_string(),
        }
    }
}

impl From<crate::ports::StoreError> for Failure {
    fn from(error: crate::ports::StoreError) -> Self {
        use crate::ports::StoreError as E;
        match error {
            E::Conflict { .. } | E::Contended { .. } | E::Unavailable { .. } => Self::retry(error),
            E::Refused { .. } | E::Ceiling { .. } | E::Corrupt { .. } => Self::bug(error),
        }
    }
}

impl From<crate::ports::ChatError> for Failure {
    fn from(error: crate::ports::ChatError) -> Self {
        use crate::ports::ChatError as E;
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

impl From<crate::ports::VaultError> for Failure {
    fn from(error: crate::ports::VaultError) -> Self {
        match error {
            crate::ports::VaultError::Unavailable { .. } => Self::retry(error),
            crate::ports::VaultError::Taken { .. } => Self::bug(error),
        }
    }
}

impl From<crate::ports::QueueError> for Failure {
    fn from(error: crate::ports::QueueError) -> Self {
        match error {
            crate::ports::QueueError::Unavailable { .. } => Self::retry(error),
            crate::ports::QueueError::Refused { .. } => Self::bug(error),
        }
    }
}
