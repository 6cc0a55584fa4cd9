use alfred_loopback::{Failure, Faults, cut};
use axum::response::{IntoResponse, Response};
use std::ops::Deref;

use crate::error::ApiError;
use crate::state::GoogleLocal;

/// How a call fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Google's error; nothing happens.
    Error {
        status: u16,
        /// The `errors[].reason`: `rateLimitExceeded`, `backendError`, …
        reason: &'static str,
        /// Seconds.
        retry_after: Option<u64>,
    },
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then Google's error.
    ErrorAfter { status: u16 },
    /// It takes effect, then half an answer.
    GarbledAfter,
}

fn error(status: u16, reason: &'static str, retry_after: Option<u64>) -> Response {
    let error = ApiError::new(status, reason, "As was wished.");
    error.retry_after(retry_after).into_response()
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Error {
                status,
                reason,
                retry_after,
            } => Self::Before(error(status, reason, retry_after)),
            Fault::DropBefore => Self::Before(cut()),
            Fault::DropAfter => Self::After(cut()),
            Fault::ErrorAfter { status } => Self::After(error(status, "backendError", None)),
            Fault::GarbledAfter => Self::After("{\"id\": ".into_response()),
        }
    }
}

/// Calls are named by the ids of the discovery documents, such as `gmail.users.messages.list`; those of consent
/// are `oauth2.token` and `oauth2.revoke`.
impl Deref for GoogleLocal {
    type Target = Faults<Fault>;

    fn deref(&self) -> &Self::Target {
        &self.0.faults
    }
}
