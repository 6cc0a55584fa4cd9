//! A mail and an event as providers give them, for tests to change what matters to them.

use alfred_core::ports::{
    Attendance, Event, EventTime, MailMessage, MailStatus, MailSummary, Mailbox,
};

/// An unread mail of somebody's, which came on 20 November 2026 at eight (UTC).
pub fn mail(id: &str, from: Mailbox, subject: &str, text: &str) -> MailMessage {
    MailMessage {
        summary: MailSummary {
            id: id.into(),
            status: MailStatus::Unread,
            from,
            to: Vec::new(),
            subject: subject.into(),
            received_at: "2026-11-20T08:00:00Z".parse().unwrap(),
            has_attachments: false,
            automated: false,
            snippet: MailSummary::snippet_of(text),
        },
        cc: Vec::new(),
        reply_to: Vec::new(),
        text: text.into(),
        truncated: false,
        disguised_link: false,
        attachments: Vec::new(),
        message_id: Some(format!("<{id}@example.com>")),
        references: Vec::new(),
        unsubscribe: None,
        one_click: None,
    }
}

/// An event between these times (RFC 3339) that somebody else wrote and its reader goes to.
pub fn event(id: &str, title: &str, start: &str, end: &str) -> Event {
    Event {
        id: id.into(),
        title: title.into(),
        time: EventTime::Timed {
            start: start.parse().unwrap(),
            end: end.parse().unwrap(),
        },
        description: String::new(),
        location: String::new(),
        organizer: Some(Mailbox::new("Ana", "ana@example.com")),
        own: false,
        attendees: Vec::new(),
        attendance: Attendance::Accepted,
        invited: false,
        busy: true,
        series: None,
    }
}
