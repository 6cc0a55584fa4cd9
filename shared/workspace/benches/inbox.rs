//! The first page of 100,000 mails in a folder: of a new process, and within one process.
//! `cargo bench -p alfred-workspace [MAILS]`
#![allow(clippy::unwrap_used, reason = "a bench stops at the first failure")]
#![allow(
    missing_docs,
    clippy::print_stderr,
    reason = "a bench is a program of its own"
)]

use alfred_core::ports::{Account, Mail, MailQuery, MailStatus, Mailbox, SystemClock};
use alfred_workspace::{Identity, Workspace};
use jiff::tz::TimeZone;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;

fn account() -> Account {
    Account {
        team: "T1".into(),
        user: "UANA".into(),
    }
}

fn open(root: &Path) -> Workspace {
    let ana = Identity {
        account: account(),
        mailbox: Mailbox::new("Ana", "ana@example.com"),
        zone: TimeZone::UTC,
        calendar: None,
    };
    Workspace::new([(ana, root.to_owned())], Arc::new(SystemClock))
}

/// Each 4 KB, as plain mails are.
fn lay(root: &Path, mails: i64) {
    let inbox = root.join("mail/inbox");
    fs::create_dir_all(&inbox).unwrap();
    let body =
        "The quick brown fox jumps over the lazy dog, and then some more of it.\r\n".repeat(50);
    for number in 0..mails {
        let at = jiff::Timestamp::from_second(1_700_000_000 + number * 600).unwrap();
        let date = at.strftime("%a, %d %b %Y %H:%M:%S +0000");
        let mail = format!(
            "Received: from mx.example by ana.example; {date}\r\nFrom: Sender {0} <sender{0}@example.com>\r\nTo: Ana <ana@example.com>\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= number {number}\r\nDate: {date}\r\nMessage-ID: <{number}@example.com>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{body}",
            number % 500
        );
        fs::write(inbox.join(format!("{number}.eml")), mail).unwrap();
    }
}

fn time(runtime: &Runtime, what: &str, workspace: &Workspace, query: &MailQuery) {
    let began = Instant::now();
    let page = runtime.block_on(workspace.list(&account(), query)).unwrap();
    let took = began.elapsed();
    eprintln!(
        "{what:<44} {took:>10.1?}   {} of {}",
        page.mails.len(),
        page.total.number()
    );
}

fn main() {
    let mut asked = std::env::args().filter_map(|argument| argument.parse().ok());
    let mails = asked.next_back().unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path(), mails);
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    let first = MailQuery {
        limit: 50,
        ..MailQuery::default()
    };
    let words = MailQuery {
        words: vec!["grüße".into(), "number 77".into()],
        ..first.clone()
    };
    let workspace = open(folder.path());
    time(&runtime, "first page of a new process", &workspace, &first);
    time(&runtime, "first page again", &workspace, &first);
    time(&runtime, "first page of a search", &workspace, &words);
    let page = runtime
        .block_on(workspace.list(&account(), &first))
        .unwrap();
    let began = Instant::now();
    for mail in page.mails.iter().take(30) {
        let ana = account();
        let set = workspace.set_status(&ana, &mail.id, MailStatus::Archived);
        runtime.block_on(set).unwrap();
    }
    eprintln!("{:<44} {:>10.1?}", "archive 30 mails", began.elapsed());
    time(&runtime, "first page after that", &workspace, &first);
    for what in ["a mail", "another one"] {
        let mail = format!("From: a@example.com\r\nSubject: {what}\r\n\r\nNew.\r\n");
        let file = format!("mail/inbox/{what}.eml");
        fs::write(folder.path().join(file), mail).unwrap();
        let what = format!("first page after {what} arrived");
        time(&runtime, &what, &workspace, &first);
    }
    fs::copy(
        folder.path().join("mail/inbox/0.eml"),
        folder.path().join("mail/inbox/new.eml"),
    )
    .unwrap();
    time(
        &runtime,
        "first page after a copy of one",
        &workspace,
        &first,
    );
    fs::remove_file(folder.path().join("mail/inbox/0.eml")).unwrap();
    time(
        &runtime,
        "first page after another program deleted one",
        &workspace,
        &first,
    );
    drop(workspace);
    time(
        &runtime,
        "first page of another process",
        &open(folder.path()),
        &first,
    );
}
