//! The folder passes the suites that every mailbox, calendar, document and sheet passes.

use crate::support::{Folder, ana};

use alfred_core::ports::{Mail, MailStatus};
use alfred_testkit::conformance::{self, AccountSide, calendar, mail};
use alfred_testkit::radicale::{PASSWORD, Radicale};
use alfred_testkit::smtp_server::Server;
use alfred_workspace::{CalDavServer, Smtp, Workspace};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

const BUDGET: &str = "Item,Cost,Paid\r\n\"Oak, \"\"first\"\"\",1200.5,TRUE\r\n\"Größe\n90 cm\",-3,FALSE\r\n007,,no\r\n";

fn side(folder: Folder) -> AccountSide<Workspace> {
    AccountSide::new(Arc::new(folder.workspace.clone()), ana(), folder)
}

struct Checked(Server);

/// The server has had nothing to find fault with.
impl Drop for Checked {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.taken();
        }
    }
}

/// What is sent leaves by way of a server.
fn with_smtp(folder: Folder) -> AccountSide<Workspace> {
    let server = Server::start();
    let smtp = Smtp::read(&server.url(), None).unwrap();
    let workspace = folder.workspace.clone().with_smtp(smtp);
    AccountSide::new(Arc::new(workspace), ana(), (folder, Checked(server)))
}

/// Each mail is a file. A state is no part of a mail, so that is set by way of the port.
async fn mailbox() -> Folder {
    let (folder, mails) = (Folder::new(), mail::mails());
    for (number, mail) in mails.iter().enumerate() {
        let shelf = match mail.summary.status {
            MailStatus::Archived => "archive",
            _ => "inbox",
        };
        folder.put(&format!("mail/{shelf}/{number}.eml"), mail::rfc5322(mail));
    }
    let mut mails = mails.iter().map(|mail| &mail.summary);
    let read = mails.find(|mail| mail.status == MailStatus::Read).unwrap();
    let listed = folder.page().await.mails;
    let listed = listed.iter().find(|mail| mail.subject == read.subject);
    let id = &listed.unwrap().id;
    let ana = ana();
    let set = folder.workspace.set_status(&ana, id, MailStatus::Read);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Unread));
    folder
}

fn calendar_file() -> Folder {
    let folder = Folder::new();
    folder.put("calendar.ics", calendar::ics());
    folder.put("people/Ben@Example.com.ics", calendar::colleague_ics());
    folder
}

fn calendar_server() -> Folder {
    static SERVER: OnceLock<Radicale> = OnceLock::new();
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let people: Vec<String> = (0..100).map(|n| format!("ana{n}")).collect();
    let names: Vec<&str> = people.iter().map(String::as_str).collect();
    let server = SERVER.get_or_init(|| Radicale::start(&names));
    let ana = names[NEXT.fetch_add(1, Ordering::SeqCst)];
    // Another test may have been first.
    drop(rustls::crypto::ring::default_provider().install_default());
    for (name, text) in [
        ("calendar", calendar::ics()),
        (calendar::COLLEAGUE, calendar::colleague_ics()),
    ] {
        server.put(ana, &format!("/{ana}/{name}/"), &text);
    }
    let url = format!("http://{ana}@127.0.0.1:{}/{ana}/calendar/", server.port());
    let server = CalDavServer::read(&url, Some(PASSWORD.into())).unwrap();
    Folder::with(Some(server))
}

fn documents() -> Folder {
    let folder = Folder::new();
    for document in conformance::documents::given() {
        let path = format!("documents/{}.md", document.summary.title);
        folder.put(&path, &document.text);
        folder.set_modified(&path, document.summary.modified);
    }
    folder.put("documents/Spring budget.csv", BUDGET);
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_in_files_passes_the_suite() {
    conformance::mail(async || side(mailbox().await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_sent_by_smtp_passes_the_suite() {
    conformance::mail(async || with_smtp(mailbox().await)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_in_a_file_passes_the_suite() {
    conformance::calendar(async || side(calendar_file())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_with_smtp_passes_the_suite() {
    conformance::calendar(async || with_smtp(calendar_file())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_calendar_on_a_server_passes_the_suite() {
    conformance::calendar(async || with_smtp(calendar_server())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn markdown_passes_the_suite() {
    conformance::documents(async || side(documents())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn csv_passes_the_suite() {
    conformance::sheets(async || side(documents())).await;
}
