//! Documents, put to the suite of the port, and what is Google's own.

mod editing;
mod failing;
mod reading;

use alfred_core::id::DocumentId;
use alfred_core::ports::{AccountError, Document, DocumentChange, Documents, Edit};
use alfred_google_local::docs::Document as GoogleDocument;
use alfred_google_local::drive::Content;
use alfred_testkit::conformance::documents::given;
use alfred_testkit::conformance::{self, AccountSide};

use crate::google::support::{World, account};

const UPDATE: &str = "docs.documents.batchUpdate";
const CREATE: &str = "drive.files.create";
const KEY: &str = "key";

/// With the documents of the suite.
async fn suite_world() -> World {
    let world = World::new().await;
    for (number, document) in given().into_iter().enumerate() {
        let content = Content::Document(GoogleDocument::of_lines(&document.text));
        let (summary, id) = (document.summary, format!("doc-{number}"));
        let modified = summary.modified.to_string();
        world.put_file(&id, &summary.title, content, &modified);
    }
    world
}

/// With one document, `plan`, of these lines.
async fn with_plan(lines: &str) -> World {
    let world = World::new().await;
    let content = Content::Document(GoogleDocument::of_lines(lines));
    world.put_file("plan", "Plan", content, "2026-11-20T08:00:00Z");
    world
}

impl World {
    /// Looks at the document, or changes it without the API.
    fn document<T>(&self, work: impl FnOnce(&mut GoogleDocument) -> T) -> T {
        self.file("plan", |file| match &mut file.content {
            Content::Document(document) => work(document),
            Content::Spreadsheet(_) => panic!("a sheet"),
        })
    }

    async fn create_document(&self, text: &str) -> Result<Document, AccountError> {
        self.google.create(&account(), "Agenda", text, KEY).await
    }

    async fn created_document(&self) -> Result<Option<Document>, AccountError> {
        self.google.find_created(&account(), KEY).await
    }

    async fn read_plan(&self) -> Document {
        let read = self.google.read(&account(), &plan()).await;
        read.unwrap().unwrap()
    }

    /// A change of the document as it is now.
    async fn made_for_now(&self, edit: Edit) -> DocumentChange {
        let revision = self.read_plan().await.revision;
        DocumentChange { edit, revision }
    }

    async fn edit(&self, edit: Edit, key: &str) -> Result<Document, AccountError> {
        let change = self.made_for_now(edit).await;
        self.change(&change, key).await
    }

    async fn change(&self, change: &DocumentChange, key: &str) -> Result<Document, AccountError> {
        self.google.change(&account(), &plan(), change, key).await
    }

    async fn find_changed(&self, key: &str) -> Result<Option<Document>, AccountError> {
        self.google.find_changed(&account(), &plan(), key).await
    }
}

fn plan() -> DocumentId {
    "plan".into()
}

fn replace(old: &str, new: &str) -> Edit {
    Edit::Replace {
        old: old.into(),
        new: new.into(),
    }
}

fn append(more: &str) -> Edit {
    Edit::Append(more.into())
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_pass_the_suite() {
    let given = async || {
        let world = suite_world().await;
        AccountSide::new(world.google.clone(), account(), world)
    };
    conformance::documents(given).await;
}
