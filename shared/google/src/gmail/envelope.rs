//! An envelope from Gmail's headers, parsed like those of a whole mail.

use alfred_core::ports::{MailStatus, MailSummary, Mailbox};
use alfred_mime::clean;
use jiff::Timestamp;

use super::wire::Message;

pub(super) const HEADERS: [&str; 8] = [
    "From",
    "Sender",
    "To",
    "Subject",
    "List-Id",
    "List-Unsubscribe",
    "Precedence",
    "Auto-Submitted",
];

pub(super) fn received_at(message: &Message) -> Timestamp {
    let at_ms = message.internal_date.parse().ok();
    at_ms
        .and_then(|at_ms| Timestamp::from_millisecond(at_ms).ok())
        .unwrap_or_default()
}

pub(super) fn snippet(message: &Message) -> String {
    let text = alfred_mime::unescaped(&message.snippet);
    MailSummary::snippet_of(&clean::line(&text))
}

/// The envelope; its state is set by the caller. Whether it has attachments is guessed from the MIME type:
/// Gmail lists a mail's parts only with their contents.
pub(super) fn summary(message: &Message) -> MailSummary {
    let received_at = received_at(message);
    let headers = message.payload.headers.iter();
    let headers = headers.map(|header| (header.name.as_str(), header.value.as_str()));
    // The parser rejects a mail without any of these headers.
    let read = alfred_mime::envelope(headers, received_at).unwrap_or_else(|| MailSummary {
        id: "".into(),
        status: MailStatus::Unread,
        from: Mailbox::default(),
        to: Vec::new(),
        subject: String::new(),
        received_at,
        has_attachments: false,
        automated: false,
        snippet: String::new(),
    });
    let kind = &message.payload.mime_type;
    MailSummary {
        id: message.id.as_str().into(),
        received_at,
        has_attachments: kind.eq_ignore_ascii_case("multipart/mixed"),
        snippet: snippet(message),
        ..read
    }
}
