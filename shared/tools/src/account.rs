//! Maps errors of a person's connected accounts to what the run does with the tool call.

use alfred_agent::slack::connect::LACKED;
use alfred_core::ports::{AccountError, AccountService};

use crate::prelude::*;

/// Maps a look for an effect whose answer was lost. Only an unreachable provider is retried. For any other
/// error another look would give the same, so the result is `Unknown` and the owner is asked.
pub fn looked<T>(tool: &str, found: Result<Option<T>, AccountError>) -> Result<Result<T, Settled>> {
    match found {
        Ok(Some(there)) => Ok(Ok(there)),
        Ok(None) => Ok(Err(Settled::NotDone)),
        Err(away @ AccountError::NotReached { .. }) => Err(not_read(away)),
        Err(error) => {
            tracing::warn!(tool.name = tool, %error, "couldn't find out whether an effect happened");
            Ok(Err(Settled::Unknown))
        }
    }
}

/// For a call that only reads, or that may be repeated.
pub(crate) fn not_read(error: AccountError) -> ToolError {
    match error {
        AccountError::NotConnected(service) => lacking(service, text::account_not_connected),
        AccountError::Expired(service) => lacking(service, text::account_expired),
        AccountError::NotGranted(service) => lacking(service, text::account_not_granted),
        AccountError::Refused { reason } => ToolError::failed(reason),
        AccountError::NotReached {
            detail: reason,
            retry_after: after,
        } => ToolError::Stop(Failure::Retry { reason, after }),
        AccountError::Unknown { detail } => ToolError::Stop(Failure::retry(detail)),
    }
}

/// Names the unconnected service, so that its owner gets a button to connect it.
fn lacking(service: AccountService, words: fn(AccountService) -> String) -> ToolError {
    let error = ToolError::failed(words(service)).bringing(Flow::PRIVATE);
    error.with(LACKED, json!(service))
}

/// For a call that reaches other people. After a lost answer the run looks for the effect, never repeats it.
pub(crate) fn not_done(error: AccountError) -> ToolError {
    match error {
        AccountError::Unknown { detail } => ToolError::Unknown(detail),
        nothing => not_read(nothing),
    }
}
