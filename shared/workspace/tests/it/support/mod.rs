//! One person's folder.

use alfred_core::ports::{
    Account, Calendar, EventPage, Mail, MailPage, MailQuery, MailStatus, Mailbox, NewEvent,
    OutgoingMail, Span,
};
use alfred_testkit::conformance::calendar::new_event;
use alfred_testkit::{ManualClock, temp_dir};
use alfred_workspace::{CalDavServer, Identity, Workspace};
use jiff::tz::TimeZone;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tempfile::TempDir;

#[derive(Clone)]
pub struct Folder {
    pub workspace: Workspace,
    folder: Arc<TempDir>,
}

pub fn ana() -> Account {
    Account::of(&"T1".into(), &"UANA".into())
}

pub fn opened(root: &Path, calendar: Option<CalDavServer>) -> Workspace {
    let ana = Identity {
        account: ana(),
        mailbox: Mailbox::new("Ana Marques", "ana@example.com"),
        zone: TimeZone::get("Europe/Lisbon").unwrap(),
        calendar,
    };
    Workspace::new([(ana, root.to_owned())], Arc::new(ManualClock::default()))
}

pub fn draft() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben", "ben@example.com")],
        cc: Vec::new(),
        subject: "Tables".into(),
        text: "Five of them.\n".into(),
        in_reply_to: None,
        references: Vec::new(),
        files: Vec::new(),
    }
}

pub fn meeting() -> NewEvent {
    let guest = "guest=Ben <ben@example.com>";
    new_event("Tables", &["at=11-27T09:00/10:00", guest, "text="])
}

impl Folder {
    pub fn new() -> Self {
        Self::with(None)
    }

    /// With a calendar on a server.
    pub fn with(calendar: Option<CalDavServer>) -> Self {
        let folder = temp_dir();
        Self {
            workspace: opened(folder.path(), calendar),
            folder: Arc::new(folder),
        }
    }

    /// As another process would.
    pub fn reopen(&mut self) {
        self.workspace = self.reopened();
    }

    pub fn reopened(&self) -> Workspace {
        opened(self.folder.path(), None)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn set_modified(&self, name: &str, at: impl Into<SystemTime>) {
        let file = fs::File::options().append(true).open(self.path(name));
        file.unwrap().set_modified(at.into()).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub async fn page(&self) -> MailPage {
        use MailStatus::{Archived, Backlog, Processed, Read, Unread};
        let query = MailQuery {
            status: vec![Unread, Read, Archived, Backlog, Processed],
            limit: 500,
            ..MailQuery::default()
        };
        self.workspace.list(&ana(), &query).await.unwrap()
    }

    pub async fn events(&self, span: Span) -> EventPage {
        self.workspace.events(&ana(), span).await.unwrap()
    }
}
