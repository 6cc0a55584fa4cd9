//! Documents and sheets: asked, changed once even if the answer is lost, and undone.

use alfred_core::ports::{
    Account, AccountError, Cell, CellRange, Clock, Document, DocumentChange, Edit,
};
use alfred_google::Google;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::{GoogleLocal, docs};
use alfred_testkit::{MemoryStore, When, calls};
use insta::assert_snapshot;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::in_memory::accounts::ana;
use crate::in_memory::approvals::waiting;
use crate::in_memory::world::{World, dm};

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
        let mut accounts = self.ports.accounts.clone();
        accounts.documents = self.faults.before(google.clone());
        accounts.sheets = self.faults.before(google);
        self.connect(accounts);
    }

    async fn notes(&self) -> Document {
        let documents = &self.ports.accounts.documents;
        let read = documents.read(&ana(), &"d1".into()).await;
        read.unwrap().unwrap()
    }

    async fn cells(&self) -> Value {
        let sheets = &self.ports.accounts.sheets;
        let range = CellRange::parse("A1:B2").unwrap();
        let read = sheets.read(&ana(), &"s1".into(), &range).await;
        json!(read.unwrap().unwrap())
    }
}

/// The model makes this call; the answer to the provider call `lost` never arrives.
async fn desk(tool: &str, arguments: &Value, lost: Option<&'static str>) -> World {
    let call = calls(&[("c1", tool, &arguments.to_string())]);
    let mut world = World::new(crate::in_memory::world::calling(call)).await;
    world.has_documents().await;
    if let Some(lost) = lost {
        let detail = "lost".into();
        let error = AccountError::Unknown { detail };
        world.faults.fail_next(lost, When::After, error);
    }
    world
}

async fn approved(world: &mut World) -> (String, String) {
    world.ask(dm("U1", "1.1", "Do it")).await;
    let approval = waiting(world).await.remove(0);
    let card = world.answers().pop().unwrap();
    for _ in 0..2 {
        world.decide(&approval, "approval_approve").await;
    }
    world.settle().await;
    (card, world.answers().pop().unwrap())
}

#[tokio::test]
async fn a_document_is_changed_once_and_the_reply_leads_to_it() {
    let change =
        json!({"documentId": "notes", "oldText": "house: open", "newText": "house: Sintra"});
    let mut seen = Vec::new();
    for lost in [None, Some("documents.change")] {
        let mut world = desk("docs_updateDocument", &change, lost).await;
        seen.push(approved(&mut world).await);
        let expected = NOTES.replace("house: open", "house: Sintra");
        assert_eq!(world.notes().await.text, expected);
    }
    assert_eq!(seen[0], seen[1]);
    assert_snapshot!(seen[0].0, @r#"
Change a document
Document: Offsite notes
Version: 2026-11-19 09:00:00
Lines: - house: open → - house: Sintra
Why I ask: it reaches other people
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(seen[0].1, @r#"
Here is where it stands.
✓ Changed "Offsite notes" (your documents) open
"#);
}

#[tokio::test]
async fn rows_are_added_once() {
    let rows = json!({"sheetId": "budget", "rows": [["Train", "96.6"]]});
    let mut seen = Vec::new();
    for lost in [None, Some("sheets.apply")] {
        let mut world = desk("sheets_appendRows", &rows, lost).await;
        seen.push(approved(&mut world).await);
        let expected = json!([["House", 640.0], ["Train", 96.6]]);
        assert_eq!(world.cells().await, expected);
    }
    assert_eq!(seen[0].0, seen[1].0);
    assert_snapshot!(seen[0].0, @r#"
Add a row to a sheet
Sheet: Offsite budget
Tab: Costs
Version: 2026-11-19 09:00:00
│ Train | 96.6
Why I ask: it reaches other people
Only <@U1> can decide, until <!date^1795255200^{date_short_pretty} {time}|2026-11-21 10:00 UTC>. Saying "yes" or "no" counts too, as your next words here or in this card's thread.
"#);
    assert_snapshot!(seen[0].1, @r#"
Here is where it stands.
✓ Added a row to "Offsite budget" (your sheets) open
"#);
}

#[tokio::test]
async fn a_document_that_changed_while_its_card_was_open_stays() {
    let change = json!({"documentId": "d1", "oldText": "house: open", "newText": "house: Sintra"});
    let call = calls(&[("c1", "docs_updateDocument", &change.to_string())]);
    let mut world = World::new(crate::in_memory::world::calling(call)).await;
    world.has_documents().await;
    world.ask(dm("U1", "1.1", "Do it")).await;
    let approval = waiting(&world).await.remove(0);
    let theirs = DocumentChange {
        edit: Edit::Append("- theirs\n".into()),
        revision: world.notes().await.revision,
    };
    let documents = &world.ports.accounts.documents;
    let done = documents
        .change(&ana(), &"d1".into(), &theirs, "theirs")
        .await;
    done.unwrap();
    world.decide(&approval, "approval_approve").await;
    world.settle().await;
    assert_eq!(world.notes().await.text, format!("{NOTES}- theirs\n"));
}

#[tokio::test]
async fn a_new_document_is_made_without_a_question() {
    let new = json!({"title": "Agenda", "text": "- oak"});
    let mut world = desk("docs_createDocument", &new, None).await;
    world.ask(dm("U1", "1.1", "Write an agenda")).await;
    assert!(waiting(&world).await.is_empty());
    assert_snapshot!(world.answers().pop().unwrap(), @r#"
Here is where it stands.
✓ Created the document "Agenda" (your documents) open
"#);
}
