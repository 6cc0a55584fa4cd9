//! What mail and calendars answer, as what becomes of the call.

use alfred_agent::tool::ToolError;
use alfred_core::ports::AccountError;
use alfred_core::{Failure, text};

/// What a call that only looks, or may be made again, came to.
pub(crate) fn not_read(tool: &str, error: AccountError) -> ToolError {
    match error {
        AccountError::NotConnected(service) => {
            ToolError::failed(text::account_not_connected(tool, service))
        }
        AccountError::Refused { reason } => ToolError::failed(reason),
        AccountError::NotReached {
            detail,
            retry_after,
        } => ToolError::Stop(Failure::Retry {
            reason: detail,
            after: retry_after,
        }),
        AccountError::Unknown { detail } => ToolError::Stop(Failure::retry(detail)),
    }
}

/// What a call that reaches other people came to: without an answer it is
/// looked for, never blindly repeated.
pub(crate) fn not_done(tool: &str, error: AccountError) -> ToolError {
    match error {
        AccountError::Unknown { detail } => ToolError::Unknown(detail),
        nothing => not_read(tool, nothing),
    }
}
