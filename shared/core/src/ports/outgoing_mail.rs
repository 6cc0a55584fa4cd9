//! A mail that goes out.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AccountError, Mailbox};
use crate::id::MailId;
use crate::text;

/// A file that goes out with a mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutgoingFile {
    /// Without folders.
    pub name: String,
    /// Its MIME type.
    pub content_type: String,
    /// All of it.
    pub content: Vec<u8>,
}

impl OutgoingFile {
    /// Bytes of all files of a mail, as Gmail and most servers take them.
    pub const MOST_BYTES: usize = 25_000_000;
    /// Files of a mail.
    pub const MOST: usize = 20;

    /// Whether one mail takes all of these.
    ///
    /// # Errors
    /// `Refused` when they are too many, or too large together.
    pub fn check(files: &[Self]) -> Result<(), AccountError> {
        let bytes: usize = files.iter().map(|file| file.content.len()).sum();
        if files.len() > Self::MOST {
            return Err(AccountError::refused(format!(
                "A mail takes {} files at most.",
                Self::MOST
            )));
        }
        if bytes > Self::MOST_BYTES {
            let most = text::size(Self::MOST_BYTES);
            return Err(AccountError::refused(format!(
                "The files are too large for a mail: {most} together at most."
            )));
        }
        Ok(())
    }
}

/// A mail to send.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// What hangs on it.
    #[serde(default)]
    pub files: Vec<OutgoingFile>,
}

impl OutgoingMail {
    /// What every provider refuses before it reaches for anything.
    ///
    /// # Errors
    /// `Refused` when it goes to nobody, or to what is no address, or with more files than a mail takes.
    pub fn check(&self) -> Result<(), AccountError> {
        if self.to.is_empty() {
            return Err(AccountError::refused("The mail has no recipient (`to`)."));
        }
        for (field, boxes) in [("to", &self.to), ("cc", &self.cc)] {
            if let Some(bad) = boxes.iter().find(|mailbox| !mailbox.is_addressable()) {
                let reason = text::no_address(field, &bad.address);
                return Err(AccountError::refused(reason));
            }
        }
        OutgoingFile::check(&self.files)
    }
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

/// A draft that was kept with a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftRef {
    /// Its id.
    pub id: String,
    /// As it was kept: another one once somebody has edited it.
    pub version: String,
}

/// What became of a draft that was to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discarded {
    /// It is gone.
    Deleted,
    /// It stays: somebody has edited it since.
    Edited,
    /// It was gone before: deleted or sent.
    Gone,
}
