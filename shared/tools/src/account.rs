//! What a person's accounts answer, as what becomes of the call.

use alfred_agent::connect::LACKED;
use alfred_agent::tool::Settled;
use alfred_core::ports::{AccountError, AccountService};

use crate::prelude::*;

/// What a look found, for an effect without an answer. Where nobody can tell, its owner is asked, also where
/// another look would be answered alike: only a provider that is away is looked at again.
pub(crate) fn looked<T>(
    tool: &str,
    found: Result<Option<T>, AccountError>,
) -> Result<Result<T, Settled>, ToolError> {
    match found {
        Ok(Some(there)) => Ok(Ok(there)),
        Ok(None) => Ok(Err(Settled::NotDone)),
        Err(away @ AccountError::NotReached { .. }) => Err(not_read(away)),
        Err(
            error @ (AccountError::Unknown { .. }
            | AccountError::Refused { .. }
            | AccountError::NotConnected(_)
            | AccountError::Expired(_)
            | AccountError::NotGranted(_)),
        ) => {
            tracing::warn!(
                tool.name = tool,
                %error,
                "a look can't tell what became of an effect"
            );
            Ok(Err(Settled::Unknown))
        }
    }
}

/// What a call that only looks, or may be made again, came to.
pub(crate) fn not_read(error: AccountError) -> ToolError {
    match error {
        AccountError::NotConnected(service) => {
            lacking(service, text::account_not_connected(service))
        }
        AccountError::Expired(service) => lacking(service, text::account_expired(service)),
        AccountError::NotGranted(service) => lacking(service, text::account_not_granted(service)),
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

/// Nothing was there to be read; its owner gets a button to connect it.
fn lacking(service: AccountService, words: String) -> ToolError {
    let error = ToolError::failed(words).bringing(Flow::PRIVATE);
    error.with(LACKED, json!(service))
}

/// What a call that reaches other people came to: without an answer it is
/// looked for, never blindly repeated.
pub(crate) fn not_done(error: AccountError) -> ToolError {
    match error {
        AccountError::Unknown { detail } => ToolError::Unknown(detail),
        nothing => not_read(nothing),
    }
}
