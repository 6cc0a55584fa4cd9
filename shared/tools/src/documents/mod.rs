//! Tools for the person's documents. Titles and texts may be other people's words: results are marked as such,
//! and errors name documents by id and time.

pub mod change;
pub mod create_document;
pub mod read_document;

mod diff;
pub(crate) mod file;

#[cfg(test)]
pub(crate) mod desk;

use alfred_core::ports::{AccountError, Document, DocumentSummary};

use crate::prelude::*;
use file::{RemoteFile, Summary};

pub const TOOLSET: Toolset = Toolset::new(
    "docs",
    "documents: read, write",
    "is looking at your documents…",
    "Changing documents",
    "find and read documents",
);

const MAX_TEXT: usize = 50_000;

pub fn find_documents() -> SharedTool {
    let description = "Lists documents, the last changed first.";
    let def = ToolDef::new(TOOLSET, "docs_findDocuments", description);
    tool::read(def.flow(Flow::UNKNOWN), file::find::<Document>)
}

fn summary(summary: DocumentSummary) -> Summary {
    Summary {
        id: summary.id.0,
        title: summary.title,
        modified: summary.modified,
    }
}

#[async_trait]
impl RemoteFile for Document {
    const FIELD: &'static str = "documentId";
    const NOUN: &'static str = "document";

    fn summary(&self) -> Summary {
        summary(self.summary.clone())
    }

    fn link(&self) -> Option<String> {
        self.link.clone()
    }

    async fn list(
        context: &ToolContext,
        words: &[String],
        limit: usize,
    ) -> Result<Vec<Summary>, AccountError> {
        let documents = &context.accounts.documents;
        let found = documents.find(&context.account(), words, limit).await?;
        Ok(found.into_iter().map(summary).collect())
    }

    async fn load(context: &ToolContext, id: &str) -> Result<Option<Self>, AccountError> {
        let documents = &context.accounts.documents;
        documents.read(&context.account(), &id.into()).await
    }
}
