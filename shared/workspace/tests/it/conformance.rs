//! The folder passes the suites that every mailbox, calendar, document and sheet passes.

use alfred_core::ports::{Account, Mail, MailMessage, MailQuery, MailStatus};
use alfred_testkit::conformance::{self, AccountSide, calendar, mail};
use alfred_testkit::radicale::{PASSWORD, Radicale};
use alfred_testkit::smtp_server::Server;
use alfred_testkit::{ManualClock, temp_dir};
use alfred_workspace::{CalDavServer, Identity, Smtp, Workspace};
use jiff::tz::TimeZone;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use tempfile::TempDir;

const BUDGET: &str = "Item,Cost,Paid\r\n\"Oak, \"\"first\"\"\",1200.5,TRUE\r\n\"Größe\n90 cm\",-3,FALSE\r\n007,,no\r\n";

struct Folder {
    workspace: Workspace,
    server: Option<Server>,
    _folder: TempDir,
}

fn account(user: &str) -> Account {
    Account {
        team: "T1".into(),
        user: user.into(),
    }
}

impl Folder {
    fn new(lay: impl FnOnce(&Path)) -> Self {
        Self::of(None, lay)
    }

    fn of(calendar: Option<CalDavServer>, lay: impl FnOnce(&Path)) -> Self {
        let folder = temp_dir();
        for name in ["mail/inbox", "mail/archive", "people"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        lay(folder.path());
        let ana = Identity {
            account: account("UANA"),
            mailbox: mail::owner(),
            zone: TimeZone::get("Europe/Lisbon").unwrap(),
            calendar,
        };
        let people = [(ana, folder.path().to_owned())];
        Self {
            workspace: Workspace::new(people, Arc::new(ManualClock::default())),
            server: None,
            _folder: folder,
        }
    }

    fn side(self) -> AccountSide<Workspace> {
        AccountSide::new(Arc::new(self.workspace.clone()), account("UANA"), self)
    }

    /// What is sent leaves by way of a server.
    fn with_smtp(mut self) -> Self {
        let server = Server::start();
        let smtp = Smtp::read(&server.url(), None).unwrap();
        self.workspace = self.workspace.clone().with_smtp(smtp);
        self.server = Some(server);
        self
    }

    /// Each mail is a file. A state is no part of a mail, so that is set by way of the port.
    async fn of_files() -> Self {
        let folder = Self::new(|root| {
            for (number, mail) in mail::mails().iter().enumerate() {
                let shelf = match mail.summary.status {
                    MailStatus::Archived => "archive",
                    _ => "inbox",
                };
                let file = root.join("mail").join(shelf).join(format!("{number}.eml"));
                fs::write(file, mail::rfc5322(mail)).unwrap();
            }
        });
        let is_read = |mail: &&MailMessage| mail.summary.status == MailStatus::Read;
        let read = mail::mails();
        let read = read.iter().find(is_read).unwrap();
        let query = MailQuery {
            words: vec![read.summary.subject.clone()],
            ..MailQuery::default()
        };
        let (workspace, ana) = (&folder.workspace, account("UANA"));
        let id = &workspace.list(&ana, &query).await.unwrap().mails[0].id;
        let set = workspace.set_status(&ana, id, MailStatus::Read).await;
        assert_eq!(set.unwrap(), Some(MailStatus::Unread));
        folder
    }

    /// Calendars on a server, invitations by way of another.
    async fn of_a_server() -> Self {
        static SERVER: OnceLock<Radicale> = OnceLock::new();
        let people: Vec<String> = (0..100).map(|n| format!("ana{n}")).collect();
        let names: Vec<&str> = people.iter().map(String::as_str).collect();
        let server = SERVER.get_or_init(|| Radicale::start(&names));
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let ana = &people[NEXT.fetch_add(1, Ordering::SeqCst)];
        // Another test may have been first.
        drop(rustls::crypto::ring::default_provider().install_default());
        let home = format!("http://127.0.0.1:{}/{ana}", server.port());
        for (name, text) in [
            ("calendar", calendar::ics()),
            (calendar::COLLEAGUE, calendar::colleague_ics()),
        ] {
            server.put(ana, &format!("/{ana}/{name}/"), &text);
        }
        let url = format!("{home}/calendar/").replace("//127", &format!("//{ana}@127"));
        Self::of(
            Some(CalDavServer::read(&url, Some(PASSWORD.into())).unwrap()),
            |_| (),
        )
    }

    fn of_documents() -> Self {
        Self::new(|root| {
            let documents = root.join("documents");
            fs::create_dir(&documents).unwrap();
            for document in conformance::documents::given() {
                let summary = document.summary;
                let path = documents.join(format!("{}.md", summary.title));
                fs::write(&path, &document.text).unwrap();
                let file = fs::File::options().append(true).open(path).unwrap();
                file.set_modified(SystemTime::from(summary.modified))
                    .unwrap();
            }
            fs::write(documents.join("Spring budget.csv"), BUDGET).unwrap();
        })
    }

    fn of_a_calendar() -> Self {
        Self::new(|root| {
            fs::write(root.join("calendar.ics"), calendar::ics()).unwrap();
            let text = calendar::colleague_ics();
            fs::write(root.join("people/Ben@Example.com.ics"), text).unwrap();
        })
    }
}

/// A server has had nothing to find fault with.
impl Drop for Folder {
    fn drop(&mut self) {
        if let Some(server) = self.server.take().filter(|_| !std::thread::panicking()) {
            server.taken();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_in_files_passes_the_suite() {
    conformance::mail(async || Folder::of_files().await.side()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_sent_by_smtp_passes_the_suite() {
    conformance::mail(async || Folder::of_files().await.with_smtp().side()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_in_a_file_passes_the_suite() {
    conformance::calendar(async || Folder::of_a_calendar().side()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_with_smtp_passes_the_suite() {
    conformance::calendar(async || Folder::of_a_calendar().with_smtp().side()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_on_a_server_passes_the_suite() {
    conformance::calendar(async || Folder::of_a_server().await.with_smtp().side()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_passes_the_suite() {
    conformance::documents(async || Folder::of_documents().side()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_passes_the_suite() {
    conformance::sheets(async || Folder::of_documents().side()).await;
}
