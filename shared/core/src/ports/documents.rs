//! A person's documents.

use async_trait::async_trait;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AccountError, Mailbox, OutgoingFile, Result};
use crate::id::{DocumentId, SheetId};

pub(crate) const NOTHING_TO_APPEND: &str = "There is nothing to add: it is empty.";

/// A document or a sheet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSummary<Id> {
    pub id: Id,
    /// The title, possibly given by other people.
    pub title: String,
    pub modified: Timestamp,
    /// Bytes, if the provider knows them.
    #[serde(default)]
    pub size: Option<u64>,
}

pub type DocumentSummary = FileSummary<DocumentId>;
pub type SheetSummary = FileSummary<SheetId>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub summary: DocumentSummary,
    /// The text as Markdown, with ` ` line ends.
    pub text: String,
    /// Whether `text` was cut at the size limit.
    pub truncated: bool,
    /// Changes with every edit.
    pub revision: String,
    pub may_edit: bool,
    pub link: Option<String>,
    /// Everybody who may see it, its owner too. Otherwise one sentence says why it can't be shared.
    pub shares: Result<Vec<Share>, String>,
}

/// What somebody may do with a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    None,
    Reader,
    Commenter,
    Writer,
    #[schemars(skip)]
    Owner,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Without an address, the name says who: "anyone with the link".
    pub with: Mailbox,
    pub access: Access,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    Append(String),
    /// Replaces a passage that occurs exactly once.
    Replace {
        old: String,
        /// The new passage; empty to delete.
        new: String,
    },
}

impl Edit {
    /// Applies the edit to a text. Fails with `Refused` if the edit is empty or the passage doesn't occur
    /// exactly once.
    pub fn applied_to(&self, text: &str) -> Result<String> {
        match self {
            Self::Append(more) if more.trim().is_empty() => {
                Err(AccountError::refused(NOTHING_TO_APPEND))
            }
            Self::Append(more) => {
                let is_line = text.is_empty() || text.ends_with('\n');
                Ok(format!("{text}{}{more}", if is_line { "" } else { "\n" }))
            }
            Self::Replace { old, new } => {
                let found = text.matches(old.as_str());
                match found.filter(|found| !found.is_empty()).count() {
                    0 => Err(AccountError::refused("That passage isn't in the document.")),
                    1 => Ok(text.replacen(old.as_str(), new, 1)),
                    more => Err(AccountError::refused(format!(
                        "That passage is in the document {more} times; a longer one is needed to tell them apart."
                    ))),
                }
            }
        }
    }
}

/// An edit of a specific revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentChange {
    pub edit: Edit,
    /// The revision it was made for.
    pub revision: String,
}

/// Documents of one person.
#[async_trait]
pub trait DocumentsAccount: Send + Sync {
    /// Documents whose title contains all words, ignoring case, last changed first. `limit` is
    /// clamped to 1–100.
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<DocumentSummary>>;
    /// Like `find`, with title and text together, and whether the texts of all documents were searched.
    async fn search(&self, words: &[String], limit: usize) -> Result<(Vec<DocumentSummary>, bool)>;
    /// Reads a document. `None` if this person has no such document. Fails with `Refused` if it contains no
    /// readable text.
    async fn read(&self, id: &DocumentId) -> Result<Option<Document>>;
    /// Creates a document visible only to this person. Calling it again with the same key returns the
    /// existing document. Fails with `Refused` if the title is empty.
    async fn create(&self, title: &str, text: &str, key: &str) -> Result<Document>;
    /// The document that `create` made with this key. `None` if it certainly made none. Fails with `Unknown`
    /// if that can't be found out, for example after the document was removed.
    async fn find_created(&self, key: &str) -> Result<Option<Document>>;
    /// Edits a document, once per key. A repeated call returns the current document. Fails with `Refused` if
    /// it doesn't exist, can't be edited this way or has another revision, and as [`Edit::applied_to`].
    async fn change(&self, id: &DocumentId, change: &DocumentChange, key: &str)
    -> Result<Document>;
    /// The current document, if it was edited with this key. `None` if it certainly wasn't. Fails with
    /// `Unknown` if that can't be found out.
    async fn find_changed(&self, id: &DocumentId, key: &str) -> Result<Option<Document>>;
    /// Moves a document to the bin, or back if not `deleted`. Safe to repeat. `None` if this person has no such
    /// document. Fails with `Refused` if they may not.
    async fn set_deleted(&self, id: &DocumentId, deleted: bool) -> Result<Option<DocumentSummary>>;
    /// A document as a file for a mail: the file itself, or a PDF. `None` if this person has no such document.
    /// Fails with `Refused` if it has another revision.
    async fn export(&self, id: &DocumentId, revision: &str) -> Result<Option<OutgoingFile>>;
    /// Sets what the person with `to`'s address may do; a new one gets a mail. Safe to repeat. Fails with `Refused`
    /// if there is no such document, or if it can't be shared.
    async fn set_access(&self, id: &DocumentId, to: &Share) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_replaced_where_it_is_alone() {
        let replace = |old: &str, new: &str| Edit::Replace {
            old: old.into(),
            new: new.into(),
        };
        let append = |more: &str| Edit::Append(more.into());
        let cases = [
            ("a b c", replace("b", "x"), Some("a x c")),
            ("a b c", replace(" b", ""), Some("a c")),
            ("a b b", replace("b", "x"), None),
            ("a b c", replace("d", "x"), None),
            ("a b c", replace("", "x"), None),
            ("a", append("b"), Some("a\nb")),
            ("a\n", append("b\n"), Some("a\nb\n")),
            ("", append("b"), Some("b")),
            ("a", append(" \n"), None),
        ];
        for (text, edit, expected) in cases {
            let done = edit.applied_to(text).ok();
            assert_eq!(done.as_deref(), expected, "{edit:?} of {text:?}");
        }
    }
}
