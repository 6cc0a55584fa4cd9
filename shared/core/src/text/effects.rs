//! What people read about effects of tools: titles of cards, words of receipts.

use crate::invisible::shown_on_one_line;

/// Where a task is to be found.
pub fn in_backlog() -> &'static str {
    "your backlog"
}

/// Title of a card: a block goes.
pub fn delete_block_title() -> &'static str {
    "Delete a time block"
}

/// Title of a card: a task goes.
pub fn delete_task_title() -> &'static str {
    "Delete a task"
}

/// The title of a card.
pub fn update_task_title() -> &'static str {
    "Change a task"
}

/// The title of a card.
pub fn plan_tasks_title(count: usize) -> String {
    match count {
        1 => "Plan one task for a block".into(),
        more => format!("Plan {more} tasks for a block"),
    }
}

/// The title of a card.
pub fn create_blocks_title(count: usize) -> String {
    match count {
        1 => "Create one block".into(),
        more => format!("Create {more} blocks"),
    }
}

/// What becomes of a task whose block goes.
pub fn back_in_backlog() -> &'static str {
    "back in your backlog"
}

/// Title of a card: a message in Slack.
pub fn send_message_title() -> &'static str {
    "Send a Slack message"
}

/// What a message to one person is.
pub fn direct_message() -> &'static str {
    "direct message"
}

/// Under a message to others: for whom Alfred wrote it. The mention can't be
/// forged, as a name can. `name` is escaped.
pub fn sent_on_behalf(name: &str, user: &str) -> String {
    format!("Sent by {} for {name} (<@{user}>)", super::NAME)
}

/// Characters of a message that its receipt repeats.
const REPEATED_CHARS: usize = 80;

/// Receipt of a message: to whom, and how it begins.
pub fn sent_message(to: &str, text: &str) -> String {
    let line = shown_on_one_line(text);
    let mut short: String = line.chars().take(REPEATED_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    format!("Sent to {to}: “{short}”")
}

/// Why Slack wouldn't do it.
pub fn slack_refused(code: &str) -> &'static str {
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

/// A card's title.
pub fn complete_task_title() -> &'static str {
    "Mark a task as done"
}

/// A card's title.
pub fn move_block_title() -> &'static str {
    "Move a time block"
}

/// A card's title.
pub fn task_from_mail_title() -> &'static str {
    "Make a task of an e-mail"
}

/// A card's title.
pub fn archive_mail_title() -> &'static str {
    "Archive an e-mail"
}

/// A card's title.
pub fn draft_reply_title() -> &'static str {
    "Draft an e-mail reply"
}

/// A card's title.
pub fn call_off_title() -> &'static str {
    "Call a proposal off"
}

/// A card's title.
pub fn part_of_proposal_title() -> &'static str {
    "Show a part of a proposal again"
}

/// A card's title.
pub fn change_proposal_title() -> &'static str {
    "Change a proposal"
}

/// A card's title.
pub fn resume_title() -> &'static str {
    "Go on with what was left"
}

/// A card's title.
pub fn keep_feedback_title() -> &'static str {
    "Keep your feedback"
}

/// A card's title.
pub fn forget_title() -> &'static str {
    "Forget what was said in this conversation"
}

/// A card's title.
pub fn call_all_off_title() -> &'static str {
    "Call off the proposals that wait"
}

/// A card's title.
pub fn forget_all_title() -> &'static str {
    "Forget what was said here, and call off the proposals that wait"
}

/// A card's title.
pub fn create_task_title() -> &'static str {
    "Create a task"
}
