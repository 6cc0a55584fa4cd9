//! The week: what is on.

use jiff::ToSpan;

use super::{Call, Reading};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

pub(super) const TOOL: &str = "schedule_viewWeek";

/// `schedule_viewWeek`: "show my week", "what's on next week".
pub(super) fn view(words: &[Word], now: &Now) -> Reading {
    let week = has(
        words,
        &[
            "my week",
            "this week",
            "the week",
            "next week",
            "weeks schedule",
            "week ahead",
        ],
    );
    let shows = has(
        words,
        &["show", "view", "see", "display", "overview", "summary of"],
    );
    let asks = has(
        words,
        &[
            "whats on",
            "what is on",
            "what do i have",
            "what have i got",
            "how does",
            "how is",
            "hows",
            "whats my week",
            "whats planned",
            "what is planned",
            "whats happening",
            "whats coming up",
            "look like",
        ],
    );
    let other = has(
        words,
        &[
            "task",
            "tasks",
            "todo",
            "todos",
            "to do",
            "mail",
            "email",
            "emails",
            "inbox",
            "weather",
            "patterns",
            "habits",
            "free",
            "time",
            "overdue",
            "due",
            "workload",
            "plan",
            "users",
            "gaps",
            "busy",
            "utilization",
        ],
    );
    let changes = [
        "add", "book", "schedule", "move", "delete", "cancel", "create", "block", "plan", "remind",
    ];
    let verb = changes.iter().any(|verb| at(words, 0, &[verb]));
    if !week || !(shows || asks) || other || verb || words.len() > 10 {
        return None;
    }
    let today = now.date?;
    let ahead = if has(words, &["next week"]) { 7 } else { 0 };
    let date = today.checked_add(ahead.days()).ok()?;
    Some(Ok(vec![Call::new(TOOL).with("date", date.to_string())]))
}
