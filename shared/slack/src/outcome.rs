//! Outcomes, carried through slack-morphism as the cause of its errors.

use alfred_core::ports::ChatError;
use slack_morphism::errors::{SlackClientError, SlackClientHttpProtocolError};
use std::time::Duration;

pub(super) fn not_sent(detail: impl Into<String>) -> SlackClientError {
    let detail = detail.into();
    carried(ChatError::NotSent { detail })
}

pub(super) fn unknown(detail: impl Into<String>) -> SlackClientError {
    let detail = detail.into();
    carried(ChatError::Unknown { detail })
}

pub(super) fn limited(retry_after: Duration) -> SlackClientError {
    carried(ChatError::RateLimited { retry_after })
}

/// The method is added by `chat_error`.
pub(super) fn refused(code: impl Into<String>) -> SlackClientError {
    carried(ChatError::Refused {
        method: "",
        code: code.into(),
    })
}

fn carried(cause: ChatError) -> SlackClientError {
    let error = SlackClientHttpProtocolError::new().with_cause(Box::new(cause));
    SlackClientError::HttpProtocolError(error)
}

/// Only a failed connection certainly sent nothing.
pub(super) fn lost(error: reqwest::Error) -> SlackClientError {
    let never_left = error.is_connect() || error.is_builder();
    let detail = describe(&error.without_url());
    if never_left {
        not_sent(detail)
    } else {
        unknown(detail)
    }
}

/// An error with its causes, which reqwest's own text omits.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// The outcome of a call, with its method.
pub(super) fn chat_error(method: &'static str, error: SlackClientError) -> ChatError {
    let SlackClientError::HttpProtocolError(SlackClientHttpProtocolError { cause: Some(cause) }) =
        error
    else {
        return ChatError::Unknown {
            detail: format!("{method}: {error}"),
        };
    };
    match cause.downcast::<ChatError>().map(|ours| *ours) {
        Ok(ChatError::NotSent { detail }) => ChatError::NotSent {
            detail: format!("{method}: {detail}"),
        },
        Ok(ChatError::Unknown { detail }) => ChatError::Unknown {
            detail: format!("{method}: {detail}"),
        },
        Ok(ChatError::Refused { code, .. }) => ChatError::Refused { method, code },
        Ok(limited @ ChatError::RateLimited { .. }) => limited,
        // The library's only other error: an invalid URL.
        Err(cause) => ChatError::NotSent {
            detail: format!("{method}: {cause}"),
        },
    }
}
