//! A person's mailbox.

use async_trait::async_trait;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Account, AccountError};
use crate::id::MailId;

/// What became of a mail so far (annex 2, "E-mail").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
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
}

/// A name with an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mailbox {
    /// As the sender wrote it; may be empty. Never trusted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// `local@domain`, in lower case.
    pub address: String,
}

/// The envelope of a mail, without its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailSummary {
    /// Its id.
    pub id: MailId,
    /// Its state.
    pub status: MailStatus,
    /// Who says to have written it.
    pub from: Mailbox,
    /// To whom it went.
    pub to: Vec<Mailbox>,
    /// Its subject, decoded; may be empty.
    pub subject: String,
    /// When it arrived.
    pub received_at: Timestamp,
    /// Whether files hang on it.
    pub has_attachments: bool,
    /// Whether its headers say that a machine or a list sent it: `List-Id`, `List-Unsubscribe`,
    /// `Precedence: bulk|list|junk`, `Auto-Submitted` other than `no` (RFC 2369, 2919, 3834).
    pub automated: bool,
    /// The first words of its text, at most 200 characters on one line.
    pub snippet: String,
}

/// A file on a mail; its content isn't loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// As the sender named it, without folders; never trusted.
    pub name: String,
    /// Its MIME type.
    pub content_type: String,
    /// Its decoded size in bytes.
    pub bytes: u64,
}

/// A whole mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailMessage {
    /// Its envelope.
    pub summary: MailSummary,
    /// Copies.
    pub cc: Vec<Mailbox>,
    /// Where answers go, if elsewhere than to the sender.
    pub reply_to: Vec<Mailbox>,
    /// Its text: the plain part, else the HTML part as text.
    pub text: String,
    /// Whether `text` was cut at the reader's limit.
    pub truncated: bool,
    /// Its files.
    pub attachments: Vec<Attachment>,
    /// `Message-ID`, for answers.
    pub message_id: Option<String>,
    /// `References` with the message's own id last, for answers.
    pub references: Vec<String>,
}

/// Which mails, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MailQuery {
    /// Only these states; all but archived ones when empty.
    pub status: Vec<MailStatus>,
    /// Only those whose sender, subject or first words hold all of these words, whatever their case.
    pub words: Vec<String>,
    /// Only those from this sender: an address, a domain, or a part of the name.
    pub from: Option<String>,
    /// Only those received at or after this.
    pub since: Option<Timestamp>,
    /// How many at most, 1–500.
    pub limit: usize,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

/// A page of mails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailPage {
    /// Newest first.
    pub mails: Vec<MailSummary>,
    /// How many fit the query, over all pages.
    pub total: usize,
    /// Where the next page starts; `None` behind the last.
    pub next: Option<String>,
    /// Files that are no mail, with the reason; the rest goes on.
    pub unreadable: Vec<Unreadable>,
}

/// Something stored that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// Its name, relative to its folder.
    pub name: String,
    /// One sentence for the person.
    pub reason: String,
}

/// A mail to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// To whom; at least one.
    pub to: Vec<Mailbox>,
    /// Copies.
    #[serde(default)]
    pub cc: Vec<Mailbox>,
    /// Its subject.
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// The `Message-ID` it answers.
    #[serde(default)]
    pub in_reply_to: Option<String>,
    /// `References` for the thread.
    #[serde(default)]
    pub references: Vec<String>,
}

/// A mail that was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMail {
    /// Its id.
    pub id: MailId,
    /// Its `Message-ID`.
    pub message_id: String,
    /// When.
    pub at: Timestamp,
}

/// A person's mailbox.
#[async_trait]
pub trait Mail: Send + Sync {
    /// Whose address mail is sent from.
    async fn address(&self, account: &Account) -> Result<Mailbox, AccountError>;
    /// A page of mails, newest first.
    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage, AccountError>;
    /// A whole mail; `None` when this person has none of this id. Its state stays as it is.
    async fn read(
        &self,
        account: &Account,
        id: &MailId,
    ) -> Result<Option<MailMessage>, AccountError>;
    /// Puts a mail into a state and gives the one it was in; `None` when this
    /// person has none of this id. Repeating it does no harm.
    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError>;
    /// Sends a mail. The key becomes part of its `Message-ID`, by which a look finds it.
    async fn send(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<SentMail, AccountError>;
    /// Looks for a sent mail by its key.
    async fn find_sent(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<SentMail>, AccountError>;
}
