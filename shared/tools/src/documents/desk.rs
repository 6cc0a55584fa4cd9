//! Test documents and sheets: Ana's, in Berlin, on Friday 20 November 2026 at nine.

use alfred_google_local::GoogleLocal;
use alfred_google_local::docs::Document;
use alfred_google_local::drive::{Content, File};
use alfred_testkit::MemoryStore;
use jiff::Timestamp;
use std::sync::Arc;

use crate::testing::ToolHarness;

pub fn document(title: &str, modified: Timestamp, text: &str) -> File {
    let content = Content::Document(Document::of_lines(text));
    File::new(title, content, modified)
}

/// Ana has these files in a local Google, by their ids.
pub async fn desk(files: Vec<(String, File)>) -> ToolHarness {
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut harness = ToolHarness::at("2026-11-20T08:00:00Z").zone("Europe/Berlin");
    let (account, clock) = (harness.context.account(), harness.context.clock.clone());
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let google = GoogleLocal::with_files(files, &account, store, clock).await;
    let google = Arc::new(google.unwrap());
    harness.context.accounts.documents = google.clone();
    harness.context.accounts.sheets = google;
    harness
}
