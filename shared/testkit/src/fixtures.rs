//! A mail and an event as providers give them, for tests to change what matters to them.

use alfred_core::ports::{Event, MailMessage, MailSummary, Mailbox};
use serde_json::json;

/// An unread mail of somebody's, which came on 20 November 2026 at eight (UTC).
pub fn mail(id: &str, from: Mailbox, subject: &str, text: &str) -> MailMessage {
    let mail = json!({
        "summary": {
            "id": id, "status": "unread", "from": from, "to": [], "subject": subject,
            "received_at": "2026-11-20T08:00:00Z", "has_attachments": false, "automated": false,
            "snippet": MailSummary::snippet_of(text),
        },
        "text": text, "truncated": false, "cc": [], "reply_to": [], "attachments": [],
        "message_id": format!("<{id}@example.com>"), "references": [],
    });
    serde_json::from_value(mail).unwrap()
}

/// An event between these times (RFC 3339) that somebody else wrote and its reader goes to.
pub fn event(id: &str, title: &str, start: &str, end: &str) -> Event {
    let event = json!({
        "id": id, "title": title, "time": {"timed": {"start": start, "end": end}},
        "organizer": {"name": "Ana", "address": "ana@example.com"}, "own": false,
        "attendance": "accepted", "invited": false, "busy": true,
    });
    serde_json::from_value(event).unwrap()
}
