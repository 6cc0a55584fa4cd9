//! The fields that are read of Gmail's answers (<https://developers.google.com/workspace/gmail/api/reference/rest>).

use alfred_core::id::MailId;
use alfred_core::ports::{MailStatus, MailSummary, Mailbox};
use alfred_mime::clean;
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Headers of an envelope.
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

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profile {
    pub email_address: String,
    pub history_id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Listing {
    pub messages: Vec<Message>,
    pub next_page_token: Option<String>,
    pub result_size_estimate: usize,
}

/// Lists, drafts and the history have only the ids.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message {
    pub id: String,
    pub thread_id: Option<String>,
    pub label_ids: BTreeSet<String>,
    /// HTML-escaped.
    pub snippet: String,
    /// Milliseconds since 1970.
    pub internal_date: String,
    pub payload: Payload,
    /// The raw mail in base64url.
    pub raw: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Payload {
    pub mime_type: String,
    pub headers: Vec<Header>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    pub name: String,
    pub value: String,
}

impl Message {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.payload.headers.iter();
        let found = headers.find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.as_str())
    }

    pub fn received_at(&self) -> Timestamp {
        let at_ms = self.internal_date.parse().ok();
        let at = at_ms.and_then(|at_ms| Timestamp::from_millisecond(at_ms).ok());
        at.unwrap_or_default()
    }

    pub fn snippet(&self) -> String {
        let text = alfred_mime::unescaped(&self.snippet);
        MailSummary::snippet_of(&clean::line(&text))
    }

    /// The envelope from the headers, parsed like those of a whole mail; its state is set by the caller. Whether it
    /// has attachments is guessed from the MIME type: Gmail lists a mail's parts only with their contents.
    pub fn summary(&self) -> MailSummary {
        let received_at = self.received_at();
        let headers = self.payload.headers.iter();
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
        let kind = &self.payload.mime_type;
        MailSummary {
            id: self.id.as_str().into(),
            received_at,
            has_attachments: kind.eq_ignore_ascii_case("multipart/mixed"),
            snippet: self.snippet(),
            ..read
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Labels {
    pub labels: Vec<Label>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Label {
    pub id: String,
    pub name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct History {
    pub history: Vec<Record>,
    pub history_id: String,
    pub next_page_token: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Record {
    pub id: String,
    pub messages_deleted: Vec<Changed>,
    pub labels_added: Vec<Changed>,
    pub labels_removed: Vec<Changed>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Changed {
    pub message: Message,
    pub label_ids: Vec<String>,
}

/// A mail that was sent.
#[derive(Deserialize)]
pub(super) struct Sent {
    pub id: MailId,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Drafts {
    pub drafts: Vec<Draft>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Draft {
    pub id: String,
    pub message: Message,
}
