use alfred_core::ports::{Account, Cell, CellRange, Clock, Document, DocumentChange, Edit};
use alfred_google::Google;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::{GoogleLocal, docs};
use alfred_testkit::MemoryStore;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::world::World;

const NOTES: &str = "- house: open\n- train: open\n";

/// A local Google in which this person alone has files, by their ids.
pub async fn google(
    files: Vec<(String, File)>,
    whose: &Account,
    clock: Arc<dyn Clock>,
) -> Arc<Google> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let store = Arc::new(MemoryStore::new(clock.clone()));
    let google = GoogleLocal::with_files(files, whose, store, clock).await;
    Arc::new(google.unwrap())
}

pub fn document(title: &str, modified: Timestamp, text: &str) -> File {
    let content = Content::Document(docs::Document::of_lines(text));
    File::new(title, content, modified)
}

pub fn notes() -> File {
    let modified = "2026-11-19T08:00:00Z".parse().unwrap();
    document("Offsite notes", modified, NOTES)
}

impl World {
    /// Gives only Ana a document and a sheet.
    pub async fn has_documents(&mut self) {
        let rows = vec![vec![Cell::Text("House".into()), Cell::Number(640.0)]];
        let modified = "2026-11-19T08:00:00Z".parse().unwrap();
        let budget = File::sheet("Offsite budget", modified, [("Costs", rows)]);
        let files = vec![("d1".into(), notes()), ("s1".into(), budget)];
        self.has_files(files).await;
    }

    /// Gives only Ana these files, by their ids.
    pub async fn has_files(&mut self, files: Vec<(String, File)>) {
        let google = google(files, &ana(), self.ports.clock.clone()).await;
        let google = self.faults.before(google);
        self.change_ports(|ports| {
            ports.accounts.documents = google.clone();
            ports.accounts.sheets = google;
        });
    }

    /// Somebody else adds to the document.
    pub async fn append(&self, text: &str) {
        let theirs = DocumentChange {
            edit: Edit::Append(text.into()),
            revision: self.notes().await.revision,
        };
        let (documents, id) = (&self.ports.accounts.documents, "d1".into());
        let done = documents.change(&ana(), &id, &theirs, "theirs").await;
        done.unwrap();
    }

    pub async fn notes(&self) -> Document {
        let documents = &self.ports.accounts.documents;
        let read = documents.read(&ana(), &"d1".into()).await;
        read.unwrap().unwrap()
    }

    pub async fn cells(&self) -> Value {
        let sheets = &self.ports.accounts.sheets;
        let range = CellRange::parse("A1:B2").unwrap();
        let read = sheets.read(&ana(), &"s1".into(), &range).await;
        json!(read.unwrap().unwrap())
    }
}
