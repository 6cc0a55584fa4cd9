use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AccountError, Mailbox, Result};
use crate::id::MailId;
use crate::text;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingFile {
    /// File name without folders.
    pub name: String,
    pub content_type: String,
    pub content: Vec<u8>,
    /// What an approval covers instead of the content, if each export has other bytes.
    #[serde(default)]
    pub version: Option<String>,
}

impl OutgoingFile {
    /// Maximum bytes of all attachments, as accepted by Gmail and most servers.
    pub const MOST_BYTES: usize = 25_000_000;
    pub const MOST: usize = 20;

    /// Checks that a mail can carry these files. Fails with `Refused` if they are too many or too large.
    pub fn check(files: &[Self]) -> Result<()> {
        let bytes: usize = files.iter().map(|file| file.content.len()).sum();
        if files.len() > Self::MOST {
            let problem = format!("A mail takes {} files at most.", Self::MOST);
            return Err(AccountError::refused(problem));
        }
        if bytes > Self::MOST_BYTES {
            let most = text::size(Self::MOST_BYTES);
            let problem = format!("The files are too large for a mail: {most} together at most.");
            return Err(AccountError::refused(problem));
        }
        Ok(())
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingMail {
    /// Recipients; at least one.
    pub to: Vec<Mailbox>,
    #[serde(default)]
    pub cc: Vec<Mailbox>,
    pub subject: String,
    /// Plain text.
    pub text: String,
    /// `Message-ID` of the mail it replies to.
    #[serde(default)]
    pub in_reply_to: Option<String>,
    /// The `References` header of the thread.
    #[serde(default)]
    pub references: Vec<String>,
    #[serde(default)]
    pub files: Vec<OutgoingFile>,
}

impl OutgoingMail {
    /// Checks the mail before a provider is called. Fails with `Refused` if it has no recipient, an invalid
    /// address or too many files.
    pub fn check(&self) -> Result<()> {
        if self.to.is_empty() {
            return Err(AccountError::refused("The mail has no recipient (`to`)."));
        }
        for (field, boxes) in [("to", &self.to), ("cc", &self.cc)] {
            if let Some(bad) = boxes.iter().find(|mailbox| !mailbox.is_addressable()) {
                return Err(AccountError::refused(text::no_address(field, &bad.address)));
            }
        }
        OutgoingFile::check(&self.files)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentMail {
    pub id: MailId,
    pub message_id: String,
    pub at: Timestamp,
}

/// A draft stored at a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftRef {
    /// The provider's id.
    pub id: String,
    /// Version of the stored content. Changes when somebody edits the draft.
    pub version: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discarded {
    Deleted,
    /// Kept, since somebody edited it.
    Edited,
    /// It was deleted or sent before.
    Gone,
}
