//! Test documents and sheets: Ana's, in Berlin, on Friday 20 November 2026 at nine.

use alfred_core::ports::{Document, DocumentSummary};
use alfred_google_local::GoogleLocal;
use alfred_google_local::drive::File;
use alfred_testkit::{MemoryDocuments, MemoryStore};
use std::sync::Arc;

use crate::testing::ToolHarness;

pub fn document(id: &str, title: &str, day: &str, text: &str) -> Document {
    Document {
        summary: DocumentSummary {
            id: id.into(),
            title: title.into(),
            modified: format!("{day}T08:00:00Z").parse().unwrap(),
        },
        text: text.into(),
        truncated: false,
        revision: "1".into(),
        may_edit: true,
        link: Some(format!("https://docs.example/{id}")),
    }
}

pub fn desk(documents: Vec<Document>) -> (ToolHarness, Arc<MemoryDocuments>) {
    let mut harness = ToolHarness::at("2026-11-20T08:00:00Z").zone("Europe/Berlin");
    let (account, clock) = (harness.context.account(), harness.context.clock.clone());
    let documents = Arc::new(MemoryDocuments::new(clock).with(&account, documents));
    harness.context.accounts.documents = documents.clone();
    (harness, documents)
}

impl ToolHarness {
    /// Gives the person sheets in a local Google, by their ids.
    pub async fn has_sheets(&mut self, sheets: Vec<(String, File)>) {
        drop(rustls::crypto::ring::default_provider().install_default());
        let (account, clock) = (self.context.account(), self.context.clock.clone());
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let google = GoogleLocal::with_files(sheets, &account, store, clock).await;
        self.context.accounts.sheets = Arc::new(google.unwrap());
    }
}
