//! Documents, put to the suite of the port, and what is Google's own.

mod editing;
mod failing;
mod reading;

use alfred_core::id::DocumentId;
use alfred_core::ports::{Account, AccountError, Document, DocumentChange, Documents, Edit};
use alfred_google::Google;
use alfred_google_local::docs::Document as GoogleDocument;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::{Account as GoogleAccount, Options, Running};
use alfred_testkit::conformance::documents::{DocumentsUnderTest, given};
use alfred_testkit::{ManualClock, MemoryStore};
use jiff::Timestamp;
use std::sync::Arc;

use crate::google::support::{self, account, connected};

const ANA: &str = "ana@example.com";
pub const UPDATE: &str = "docs.documents.batchUpdate";

/// Ana's documents.
pub struct World {
    pub running: Running,
    pub google: Arc<Google>,
    pub clock: ManualClock,
}

impl World {
    /// Without any.
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let clock = ManualClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let (running, google) = connected(options, store, Arc::new(clock.clone())).await;
        Self {
            running,
            google: Arc::new(google),
            clock,
        }
    }

    /// With those of the suite.
    async fn given() -> Self {
        let world = Self::new().await;
        for (number, document) in given().into_iter().enumerate() {
            let summary = document.summary;
            let id = format!("doc-{number}");
            world.put(&id, &summary.title, &document.text, summary.modified);
        }
        world
    }

    /// With one, `plan`, of these lines.
    pub async fn of(lines: &str) -> Self {
        let world = Self::new().await;
        world.put(
            "plan",
            "Plan",
            lines,
            "2026-11-20T08:00:00Z".parse().unwrap(),
        );
        world
    }

    fn put(&self, id: &str, title: &str, lines: &str, modified: Timestamp) {
        let content = Content::Document(GoogleDocument::of_lines(lines));
        let file = File::new(title, content, modified);
        let put = |account: &mut GoogleAccount| account.drive.put(id, file);
        self.running.google.with_account(ANA, put).unwrap();
    }

    /// Looks at a file, or changes it behind the API's back.
    pub fn file<T>(&self, id: &str, work: impl FnOnce(&mut File) -> T) -> T {
        let work = |account: &mut GoogleAccount| work(account.drive.file(id).unwrap());
        self.running.google.with_account(ANA, work).unwrap()
    }

    /// The same with the document in it.
    pub fn document<T>(&self, work: impl FnOnce(&mut GoogleDocument) -> T) -> T {
        self.file("plan", |file| match &mut file.content {
            Content::Document(document) => work(document),
            Content::Spreadsheet(_) => panic!("a sheet"),
        })
    }

    /// The ids of all files.
    pub fn files(&self) -> Vec<String> {
        let ids = |account: &mut GoogleAccount| {
            let files = account.drive.files();
            files.map(|(id, _)| id.to_owned()).collect()
        };
        self.running.google.with_account(ANA, ids).unwrap()
    }

    pub async fn create(&self, text: &str) -> Result<Document, AccountError> {
        self.google.create(&account(), "Agenda", text, "key").await
    }

    pub async fn find_created(&self) -> Result<Option<Document>, AccountError> {
        self.google.find_created(&account(), "key").await
    }

    pub async fn read(&self) -> Document {
        let read = self.google.read(&account(), &plan()).await;
        read.unwrap().unwrap()
    }

    /// An edit of the document as it is now.
    pub async fn made_for_now(&self, edit: Edit) -> DocumentChange {
        let revision = self.read().await.revision;
        DocumentChange { edit, revision }
    }

    pub async fn edit(&self, edit: Edit, key: &str) -> Result<Document, AccountError> {
        let change = self.made_for_now(edit).await;
        self.change(&change, key).await
    }

    pub async fn change(
        &self,
        change: &DocumentChange,
        key: &str,
    ) -> Result<Document, AccountError> {
        self.google.change(&account(), &plan(), change, key).await
    }

    pub async fn find_changed(&self, key: &str) -> Result<Option<Document>, AccountError> {
        self.google.find_changed(&account(), &plan(), key).await
    }
}

pub fn plan() -> DocumentId {
    "plan".into()
}

pub fn replace(old: &str, new: &str) -> Edit {
    Edit::Replace {
        old: old.into(),
        new: new.into(),
    }
}

pub fn append(more: &str) -> Edit {
    Edit::Append(more.into())
}

pub fn reason<T: std::fmt::Debug>(result: Result<T, AccountError>) -> String {
    match result {
        Err(AccountError::Refused { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

impl DocumentsUnderTest for World {
    fn documents(&self) -> Arc<dyn Documents> {
        self.google.clone()
    }

    fn account(&self) -> Account {
        account()
    }

    fn stranger(&self) -> Account {
        support::stranger()
    }
}

mod suite {
    use super::World;
    alfred_testkit::documents_conformance!(World::given().await);
}
