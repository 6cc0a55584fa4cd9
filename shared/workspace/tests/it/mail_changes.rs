//! Whatever other programs do to a mailbox that is open, it shows what one shows that is opened then.

use crate::support;

use alfred_core::ports::{Mail, MailPage, MailStatus};
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
    Mbox(usize),
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
        1 => (10..12_usize).prop_map(Change::Mbox),
    ];
    proptest::collection::vec(change, 1..12)
}

/// As programs do that know of others: whole, by way of another name.
fn put(folder: &Folder, file: &str, text: &str) {
    folder.put("mail/new", text);
    folder.put(&format!("{file}.beside"), "");
    fs::remove_file(folder.path(&format!("{file}.beside"))).unwrap();
    fs::rename(folder.path("mail/new"), folder.path(file)).unwrap();
}

async fn apply(folder: &Folder, change: &Change) {
    match change {
        Change::Write(number, file) => put(folder, FILES[*file], &mail(*number)),
        Change::Move(from, to) => drop(fs::rename(
            folder.path(FILES[*from]),
            folder.path(FILES[*to]),
        )),
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
        Change::Mbox(number) => {
            let text = format!("From x Sat Nov 21 09:00:00 2026\n{}\n", mail(*number));
            folder.put("mail/box.mbox", text);
        }
    }
}

fn same(open: &MailPage, anew: &MailPage) {
    assert_eq!(open.mails, anew.mails);
    assert_eq!(open.total, anew.total);
    assert_eq!(open.unreadable, anew.unreadable);
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
                same(&open, &anew);
            }
            for mail in folder.page().await.mails {
                let read = folder.workspace.read(&ana(), &mail.id).await.unwrap();
                assert_eq!(read.unwrap().summary, mail);
            }
        });
    }
}

/// Also without a change of its folder, and under the very inode it had.
#[tokio::test]
async fn what_is_written_over_is_read_anew_when_it_is_shown() {
    let folder = Folder::new();
    for number in [2, 3] {
        folder.put(&format!("mail/inbox/{number}.eml"), mail(number));
    }
    let subjects = async || {
        let mails = folder.page().await.mails.into_iter();
        mails.map(|mail| mail.subject).collect::<Vec<_>>()
    };
    assert_eq!(subjects().await, ["3", "2"]);
    // The folder has settled: its time alone won't have it looked through.
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let inbox = fs::File::open(folder.path("mail/inbox")).unwrap();
    inbox.set_modified(long_ago).unwrap();
    assert_eq!(subjects().await, ["3", "2"]);
    folder.put("mail/inbox/2.eml", mail(4));
    assert_eq!(subjects().await, ["4", "3"]);
    inbox.set_modified(long_ago).unwrap();
    assert_eq!(subjects().await, ["4", "3"]);
    fs::remove_file(folder.path("mail/inbox/3.eml")).unwrap();
    folder.put("mail/inbox/3.eml", mail(5));
    assert_eq!(subjects().await, ["5", "4"]);
}

/// What was listed is what is read and archived, or nothing is: never what has taken its place.
#[tokio::test]
async fn another_mail_in_a_mails_place_isnt_taken_for_it() {
    let folder = Folder::new();
    folder.put("mail/inbox/1.eml", mail(2));
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let inbox = fs::File::open(folder.path("mail/inbox")).unwrap();
    inbox.set_modified(long_ago).unwrap();
    let listed = folder.page().await.mails.remove(0);
    let (workspace, ana) = (&folder.workspace, ana());
    // The folder's time doesn't tell, and its inode may be the same.
    let replaced = |number| {
        fs::remove_file(folder.path("mail/inbox/1.eml")).unwrap();
        folder.put("mail/inbox/1.eml", mail(number) + "More.\n");
        inbox.set_modified(long_ago).unwrap();
    };
    replaced(3);
    let set = workspace.set_status(&ana, &listed.id, MailStatus::Archived);
    assert_eq!(set.await.unwrap(), None);
    assert!(folder.path("mail/inbox/1.eml").exists());
    let listed = folder.page().await.mails.remove(0);
    assert_eq!(listed.subject, "3");
    replaced(4);
    assert_eq!(workspace.read(&ana, &listed.id).await.unwrap(), None);
    let listed = folder.page().await.mails.remove(0);
    let read = workspace.read(&ana, &listed.id).await.unwrap().unwrap();
    assert_eq!(read.summary, listed);
    let set = workspace.set_status(&ana, &listed.id, MailStatus::Archived);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Unread));
    assert!(folder.path("mail/archive/1.eml").exists());
}

/// The file it lies in is known to be its own, not a copy's.
#[tokio::test]
async fn what_was_written_over_can_be_archived() {
    let folder = Folder::new();
    folder.put("mail/inbox/1.eml", mail(2));
    let inbox = fs::File::open(folder.path("mail/inbox")).unwrap();
    let ago = |seconds| {
        let at = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
        inbox.set_modified(at).unwrap();
        at
    };
    let first = ago(90);
    assert_eq!(folder.page().await.total.number(), 1);
    folder.put("mail/inbox/1.eml", mail(3) + "More.\n");
    inbox.set_modified(first).unwrap();
    assert_eq!(folder.page().await.mails[0].subject, "3");
    folder.put("mail/inbox/2.eml", mail(4));
    ago(60);
    let page = folder.page().await;
    assert_eq!(page.total.number(), 2);
    let (ana, id) = (ana(), &page.mails[1].id);
    let set = folder.workspace.set_status(&ana, id, MailStatus::Archived);
    assert_eq!(set.await.unwrap(), Some(MailStatus::Unread));
    assert!(!folder.path("mail/inbox/1.eml").exists());
}
