//! Mailboxes, and mails with their states.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::MailId;

/// How far a mail has been handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailStatus {
    /// Not yet read.
    Unread,
    /// Read, and still in the inbox.
    Read,
    /// Out of the inbox.
    Archived,
    /// To be dealt with later.
    Backlog,
    /// Dealt with.
    Processed,
    /// In the bin. Never listed.
    Deleted,
}

/// A mail address with a display name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailbox {
    /// The name as written by the sender; may be empty. Untrusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// `local@domain` in lower case.
    pub address: String,
}

impl Mailbox {
    /// A mailbox; converts the address to lower case.
    pub fn new(name: impl Into<String>, address: &str) -> Self {
        let (name, address) = (name.into(), address.trim().to_lowercase());
        Self { name, address }
    }

    /// Whether the address is well-formed: one `@` with text on both sides, and no character that
    /// could start another address in a header.
    pub fn is_addressable(&self) -> bool {
        let odd = |c: char| {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, '<' | '>' | ',' | ';' | '"' | '(' | ')' | ':' | '\\')
        };
        let Some((local, domain)) = self.address.split_once('@') else {
            return false;
        };
        !local.is_empty()
            && !domain.is_empty()
            && !domain.contains('@')
            && self.address.len() <= 254
            && !self.address.contains(odd)
    }

    /// Whether `part` is the address, its domain or part of the name, ignoring case.
    pub fn is(&self, part: &str) -> bool {
        let part = part.trim().to_lowercase();
        let domain = self.address.rsplit_once('@').map(|(_, domain)| domain);
        self.address == part
            || domain == Some(part.trim_start_matches('@'))
            || self.name.to_lowercase().contains(&part)
    }

    /// Whether `part` occurs before the `@`, ignoring case.
    pub(crate) fn is_addressed(&self, part: &str) -> bool {
        let local = self.address.split('@').next().unwrap_or_default();
        local.contains(&part.trim().to_lowercase())
    }
}

/// The envelope of a mail, without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailSummary {
    pub id: MailId,
    pub status: MailStatus,
    /// The claimed sender.
    pub from: Mailbox,
    pub to: Vec<Mailbox>,
    pub subject: String,
    pub received_at: Timestamp,
    pub has_attachments: bool,
    /// Whether its headers mark it as automated or from a list: `List-Id`, `List-Unsubscribe`,
    /// `Precedence: bulk|list|junk`, `Auto-Submitted` other than `no` (RFC 2369, 2919, 3834).
    pub automated: bool,
    /// The beginning of the text on one line, at most 200 characters.
    pub snippet: String,
}

impl MailSummary {
    pub const SNIPPET: usize = 200;

    pub fn snippet_of(text: &str) -> String {
        let mut snippet = String::new();
        let mut left = Self::SNIPPET;
        for word in text.split_whitespace() {
            let gap = usize::from(!snippet.is_empty());
            if left <= gap {
                break;
            }
            if gap == 1 {
                snippet.push(' ');
            }
            left -= gap;
            snippet.extend(word.chars().take(left));
            left -= word.chars().take(left).count();
        }
        snippet
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// The file name given by the sender, without folders. Untrusted.
    pub name: String,
    pub content_type: String,
    /// Size in bytes after decoding.
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailMessage {
    pub summary: MailSummary,
    pub cc: Vec<Mailbox>,
    /// Addresses for replies, if different from the sender.
    pub reply_to: Vec<Mailbox>,
    /// The plain text part, else the HTML part as text.
    pub text: String,
    /// Whether `text` was cut at the size limit.
    pub truncated: bool,
    /// Whether a link in the HTML shows the address of another host than it leads to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disguised_link: bool,
    pub attachments: Vec<Attachment>,
    /// The `Message-ID` header, for replies.
    pub message_id: Option<String>,
    /// The `References` header plus the own id, for replies.
    pub references: Vec<String>,
    /// The mail to send to unsubscribe, from the `List-Unsubscribe` header (RFC 2369).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsubscribe: Option<Unsubscribe>,
    /// The URL for one-click unsubscribe, from the headers (RFC 8058).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_click: Option<OneClick>,
}

/// A one-click unsubscribe URL. Untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneClick {
    /// An `https` URL without credentials.
    pub url: String,
    pub host: String,
    /// Whether the person's mail server verified a DKIM signature that covers both headers, as RFC
    /// 8058 §4 requires.
    pub signed: bool,
}

/// The mail that unsubscribes from a list. Untrusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsubscribe {
    pub to: Mailbox,
    /// May be empty.
    pub subject: String,
    /// Plain text; may be empty.
    pub text: String,
}

/// A number of mails. Serialized as a number, or as "about N" for an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    Exact(usize),
    About(usize),
}

impl Total {
    /// The exact or estimated number.
    pub fn number(self) -> usize {
        match self {
            Self::Exact(number) | Self::About(number) => number,
        }
    }
}

impl Serialize for Total {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Exact(number) => number.serialize(serializer),
            Self::About(number) => format!("about {number}").serialize(serializer),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailPage {
    /// Newest first.
    pub mails: Vec<MailSummary>,
    /// Number of mails that match the query, on all pages.
    pub total: Total,
    /// Cursor of the next page; `None` on the last page.
    pub next: Option<String>,
    /// Files that couldn't be parsed as mail, with the reason.
    pub unreadable: Vec<Unreadable>,
}

/// A stored entry that couldn't be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// File name, relative to its folder.
    pub name: String,
    /// One sentence for the person.
    pub reason: String,
}
