//! Whatever other programs do to a mailbox that is open, it shows what one shows that is opened then.

use crate::support;

use alfred_core::ports::{Mail, MailStatus};
use proptest::prelude::*;
use std::fs;
use support::{Folder, ana};

#[derive(Clone, Debug)]
enum Change {
    /// One of a few mails is written to one of a few files: new, copied or overwritten.
    Write(usize, usize),
    /// To another folder, over whatever is there.
    Move(usize, usize),
    Delete(usize),
    Spoil(usize),
    Archive(usize),
}

const FILES: [&str; 6] = [
    "mail/inbox/a.eml",
    "mail/inbox/b.eml",
    "mail/archive/a.eml",
    "mail/archive/b.eml",
    "mail/archive/c.eml",
    "mail/sent/a.eml",
];

fn mail(number: usize) -> String {
    // Two of them have no date: theirs is their file's.
    let date = match number {
        0 | 1 => String::new(),
        day => format!("Date: {day} Nov 2026 09:00:00 +0000\n"),
    };
    format!("From: a@b.example\nSubject: {number}\n{date}\n{number}\n")
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let (file, number) = (0..FILES.len(), 0..6_usize);
    let change = prop_oneof![
        4 => (number.clone(), file.clone()).prop_map(|(n, f)| Change::Write(n, f)),
        3 => (file.clone(), file.clone()).prop_map(|(a, b)| Change::Move(a, b)),
        2 => file.clone().prop_map(Change::Delete),
        1 => file.prop_map(Change::Spoil),
        2 => (0..4_usize).prop_map(Change::Archive),
    ];
    proptest::collection::vec(change, 1..12)
}

/// As programs do that know of others: whole, by way of another name.
fn put(folder: &Folder, file: &str, text: &str) {
    folder.put("mail/new", text);
    fs::rename(folder.path("mail/new"), folder.path(file)).unwrap();
}

async fn apply(folder: &Folder, change: &Change) {
    match change {
        Change::Write(number, file) => put(folder, FILES[*file], &mail(*number)),
        Change::Move(from, to) => {
            let [from, to] = [from, to].map(|file| folder.path(FILES[*file]));
            drop(fs::rename(from, to));
        }
        Change::Delete(file) => drop(fs::remove_file(folder.path(FILES[*file]))),
        Change::Spoil(file) => put(folder, FILES[*file], "Not a mail.\n"),
        Change::Archive(at) => {
            if let Some(mail) = folder.page().await.mails.get(*at) {
                let status = match mail.status {
                    MailStatus::Archived => MailStatus::Unread,
                    _ => MailStatus::Archived,
                };
                let set = folder.workspace.set_status(&ana(), &mail.id, status).await;
                set.unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn an_open_mailbox_is_as_one_opened_anew(changes in changes()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut folder = Folder::new();
            folder.page().await;
            for change in &changes {
                apply(&folder, change).await;
                let open = folder.page().await;
                let kept = folder.workspace.clone();
                folder.reopen();
                let anew = folder.page().await;
                folder.workspace = kept;
                assert_eq!(open, anew);
            }
            for mail in folder.page().await.mails {
                let read = folder.workspace.read(&ana(), &mail.id).await.unwrap();
                assert_eq!(read.unwrap().summary, mail);
            }
        });
    }
}
