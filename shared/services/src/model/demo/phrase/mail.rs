//! E-mails and meetings in words.

use serde_json::Value;

use super::{Outcome, bullets, list, long_date, number, text};

/// A day and a time of a moment, as UTC gives them.
fn moment(at: &str) -> String {
    match (at.get(..10), at.get(11..16)) {
        (Some(day), Some(time)) => format!("{}, {time} UTC", long_date(day)),
        _ => at.to_owned(),
    }
}

/// `email_viewEmails` and `email_getBacklog`.
pub(super) fn mails(data: &Value) -> String {
    let shown = list(data, "emails");
    let mail = |mail: &Value| {
        let status = match text(mail, "status") {
            "unread" => " (unread)",
            _ => "",
        };
        format!(
            "**{}** from {}{status}",
            text(mail, "subject"),
            text(mail, "from")
        )
    };
    let total = number(data, "total").map_or(shown.len(), |total| total as usize);
    let mut answer = match total {
        0 => return "There are no e-mails that fit.".into(),
        1 => "One e-mail:".into(),
        total => format!("{total} e-mails:"),
    };
    answer.push_str(&bullets(shown.iter().map(mail)));
    if total > shown.len() {
        answer.push_str(&format!("\nThe newest {} are shown.", shown.len()));
    }
    let unreadable = list(data, "unreadable").len();
    if unreadable > 0 {
        answer.push_str(&format!("\n{unreadable} more could not be read."));
    }
    answer
}

/// `email_readEmail`. Its text is quoted: they are other people's words.
pub(super) fn mail(data: &Value) -> String {
    let mail = &data["email"];
    let quoted: Vec<String> = text(mail, "text")
        .lines()
        .map(|line| format!("> {line}"))
        .collect();
    let mut answer = format!(
        "**{}** from {}, {}\n{}",
        text(mail, "subject"),
        text(mail, "from"),
        moment(text(mail, "receivedAt")),
        quoted.join("\n")
    );
    if mail["truncated"] == true {
        answer.push_str("\nThe rest is left out.");
    }
    let files: Vec<&str> = list(mail, "attachments")
        .iter()
        .map(|file| text(file, "name"))
        .collect();
    if !files.is_empty() {
        answer.push_str(&format!("\nAttached: {}", files.join(", ")));
    }
    answer
}

/// `email_processEmail`, by what it was asked to do.
pub(super) fn processed(data: &Value) -> String {
    match text(data, "action") {
        "archive" => "The e-mail is archived.".into(),
        "send_reply" => format!("Your answer went to {}.", text(data, "to")),
        "draft_reply" => {
            let draft = &data["draft"];
            let to: Vec<&str> = list(draft, "to").iter().filter_map(Value::as_str).collect();
            let lines: Vec<String> = text(draft, "text")
                .lines()
                .map(|line| format!("> {line}"))
                .collect();
            format!(
                "A draft to {}, not sent: **{}**\n{}",
                to.join(", "),
                text(draft, "subject"),
                lines.join("\n")
            )
        }
        _ => format!("Added to your tasks: **{}**.", text(&data["task"], "title")),
    }
}

/// `email_createTaskFromEmail`.
pub(super) fn new_task(data: &Value) -> String {
    let task = &data["task"];
    let length = number(task, "estimatedMinutes").map(super::plan::minutes);
    let length = length
        .map(|length| format!(" ({length})"))
        .unwrap_or_default();
    format!("Added to your tasks: **{}**{length}.", text(task, "title"))
}

/// `calendar_scheduleMeeting` and `calendar_rescheduleMeeting`.
pub(super) fn meeting(outcome: &Outcome) -> String {
    let data = &outcome.data;
    let event = &data["event"];
    let when = format!(
        "{}, {}–{}",
        long_date(text(event, "date")),
        text(event, "startTime"),
        text(event, "endTime")
    );
    let people: Vec<&str> = list(event, "attendees")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut answer = match outcome.tool.as_str() {
        "calendar_rescheduleMeeting" => {
            format!("**{}** takes place on {when} now.", text(event, "title"))
        }
        _ => format!(
            "**{}** is in your calendar on {when}.",
            text(event, "title")
        ),
    };
    if !people.is_empty() {
        answer.push_str(&format!(" Attendees: {}.", people.join(", ")));
    }
    let unseen: Vec<&str> = list(data, "notChecked")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if !unseen.is_empty() {
        answer.push_str(&format!(
            " I couldn't see the calendar of {}.",
            unseen.join(", ")
        ));
    }
    answer
}
