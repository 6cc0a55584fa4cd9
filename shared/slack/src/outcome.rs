//! Converts between outcomes and slack-morphism's errors.

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

fn carried(cause: ChatError) -> SlackClientError {
    let error = SlackClientHttpProtocolError::new().with_cause(Box::new(cause));
    SlackClientError::HttpProtocolError(error)
}

/// Only a failed connection certainly sent nothing.
pub(super) fn lost(error: reqwest::Error) -> SlackClientError {
    let never_left = error.is_connect() || error.is_builder();
    let detail = describe(&error.without_url());
    match never_left {
        true => not_sent(detail),
        false => unknown(detail),
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

pub(super) fn chat_error(method: &'static str, error: SlackClientError) -> ChatError {
    match error {
        SlackClientError::RateLimitError(limit) => ChatError::RateLimited {
            retry_after: limit.retry_after.unwrap_or(Duration::from_secs(1)),
        },
        SlackClientError::ApiError(refusal) => match refusal.code.as_str() {
            // Slack documents these as "some aspect of the operation may have succeeded".
            "internal_error" | "fatal_error" | "service_unavailable" => ChatError::Unknown {
                detail: format!("{method}: {}", refusal.code),
            },
            _ => ChatError::Refused {
                method,
                code: refusal.code,
            },
        },
        SlackClientError::HttpError(refusal) => ChatError::Refused {
            method,
            code: format!("http_{}", refusal.status_code.as_u16()),
        },
        SlackClientError::HttpProtocolError(SlackClientHttpProtocolError {
            cause: Some(cause),
        }) => {
            match cause.downcast() {
                Ok(ours) => named(method, *ours),
                // The library's only other error: an invalid URL.
                Err(cause) => ChatError::NotSent {
                    detail: format!("{method}: {cause}"),
                },
            }
        }
        other => ChatError::Unknown {
            detail: format!("{method}: {other}"),
        },
    }
}

fn named(method: &str, error: ChatError) -> ChatError {
    match error {
        ChatError::NotSent { detail } => ChatError::NotSent {
            detail: format!("{method}: {detail}"),
        },
        ChatError::Unknown { detail } => ChatError::Unknown {
            detail: format!("{method}: {detail}"),
        },
        other => other,
    }
}
