//! Unusable files are refused with their path and stay unchanged.

use alfred_core::ports::{Key, Query, QueueName, Range, Store, StoreError, Write};
use alfred_embedded::{Database, Problem, SCHEMA_VERSION, SqliteQueue, SqliteStore};
use alfred_testkit::ManualClock;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

use crate::commit;

/// Expects the file to be refused and to stay unchanged.
fn refused(file: &Path) -> Problem {
    let before = fs::read(file).unwrap();
    let Err(error) = Database::open(file) else {
        panic!("{} was opened", file.display());
    };
    let shown = error.to_string();
    assert!(shown.contains(&*file.to_string_lossy()), "{shown}");
    assert_eq!(fs::read(file).unwrap(), before, "the file was changed");
    error.problem
}

fn store(database: Database) -> SqliteStore {
    SqliteStore::new(database, Arc::new(ManualClock::default()))
}

async fn fill(file: &Path) {
    let store = store(Database::open(file).unwrap());
    for n in 0..40 {
        let body = json!({"t": "x".repeat(3_000)});
        let create = Write::create(Key::state("p", format!("{n:03}")), body);
        commit(&store, vec![create]).await.unwrap();
    }
}

#[tokio::test]
async fn file_that_is_no_database_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("alfred.db");
    for content in [b"x".repeat(40), b"{\"not\": \"SQLite\"}".repeat(1_000)] {
        fs::write(&file, content).unwrap();
        let error = refused(&file);
        assert!(matches!(error, Problem::Damaged(_)), "{error}");
        assert!(error.to_string().contains("move it away"), "{error}");
    }
}

#[tokio::test]
async fn damaged_or_cut_file_is_refused() {
    let folder = TempDir::new().unwrap();
    let whole = folder.path().join("whole.db");
    fill(&whole).await;
    let bytes = fs::read(&whole).unwrap();
    assert!(bytes.len() > 100_000);
    let file = folder.path().join("alfred.db");

    let mut page = bytes.clone();
    page[8 * 4_096..20 * 4_096].fill(0xA5);
    let mut header = bytes.clone();
    header[..32].fill(0);
    let mut cut = bytes.clone();
    cut.truncate(bytes.len() / 2);
    for damaged in [page, header, cut] {
        fs::write(&file, damaged).unwrap();
        let error = refused(&file);
        assert!(matches!(error, Problem::Damaged(_)), "{error}");
    }
    fs::write(&file, &bytes).unwrap();
    assert!(Database::open(&file).is_ok(), "the sound copy should open");
}

#[tokio::test]
async fn empty_file_with_a_log_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("alfred.db");
    fs::write(&file, b"").unwrap();
    fs::write(folder.path().join("alfred.db-wal"), b"log").unwrap();
    assert!(matches!(refused(&file), Problem::Damaged(_)));
}

#[tokio::test]
async fn other_schema_and_foreign_database_are_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("alfred.db");
    fill(&file).await;
    for schema in [SCHEMA_VERSION + 1, SCHEMA_VERSION - 1] {
        let other = Connection::open(&file).unwrap();
        other.pragma_update(None, "user_version", schema).unwrap();
        drop(other);
        let error = refused(&file);
        assert!(matches!(error, Problem::OtherRelease(found) if found == schema));
    }

    let other = folder.path().join("other.db");
    let foreign = Connection::open(&other).unwrap();
    let made = foreign.execute_batch("CREATE TABLE notes (text TEXT)");
    made.unwrap();
    drop(foreign);
    assert!(matches!(refused(&other), Problem::Foreign));
}

#[tokio::test]
async fn interrupted_creation_is_completed() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("alfred.db");
    fs::write(&file, b"").unwrap();
    fill(&file).await;
    let half = folder.path().join("half.db");
    let begun = Connection::open(&half).unwrap();
    begun.pragma_update(None, "journal_mode", "wal").unwrap();
    drop(begun);
    fill(&half).await;
    let store = store(Database::open(&half).unwrap());
    let last = store.get(&Key::state("p", "039")).await.unwrap();
    assert!(last.is_some());
}

#[test]
fn missing_folder_is_an_error_with_its_path() {
    let opened = Database::open(Path::new("/nonexistent/alfred.db"));
    let error = opened.err().unwrap();
    assert!(matches!(error.problem, Problem::Io(_)), "{error}");
    assert!(error.to_string().contains("/nonexistent/alfred.db"));
}

/// Changes one row directly.
fn damage(file: &Path, change: &str) {
    let connection = Connection::open(file).unwrap();
    let changed = connection.execute(&format!("UPDATE {change}"), []);
    assert_eq!(changed.unwrap(), 1, "{change}");
}

#[tokio::test]
async fn damaged_item_hides_no_other_and_can_be_replaced() {
    for (damaged, is_corrupt) in [
        ("body = substr(body, 1, 20)", true),
        ("body = CAST(x'ff' || substr(body, 2) AS TEXT)", true),
        (
            "body = CAST(substr(body, 1, 10) || x'c3' || substr(body, 12) AS TEXT)",
            true,
        ),
        ("range = CAST(x'3030ff37' AS TEXT)", false),
        ("version = -1", true),
        ("version = 9223372036854775807", false),
        ("expires = 9223372036854775807", true),
        ("commit_id = x'01'", false),
    ] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("alfred.db");
        fill(&file).await;
        damage(&file, &format!("items SET {damaged} WHERE range = '007'"));
        let store = store(Database::open(&file).unwrap());
        let key = Key::state("p", "007");
        let read = store.get(&key).await;
        if is_corrupt {
            let Err(error @ StoreError::Corrupt { .. }) = read else {
                panic!("{damaged}: {read:?}");
            };
            assert!(!error.to_string().contains("xxx"), "{error}");
        }
        let page = store.query(&Query::state("p", Range::All)).await.unwrap();
        assert_eq!(page.items.len(), 40, "{damaged}");
        let unreadable = page.items.iter().filter(|item| !item.body.is_object());
        assert_eq!(unreadable.count(), usize::from(is_corrupt), "{damaged}");
        let replace = Write::put(key.clone(), None, json!({"t": "new"}));
        commit(&store, vec![replace]).await.unwrap();
        let read = store.get(&key).await.unwrap().unwrap();
        assert_eq!(read.body, json!({"t": "new"}), "{damaged}");
    }
}

#[tokio::test]
async fn damaged_message_blocks_no_other_and_can_be_put_aside() {
    for (damaged, is_readable) in [
        ("body = CAST(x'7bff7d' AS TEXT)", false),
        ("grp = CAST(x'fffe41' AS TEXT)", true),
        ("receives = -4", true),
        ("receives = 9223372036854775807", true),
        ("deaths = -1", true),
        ("sent_at = -9223372036854775808", true),
    ] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("alfred.db");
        let clock = Arc::new(ManualClock::default());
        let queue = SqliteQueue::new(Database::open(&file).unwrap(), clock, 2_000_000);
        let body = |group: &str| format!("{{\"group\":\"{group}\"}}");
        for group in ["a", "b"] {
            let sent = queue.send_raw(QueueName::Ingress, body(group), group, group);
            sent.await.unwrap();
        }
        damage(&file, &format!("messages SET {damaged} WHERE grp = 'a'"));
        let received = queue.receive(QueueName::Ingress, 10, Duration::from_secs(60));
        let received = received.await.unwrap();
        assert_eq!(received[0].body == body("a"), is_readable, "{damaged}");
        let is_json = serde_json::from_str::<Value>(&received[0].body).is_ok();
        assert_eq!(is_json, is_readable, "{damaged}");
        assert_eq!(received[1].body, body("b"), "{damaged}");
        assert!(queue.dead_letter(&received[0], "unreadable").await.unwrap());
        let dead = queue.dead_letters(QueueName::Ingress, 10).await.unwrap();
        assert_eq!(dead.len(), 1, "{damaged}");
    }
}
