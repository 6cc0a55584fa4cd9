//! A person's documents.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Account, AccountError};
use crate::id::DocumentId;

pub(crate) const NOTHING_TO_APPEND: &str = "There is nothing to add: it is empty.";

/// A document without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentSummary {
    /// Its id.
    pub id: DocumentId,
    /// What it is called. Others may have named it.
    pub title: String,
    /// When it was last changed.
    pub modified: Timestamp,
}

/// A document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Which, and since when it is as it is.
    pub summary: DocumentSummary,
    /// Its text as Markdown, lines ended by `\n`.
    pub text: String,
    /// Whether `text` was cut at the reader's limit.
    pub truncated: bool,
    /// Another one after each change.
    pub revision: String,
    /// Whether this person may change it here.
    pub may_edit: bool,
    /// Whether a change may be left for others to accept.
    pub may_suggest: bool,
    /// Where people open it.
    pub link: Option<String>,
}

/// What is done to a document's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edit {
    /// These lines go below its last one.
    Append(String),
    /// A passage that is there once becomes another.
    Replace {
        /// As it is.
        old: String,
        /// As it is to be; empty takes it out.
        new: String,
    },
}

impl Edit {
    /// The text with this done to it.
    ///
    /// # Errors
    /// `Refused` when it says nothing, or its passage isn't there exactly once.
    pub fn applied_to(&self, text: &str) -> Result<String, AccountError> {
        match self {
            Self::Append(more) if more.trim().is_empty() => {
                Err(AccountError::refused(NOTHING_TO_APPEND))
            }
            Self::Append(more) => {
                let gap = if text.is_empty() || text.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                Ok(format!("{text}{gap}{more}"))
            }
            Self::Replace { old, new } => {
                let times = match old.is_empty() {
                    true => 0,
                    false => text.matches(old.as_str()).count(),
                };
                match times {
                    1 => Ok(text.replacen(old.as_str(), new, 1)),
                    _ => Err(AccountError::refused(passage_found(times))),
                }
            }
        }
    }
}

fn passage_found(times: usize) -> String {
    match times {
        0 => "That passage isn't in the document.".into(),
        more => format!(
            "That passage is in the document {more} times; a longer one is needed to tell them apart."
        ),
    }
}

/// A change of a document as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentChange {
    /// What is done.
    pub edit: Edit,
    /// The revision it is meant for.
    pub revision: String,
    /// Whether it is left for others to accept: the text stays until they do.
    pub as_suggestion: bool,
}

/// A person's documents.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Documents whose title holds all of these words, whatever their case, the last changed first; 1–100 at
    /// most, another `limit` is taken as the nearest of these.
    async fn find(
        &self,
        account: &Account,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<DocumentSummary>, AccountError>;
    /// A document; `None` when this person has none of this id.
    ///
    /// # Errors
    /// `Refused` when it holds no text that could be read.
    async fn read(
        &self,
        account: &Account,
        id: &DocumentId,
    ) -> Result<Option<Document>, AccountError>;
    /// Creates a document that only this person sees. Creating again under a key gives the one that was made, as
    /// it is now.
    ///
    /// # Errors
    /// `Refused` when the title is empty.
    async fn create(
        &self,
        account: &Account,
        title: &str,
        text: &str,
        idempotency_key: &str,
    ) -> Result<Document, AccountError>;
    /// The document that `create` made under this key; `None` when it certainly made none.
    ///
    /// # Errors
    /// `Unknown` when nobody can tell, also where it was removed since.
    async fn find_created(
        &self,
        account: &Account,
        idempotency_key: &str,
    ) -> Result<Option<Document>, AccountError>;
    /// Changes a document, once for the key: changing again under it gives the document as it is now.
    ///
    /// # Errors
    /// `Refused` when it isn't there, isn't to be changed in this way, has another revision, or as
    /// [`Edit::applied_to`].
    async fn change(
        &self,
        account: &Account,
        id: &DocumentId,
        change: &DocumentChange,
        idempotency_key: &str,
    ) -> Result<Document, AccountError>;
    /// The document as it is now, if it was changed under this key; `None` when it certainly wasn't.
    ///
    /// # Errors
    /// `Unknown` when nobody can tell.
    async fn find_changed(
        &self,
        account: &Account,
        id: &DocumentId,
        idempotency_key: &str,
    ) -> Result<Option<Document>, AccountError>;
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
