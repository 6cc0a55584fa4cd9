//! A person's mailbox.

use async_trait::async_trait;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Account, AccountError, Discarded, DraftRef, MailQuery, OutgoingMail, SentMail};
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

impl Mailbox {
    /// With the address in lower case.
    pub fn new(name: impl Into<String>, address: &str) -> Self {
        Self {
            name: name.into(),
            address: address.trim().to_lowercase(),
        }
    }

    /// Whether mail can be sent there as far as its form tells: something on both sides of one `@`,
    /// and nothing that would be more than one address in a header.
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

    /// Whether `part` is the address, its domain, or within the name, whatever the case.
    pub fn is(&self, part: &str) -> bool {
        let part = part.trim().to_lowercase();
        let domain = self.address.rsplit_once('@').map(|(_, domain)| domain);
        self.address == part
            || domain == Some(part.trim_start_matches('@'))
            || self.name.to_lowercase().contains(&part)
    }

    /// Whether `part` is within what stands before the `@`, whatever the case.
    pub(crate) fn is_addressed(&self, part: &str) -> bool {
        let local = self.address.split('@').next().unwrap_or_default();
        local.contains(&part.trim().to_lowercase())
    }
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

impl MailSummary {
    /// The longest snippet, in characters.
    pub const SNIPPET: usize = 200;

    /// The snippet of this text.
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
    /// Whether a link of its HTML shows the address of another host than the one it leads to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disguised_link: bool,
    /// Its files.
    pub attachments: Vec<Attachment>,
    /// `Message-ID`, for answers.
    pub message_id: Option<String>,
    /// `References` with the message's own id last, for answers.
    pub references: Vec<String>,
    /// The mail that leaves the list it came from, if its headers name one (`List-Unsubscribe`, RFC 2369).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsubscribe: Option<Unsubscribe>,
    /// The page that takes its owner off the list at one request, if its headers name one (RFC 8058).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_click: Option<OneClick>,
}

/// A page that takes somebody off a list at one request; never trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OneClick {
    /// Its address: `https`, without credentials.
    pub url: String,
    /// Whose it is.
    pub host: String,
    /// Whether the mailbox's own server found a signature (DKIM) over both headers valid; RFC 8058 §4 asks for that.
    pub signed: bool,
}

/// A mail by which a list is left, as the list asks for it; never trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsubscribe {
    /// To whom.
    pub to: Mailbox,
    /// Its subject; may be empty.
    pub subject: String,
    /// Plain text; may be empty.
    pub text: String,
}

/// How many there are; written as a number, or as "about" one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// Counted.
    Exact(usize),
    /// As the provider estimates.
    About(usize),
}

impl Total {
    /// The number, counted or estimated.
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

/// A page of mails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailPage {
    /// Newest first.
    pub mails: Vec<MailSummary>,
    /// How many fit the query, over all pages.
    pub total: Total,
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

/// A person's mailbox.
#[async_trait]
pub trait Mail: Send + Sync {
    /// Whose address mail is sent from.
    async fn address(&self, account: &Account) -> Result<Mailbox, AccountError>;
    /// A page of mails, newest first: those that arrived, or with `MailQuery::sent` those that were sent.
    ///
    /// # Errors
    /// `Refused` when the cursor is none of ours.
    async fn list(&self, account: &Account, query: &MailQuery) -> Result<MailPage, AccountError>;
    /// A whole mail, also one that was sent; `None` when this person has none of this id. Its state stays as it is.
    async fn read(
        &self,
        account: &Account,
        id: &MailId,
    ) -> Result<Option<MailMessage>, AccountError>;
    /// What is in a file of a mail, the one at this place of `MailMessage::attachments`; `None` where this person
    /// has no such mail, it has no such file, or the file can't be had whole.
    async fn attachment(
        &self,
        account: &Account,
        id: &MailId,
        at: usize,
    ) -> Result<Option<Vec<u8>>, AccountError>;
    /// The envelopes of these mails, in their order; `None` where this person has none of an id. Providers that
    /// keep envelopes give them without reading whole mails.
    async fn summaries(
        &self,
        account: &Account,
        ids: &[MailId],
    ) -> Result<Vec<Option<MailSummary>>, AccountError> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let mail = self.read(account, id).await?;
            found.push(mail.map(|mail| mail.summary));
        }
        Ok(found)
    }
    /// Puts a mail into a state and gives the one it was in; `None` when this
    /// person has none of this id. Repeating it does no harm.
    async fn set_status(
        &self,
        account: &Account,
        id: &MailId,
        status: MailStatus,
    ) -> Result<Option<MailStatus>, AccountError>;
    /// Puts mails into one state, and gives for each, in their order, what `set_status` would. Providers that change
    /// many in one call do.
    ///
    /// # Errors
    /// Where all of them met the same; what one alone met stands in its place.
    async fn set_statuses(
        &self,
        account: &Account,
        ids: &[MailId],
        status: MailStatus,
    ) -> Result<Vec<Result<Option<MailStatus>, AccountError>>, AccountError> {
        let mut each = Vec::with_capacity(ids.len());
        for id in ids {
            each.push(self.set_status(account, id, status).await);
        }
        Ok(each)
    }
    /// Sends a mail. The key becomes part of its `Message-ID`, by which a look finds it;
    /// sending again under a key gives the mail that was sent. Where nobody can tell whether it was, sending
    /// again repeats it, so callers look first and ask its owner; whoever waited meanwhile is told `Unknown`.
    ///
    /// # Errors
    /// `Refused` when it goes to nobody, to what is no address, or to whom nobody takes mail for: then nobody got it.
    async fn send(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<SentMail, AccountError>;
    /// Looks for a sent mail by its key; `None` when it certainly wasn't sent.
    ///
    /// # Errors
    /// `Unknown` when nobody can tell.
    async fn find_sent(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<SentMail>, AccountError>;
    /// Keeps a mail as a draft among the person's own, where they go on with it; it reaches nobody. Keeping it again
    /// under a key gives the draft that was kept first.
    ///
    /// # Errors
    /// `Refused` as `send` does.
    async fn save_draft(
        &self,
        account: &Account,
        mail: &OutgoingMail,
        idempotency_key: &str,
    ) -> Result<DraftRef, AccountError>;
    /// Deletes a draft that is still as it was kept. Repeating it does no harm.
    async fn discard_draft(
        &self,
        account: &Account,
        draft: &DraftRef,
    ) -> Result<Discarded, AccountError>;
}
