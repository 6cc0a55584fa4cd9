use super::*;
use crate::folder;
use alfred_core::ports::MailStatus;
use std::time::{Duration, SystemTime};

fn laid(mails: &[&str]) -> (tempfile::TempDir, Index) {
    let folder = tempfile::tempdir().unwrap();
    for shelf in Shelf::ALL {
        fs::create_dir_all(folder.path().join(shelf.name())).unwrap();
    }
    fs::create_dir_all(folder.path().join(".alfred")).unwrap();
    for name in mails {
        put(folder.path(), name);
    }
    let index = Index::open(folder.path());
    (folder, index)
}

fn put(root: &Path, name: &str) {
    let mail = format!("From: a@b.example\nSubject: {name}\n\nx\n");
    fs::write(root.join("inbox").join(name), mail).unwrap();
}

/// The folders changed long ago, and not since as far as their time tells.
fn aged(root: &Path) {
    for shelf in Shelf::ALL {
        let folder = fs::File::open(root.join(shelf.name())).unwrap();
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        folder.set_modified(long_ago).unwrap();
    }
}

fn subjects(index: &Index) -> Vec<&str> {
    let mails = index.mails.iter();
    let mut subjects: Vec<&str> = mails.map(|mail| mail.summary.subject.as_str()).collect();
    subjects.sort_unstable();
    subjects
}

/// Between the look at the folder and the move, whose time is that of both.
#[test]
fn a_mail_that_arrives_beside_a_move_of_ours_is_seen() {
    let (folder, mut index) = laid(&["a.eml", "b.eml"]);
    aged(folder.path());
    assert!(index.refresh().unwrap());
    assert!(!index.refresh().unwrap());
    let id = index.mails[0].summary.id.clone();
    let Place::File { name, .. } = index.mails[0].place.clone() else {
        panic!("it is a file");
    };
    put(folder.path(), "c.eml");
    let file = folder.path().join("inbox").join(&name);
    folder::move_into(&file, &folder.path().join("archive")).unwrap();
    aged(folder.path());
    index.moved(&id, Shelf::Archive, name).unwrap();
    // The next of several moves lists nothing anew; a page does.
    assert!(!index.refresh_between_moves().unwrap());
    assert!(index.refresh().unwrap());
    assert_eq!(subjects(&index), ["a.eml", "b.eml", "c.eml"]);
    assert_eq!(index.get(&id).unwrap().summary.status, MailStatus::Unread);
    assert_eq!(index.get(&id).unwrap().came_as, MailStatus::Archived);
    assert!(!index.refresh().unwrap());
}

/// What was written over is known by its name: the next listing makes no second mail of it.
#[test]
fn what_was_written_over_isnt_its_own_copy() {
    let (folder, mut index) = laid(&["a.eml"]);
    index.refresh().unwrap();
    let id = index.mails[0].summary.id.clone();
    let mail = "From: a@b.example\nSubject: other words\n\nx\n";
    fs::write(folder.path().join("inbox/a.eml"), mail).unwrap();
    assert!(index.verify(std::iter::once(&id)).unwrap());
    let id = index.mails[0].summary.id.clone();
    put(folder.path(), "b.eml");
    assert!(index.refresh().unwrap());
    assert_eq!(subjects(&index), ["b.eml", "other words"]);
    assert!(index.aside.is_empty());
    assert_eq!(index.copies(&id, Shelf::Inbox), [] as [PathBuf; 0]);
}
