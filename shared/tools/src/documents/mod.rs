//! Tools for the person's documents. Titles and texts may be other people's words: results are marked as such,
//! and errors name documents by id and time.

pub mod append_to_document;
pub mod create_document;
pub mod find_documents;
pub mod read_document;
pub mod update_document;

mod change;
mod diff;
mod find;

#[cfg(test)]
pub(crate) mod desk;

pub(crate) use find::{Named, name, pick, reads_alike, words};

use alfred_agent::tool::{Receipt, Toolset};
use alfred_core::id::DocumentId;
use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::{Document, DocumentSummary};

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "docs",
    "documents: read, write",
    "is looking at your documents…",
    "Changing documents",
    "find and read documents",
);

const MAX_TEXT: usize = 50_000;

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentView {
    document_id: DocumentId,
    title: String,
    /// Local time of the last change.
    modified: String,
}

impl DocumentView {
    fn new(context: &ToolContext, summary: &DocumentSummary) -> Self {
        Self {
            document_id: summary.id.clone(),
            title: shown_on_one_line(&summary.title),
            modified: minute(context, summary.modified),
        }
    }
}

pub(crate) fn namesake(has_namesake: bool) -> &'static str {
    if has_namesake {
        "You have another one with this title. Please make sure that this is the one you mean."
    } else {
        ""
    }
}

pub(crate) fn minute(context: &ToolContext, at: Timestamp) -> String {
    let at = at.to_zoned(context.zone());
    at.strftime("%Y-%m-%d %H:%M").to_string()
}

/// Local time to the second: a later change is another version.
pub(crate) fn version(context: &ToolContext, at: Timestamp) -> String {
    let at = at.to_zoned(context.zone());
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

fn receipt(context: &ToolContext, document: &Document, what: String) -> Receipt {
    Receipt {
        what,
        place: "your documents".to_owned(),
        provider_id: Some(document.summary.id.to_string()),
        link: document.link.clone(),
        at: Some(context.now),
        ..Receipt::default()
    }
}

#[cfg(test)]
mod scenarios {
    #[tokio::test]
    async fn hold() {
        crate::testing::scenario::check("documents").await;
    }
}
