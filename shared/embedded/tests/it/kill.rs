//! Kills a writing child process at random moments. Acknowledged writes must survive, the folder must be
//! free at once, and leased messages must return. The child runs this same test.

use alfred_core::ports::{
    Clock, Commit, Key, Query, QueueName, Range, Store, SystemClock, SystemIds, Write,
};
use alfred_embedded::{DataFolder, FolderError, SqliteQueue, SqliteStore};
use alfred_testkit::wait::Parts;
use alfred_testkit::{ChildGuard, LIMIT, ManualClock};
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Environment variable with the child's folder.
const FOLDER: &str = "ALFRED_TEST_KILLED_FOLDER";
/// Prefix of the child's reports, which share stdout with the test harness.
const REPORT: &str = "wrote ";
const THIS_TEST: &str = "kill::killed_process_loses_nothing_acknowledged";
const ROUNDS: usize = 8;
const MINUTE: Duration = Duration::from_secs(60);

fn ports(folder: &DataFolder) -> (SqliteStore, SqliteQueue) {
    let database = folder.database().unwrap();
    let clock = Arc::new(SystemClock);
    let store = SqliteStore::new(database.clone(), clock.clone());
    (store, SqliteQueue::new(database, clock, 1_000))
}

/// For each number, commits two items, sends a message and reports it, until killed.
async fn write_until_killed(path: &Path) {
    let folder = DataFolder::open(path).unwrap();
    let (store, queue) = ports(&folder);
    let partition = Query::state("T1#numbers", Range::Prefix("a".into()));
    // Ends a line the test harness may have begun.
    println!();
    let start = store.query(&partition).await.unwrap().items.len();
    for n in start.. {
        let put = |half: &str| {
            let key = Key::state("T1#numbers", format!("{half}{n:06}"));
            Write::create(key, json!({"n": n}))
        };
        let mut commit = Commit::new(&SystemIds, vec![put("a"), put("b")]);
        commit.defers_sync = n % 2 == 0;
        store.commit(&commit).await.unwrap();
        let (text, group) = (n.to_string(), format!("g{n}"));
        let sent = queue.send_raw(QueueName::Ingress, text.clone(), &group, &text);
        sent.await.unwrap();
        queue.receive(QueueName::Ingress, 1, MINUTE).await.unwrap();
        println!("{REPORT}{n}");
        std::io::stdout().flush().unwrap();
    }
}

fn spawn(path: &Path) -> ChildGuard {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([THIS_TEST, "--exact", "--nocapture"]);
    command.env(FOLDER, path).stdout(Stdio::piped());
    ChildGuard::spawn(&mut command)
}

/// The numbers a process reported. Skips a line cut off by the kill.
fn reports(lines: Parts) -> impl Iterator<Item = usize> {
    let lines = std::iter::from_fn(move || lines.next(LIMIT, "a report of the child"));
    lines.filter_map(|line| Some(line.strip_prefix(REPORT)?.parse().unwrap()))
}

/// Kills a process after `count` reports, and returns all numbers it reported.
fn run_and_kill(path: &Path, count: usize) -> Vec<usize> {
    let mut child = spawn(path);
    let mut reports = reports(Parts::lines(child.stdout.take().unwrap()));
    let mut written: Vec<usize> = reports.by_ref().take(count).collect();
    assert_eq!(written.len(), count, "the process ended by itself");
    let Err(FolderError::InUse { pid, .. }) = DataFolder::open(path) else {
        panic!("the child owns the folder");
    };
    assert_eq!(pid, Some(child.id()));
    drop(child);
    written.extend(reports);
    written
}

async fn check(path: &Path, written: &[usize]) {
    let folder = DataFolder::open(path).expect("free as soon as its owner is dead");
    let (store, queue) = ports(&folder);
    let items = |half: &str| Query::state("T1#numbers", Range::Prefix(half.into()));
    let first = store.query(&items("a")).await.unwrap().items;
    let second = store.query(&items("b")).await.unwrap().items;
    assert_eq!(first.len(), second.len(), "half a commit");
    for (n, item) in first.iter().enumerate() {
        assert_eq!(item.body["n"], n);
    }
    let last = written.iter().max().unwrap();
    assert!(first.len() > *last, "{} items, written {last}", first.len());

    queue.release_leases().await.unwrap();
    // Messages with several deaths are delayed by up to 10 s.
    let later = ManualClock::at(SystemClock.now().checked_add(MINUTE).unwrap());
    let later = SqliteQueue::new(folder.database().unwrap(), Arc::new(later), 1_000);
    let messages = later.receive(QueueName::Ingress, 100_000, MINUTE);
    let messages = messages.await.unwrap();
    let mut numbers: Vec<usize> = messages.iter().map(|m| m.body.parse().unwrap()).collect();
    for n in written {
        assert!(numbers.contains(n), "message {n} is gone");
    }
    let sent = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), sent, "a message is there twice");
    queue.release_leases().await.unwrap();
}

#[test]
fn killed_process_loses_nothing_acknowledged() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    if let Some(path) = std::env::var_os(FOLDER) {
        return runtime.block_on(write_until_killed(Path::new(&path)));
    }
    let outer = TempDir::new().unwrap();
    let path = outer.path().join("data");
    let mut written = Vec::new();
    for round in 0..ROUNDS {
        written.extend(run_and_kill(&path, 3 + round * 5));
        runtime.block_on(check(&path, &written));
    }
}
