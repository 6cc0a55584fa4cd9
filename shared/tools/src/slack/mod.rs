//! Writing to other people in Slack.

pub mod send_message;

mod links;
mod message;
mod target;

#[cfg(test)]
mod strict_tests;

use alfred_agent::tool::Toolset;
use alfred_core::ports::ChatError;

use crate::prelude::*;

/// These tools.
pub const TOOLSET: Toolset = Toolset::new(
    "slack",
    "send a message to a person or channel",
    "is writing a message…",
    "Writing to others",
    "look people up",
);

/// What a call that only looks came to: whatever it was, nothing happened.
pub(crate) fn not_read(error: ChatError) -> ToolError {
    match error {
        ChatError::Refused { method, code } => {
            tracing::warn!(
                slack.method = method,
                slack.error = code,
                "Slack won't be read"
            );
            ToolError::failed(text::slack_refused(&code))
        }
        passing => ToolError::Stop(later(passing)),
    }
}

/// What a post that failed came to.
fn not_posted(error: ChatError) -> ToolError {
    match error {
        ChatError::Refused { method, code } => {
            tracing::warn!(
                slack.method = method,
                slack.error = code,
                "Slack refuses a message"
            );
            ToolError::failed(format!("not sent: {}", text::slack_refused(&code)))
        }
        ChatError::Unknown { detail } => ToolError::Unknown(detail),
        nothing @ (ChatError::NotSent { .. } | ChatError::RateLimited { .. }) => {
            ToolError::Stop(later(nothing))
        }
    }
}

fn later(error: ChatError) -> Failure {
    match error {
        ChatError::RateLimited { retry_after } => Failure::Retry {
            reason: "Slack limits the rate of calls".into(),
            after: Some(retry_after),
        },
        other => Failure::retry(other),
    }
}
