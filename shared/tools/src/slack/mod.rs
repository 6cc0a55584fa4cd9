//! Sends Slack messages to other people.

pub mod send_message;

mod message;
mod target;

#[cfg(test)]
pub(crate) mod office;
#[cfg(test)]
mod strict_tests;

use alfred_core::ports::ChatError;

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "slack",
    "send a message to a person or channel",
    "is writing a message…",
    "Writing to others",
    "look people up",
);

/// For a call that only reads: a failure changed nothing.
pub(crate) fn not_read(error: ChatError) -> ToolError {
    match error {
        ChatError::Refused { method, code } => {
            tracing::warn!(slack.method = method, slack.error = code, "Slack refuses");
            ToolError::failed(slack_refused(&code))
        }
        ChatError::RateLimited { retry_after } => ToolError::Stop(Failure::Retry {
            reason: "Slack limits the rate of calls".into(),
            after: Some(retry_after),
        }),
        passing => ToolError::Stop(Failure::retry(passing)),
    }
}

fn not_posted(error: ChatError) -> ToolError {
    if let ChatError::Unknown { detail } = error {
        return ToolError::Unknown(detail);
    }
    match not_read(error) {
        ToolError::Failed(why) => ToolError::failed(format!("not sent: {}", why.message)),
        other => other,
    }
}

fn slack_refused(code: &str) -> &'static str {
    match code {
        "channel_not_found" | "not_in_channel" => {
            "Alfred isn't in that conversation; somebody there has to invite it first."
        }
        "is_archived" => "that channel is archived.",
        "thread_not_found" | "cannot_reply_to_message" => "that thread isn't there any more.",
        "user_not_found" | "user_not_visible" | "user_disabled" | "cannot_dm_bot" => {
            "that person can't be written to in Slack."
        }
        "msg_too_long" | "invalid_blocks" | "invalid_blocks_format" | "msg_blocks_too_long" => {
            "the message is too long for Slack, or formatted in a way it doesn't take."
        }
        "missing_scope" | "not_allowed_token_type" | "no_permission" | "access_denied" => {
            "Alfred lacks a permission in Slack; an administrator has to give it."
        }
        "invalid_auth" | "not_authed" | "account_inactive" | "token_revoked" | "token_expired" => {
            "Alfred isn't connected to Slack properly; an administrator has to look at it."
        }
        code if code.starts_with("restricted_action") => {
            "the workspace's settings don't let Alfred write there."
        }
        _ => "Slack wouldn't take it.",
    }
}
