//! Tools for the person's documents. Titles and texts may be other people's words: results are marked as such,
//! and errors name documents by id and time.

pub mod change;
pub mod create_document;
pub mod delete_document;
pub mod read_document;
pub mod share_document;

mod access;
mod diff;
pub(crate) mod file;

#[cfg(test)]
pub(crate) mod desk;

use alfred_core::id::DocumentId;
use alfred_core::ports::{AccountError, Document, DocumentSummary};

use crate::prelude::*;
use file::{RemoteFile, SHOWN};

pub const TOOLSET: Toolset = Toolset::new(
    "docs",
    "documents: read, write",
    "is looking at your documents…",
    "Changing documents",
    "find and read documents",
);

const MAX_TEXT: usize = 50_000;

pub fn find_documents() -> SharedTool {
    let description = "Lists documents by title and text, the last changed first.";
    let def = ToolDef::new(TOOLSET, "docs_findDocuments", description);
    tool::read(def.flow(Flow::UNKNOWN), file::find::<Document>)
}

#[async_trait]
impl RemoteFile for Document {
    const FIELD: &'static str = "documentId";
    const NOUN: &'static str = "document";

    type Id = DocumentId;

    fn summary(&self) -> &DocumentSummary {
        &self.summary
    }

    fn link(&self) -> Option<String> {
        self.link.clone()
    }

    async fn list(
        context: &ToolContext,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<DocumentSummary>, AccountError> {
        let documents = &context.accounts.documents;
        documents.find(&context.account(), words, limit).await
    }

    async fn search(
        context: &ToolContext,
        words: &[String],
    ) -> Result<(Vec<DocumentSummary>, bool), AccountError> {
        let documents = &context.accounts.documents;
        documents.search(&context.account(), words, SHOWN).await
    }

    async fn load(context: &ToolContext, id: &DocumentId) -> Result<Option<Self>, AccountError> {
        let documents = &context.accounts.documents;
        documents.read(&context.account(), id).await
    }
}
