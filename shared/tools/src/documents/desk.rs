//! Test documents and sheets: Ana's, in Berlin, on Friday 20 November 2026 at nine.

use alfred_core::ports::{Cell, Document, DocumentSummary, SheetSummary};
use alfred_testkit::{MemoryDocuments, MemorySheets, StoredSheet};
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

pub fn budget() -> StoredSheet {
    let rows = vec![vec![Cell::Number(640.0); 2]; 3];
    StoredSheet {
        summary: SheetSummary {
            id: "s1".into(),
            title: "Offsite budget".into(),
            modified: "2026-11-19T08:00:00Z".parse().unwrap(),
        },
        tabs: vec![("Costs".into(), rows)],
        may_edit: true,
    }
}

pub fn desk(
    documents: Vec<Document>,
    sheets: Vec<StoredSheet>,
) -> (ToolHarness, Arc<MemoryDocuments>) {
    let mut harness = ToolHarness::at("2026-11-20T08:00:00Z").zone("Europe/Berlin");
    let (account, clock) = (harness.context.account(), harness.context.clock.clone());
    let documents = Arc::new(MemoryDocuments::new(clock.clone()).with(&account, documents));
    let sheets = MemorySheets::new(clock).with(&account, sheets);
    harness.context.accounts.documents = documents.clone();
    harness.context.accounts.sheets = Arc::new(sheets);
    (harness, documents)
}
