//! Kills a writing process at random moments: what it acknowledged is there,
//! its folder is free at once, and what it had in flight comes back.
//!
//! Without the test harness, because the same binary is the process that is killed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test stops at the first failure"
)]

use alfred_core::ports::{Clock, Commit, Key, Query, QueueName, Range, Store, SystemClock, Write};
use alfred_embedded::{DataFolder, FolderError, SqliteQueue, SqliteStore};
use alfred_testkit::ManualClock;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use uuid::Uuid;

const CHILD: &str = "--write-until-killed";
const ROUNDS: usize = 8;
const MINUTE: Duration = Duration::from_secs(60);

fn ports(folder: &DataFolder) -> (SqliteStore, SqliteQueue) {
    let database = folder.database().unwrap();
    let clock = Arc::new(SystemClock);
    let store = SqliteStore::new(database.clone(), clock.clone());
    (store, SqliteQueue::new(database, clock, 1_000))
}

/// Commits two items and sends a message for each number, tells it, and goes on until it is killed.
async fn write_until_killed(path: &Path) {
    let folder = DataFolder::open(path).unwrap();
    let token = SecretString::from("child's token");
    folder.publish("http://127.0.0.1:1", &token).unwrap();
    let (store, queue) = ports(&folder);
    let partition = Query::state("T1#numbers", Range::Prefix("a".into()));
    let start = store.query(&partition).await.unwrap().items.len();
    for n in start.. {
        let put = |half: &str| {
            Write::create(
                Key::state("T1#numbers", format!("{half}{n:06}")),
                json!({"n": n}),
            )
        };
        let commit = Commit {
            id: Uuid::now_v7(),
            writes: vec![put("a"), put("b")],
        };
        store.commit(&commit).await.unwrap();
        let (text, group) = (n.to_string(), format!("g{n}"));
        let sent = queue.send_raw(QueueName::Ingress, text.clone(), &group, &text);
        sent.await.unwrap();
        queue.receive(QueueName::Ingress, 1, MINUTE).await.unwrap();
        println!("{n}");
        std::io::stdout().flush().unwrap();
    }
}

fn spawn(path: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(CHILD).arg(path).stdout(Stdio::piped());
    command.spawn().unwrap()
}

/// Kills a child behind some of its lines, and gives the numbers it told.
fn run_and_kill(path: &Path, lines: usize) -> Vec<usize> {
    let mut child = spawn(path);
    let mut told = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    for _ in 0..lines {
        assert!(
            told.read_line(&mut text).unwrap() > 0,
            "the child ended by itself"
        );
    }
    match DataFolder::open(path) {
        Err(FolderError::InUse {
            pid,
            address,
            token,
            ..
        }) => {
            assert_eq!(pid, Some(child.id()));
            assert_eq!(address.as_deref(), Some("http://127.0.0.1:1"));
            assert_eq!(token.unwrap().expose_secret(), "child's token");
        }
        other => panic!("the child owns the folder, got {other:?}"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    told.read_to_string(&mut text).unwrap();
    let whole = text.rsplit_once('\n').unwrap().0;
    whole.lines().map(|line| line.parse().unwrap()).collect()
}

async fn check(path: &Path, told: &[usize]) {
    let folder = DataFolder::open(path).expect("free as soon as its owner is dead");
    let (store, queue) = ports(&folder);
    let items = |half: &str| Query::state("T1#numbers", Range::Prefix(half.into()));
    let first = store.query(&items("a")).await.unwrap().items;
    let second = store.query(&items("b")).await.unwrap().items;
    assert_eq!(first.len(), second.len(), "half a commit");
    for (n, item) in first.iter().enumerate() {
        assert_eq!(item.body["n"], n);
    }
    let last = told.iter().max().unwrap();
    assert!(first.len() > *last, "{} items, told {last}", first.len());

    queue.release_leases().await.unwrap();
    // What was there at many deaths comes back a little later.
    let now = SystemClock.now();
    let later = ManualClock::at(now.checked_add(MINUTE).unwrap());
    let later = SqliteQueue::new(folder.database().unwrap(), Arc::new(later), 1_000);
    let messages = later
        .receive(QueueName::Ingress, 100_000, MINUTE)
        .await
        .unwrap();
    let mut numbers: Vec<usize> = messages.iter().map(|m| m.body.parse().unwrap()).collect();
    for n in told {
        assert!(numbers.contains(n), "message {n} is gone");
    }
    let sent = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), sent, "a message is there twice");
    queue.release_leases().await.unwrap();
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(path) = arguments.iter().skip_while(|a| *a != CHILD).nth(1) {
        runtime.block_on(write_until_killed(Path::new(path)));
        return;
    }
    let outer = TempDir::new().unwrap();
    let path = outer.path().join("data");
    let mut told = Vec::new();
    for round in 0..ROUNDS {
        told.extend(run_and_kill(&path, 3 + round * 5));
        runtime.block_on(check(&path, &told));
    }
    println!("{ROUNDS} kills, nothing acknowledged was lost");
}
