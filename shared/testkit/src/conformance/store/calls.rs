//! The calls of `store.txt`.

use alfred_core::keys;
use alfred_core::ports::{
    Clock, Commit, Condition, Direction, EXPIRING, Item, Key, MAX_COMMIT_BYTES, MAX_ITEM_BYTES,
    MAX_WRITES, Op, Query, Range, Spilling, Store, StoreError, SystemIds, Table, Write, spilled,
};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use super::{StoreUnderTest, commit, partition, settle};
use crate::conformance::{Calls, joined, pass, quoted};
use crate::{Faults, When, unavailable};

pub(super) async fn play<S: StoreUnderTest>(open: &impl AsyncFn() -> S) {
    let limits = (MAX_WRITES, MAX_ITEM_BYTES, MAX_COMMIT_BYTES);
    assert_eq!(limits, (100, 390_000, 4_000_000), "store.txt has these");
    let open = async || {
        let side = open().await;
        World {
            store: side.store(),
            side,
            partition: partition(),
            last: Commit::new(&SystemIds, Vec::new()),
        }
    };
    pass("store.txt", include_str!("../store.txt"), open).await;
}

/// A store, of which a case uses one partition.
struct World<S> {
    side: S,
    store: Arc<dyn Store>,
    partition: String,
    last: Commit,
}

impl<S: StoreUnderTest> World<S> {
    /// The key of an item; `audit:` precedes those of the audit table.
    fn key(&self, range: &str) -> Key {
        match range.strip_prefix("audit:") {
            Some(range) => Key {
                table: Table::Audit,
                ..Key::state(self.partition.clone(), range)
            },
            None => Key::state(self.partition.clone(), range),
        }
    }

    /// The writes of a commit, with ` + ` between them. `3 times create N {"n":N}` is three writes.
    fn writes(&self, words: &[&str]) -> Vec<Write> {
        let mut writes = Vec::new();
        for words in words.split(|word| *word == "+") {
            match words {
                ["nothing"] => {}
                [times, "times", words @ ..] => {
                    for n in 0..times.parse::<usize>().unwrap() {
                        let n = n.to_string();
                        let words: Vec<String> =
                            words.iter().map(|one| one.replace('N', &n)).collect();
                        let words: Vec<&str> = words.iter().map(String::as_str).collect();
                        writes.push(self.write(&words));
                    }
                }
                words => writes.push(self.write(words)),
            }
        }
        writes
    }

    fn write(&self, words: &[&str]) -> Write {
        if let [words @ .., "for", seconds] = words {
            return self.write(words).expiring(self.after(seconds));
        }
        let key = self.key(words[1]);
        match (words[0], &words[2..]) {
            ("create", [to]) => Write::create(key, body(to)),
            ("replace", [version, to]) => Write::replace(key, version.parse().unwrap(), body(to)),
            ("put", [to]) => Write::put(key, None, body(to)),
            ("delete", []) => Write::delete(key, None),
            ("delete", [condition]) => Write::delete(key, Some(of(condition))),
            ("check", [condition]) => Write {
                key,
                condition: Some(of(condition)),
                op: Op::Check,
            },
            _ => panic!("no write {words:?}"),
        }
    }

    fn after(&self, seconds: &str) -> Timestamp {
        let now = Timestamp::from_second(self.side.clock().now().as_second()).unwrap();
        now + SignedDuration::from_secs(seconds.parse().unwrap())
    }

    async fn commit(&mut self, store: &dyn Store, commit: Commit) -> String {
        self.last = commit;
        match settle(store, &self.last).await {
            Ok(()) => String::new(),
            Err(StoreError::Conflict { key }) if key == self.key(&key.range) => {
                format!("conflict {}", key.range)
            }
            Err(StoreError::Conflict { key }) if key.table == Table::Audit => {
                format!("conflict audit:{}", key.range)
            }
            Err(StoreError::Refused { reason }) if !reason.is_empty() => "refused".into(),
            Err(StoreError::Unavailable { .. }) => "unavailable".into(),
            Err(other) => panic!("{other:?}"),
        }
    }

    /// A commit whose first try fails.
    async fn failing(&mut self, when: When, words: &[&str]) -> String {
        let faults = Faults::default();
        faults.fail_at("store.commit", 1, when, unavailable());
        let store = faults.before(Arc::new(self.store.clone()));
        let writes = self.writes(words);
        self.commit(&store, commit(writes)).await
    }

    async fn read(&self, range: &str) -> String {
        let key = self.key(range);
        let item = match self.store.get(&key).await {
            Ok(Some(item)) => item,
            Ok(None) => return "none".into(),
            Err(StoreError::Corrupt { detail }) => return format!("corrupt: {detail}"),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(item.key, key);
        let body = match item.body["t"].as_str() {
            Some(text) => quoted(text),
            // A text file must not change the direction of its lines.
            None => item.body.to_string().replace('\u{202e}', "\\u202e"),
        };
        let shown = format!("v{} {body}", item.version);
        match item.expires_at {
            Some(at) => {
                let left = at.as_second() - self.side.clock().now().as_second();
                format!("{shown} for {left}")
            }
            None => shown,
        }
    }

    async fn place(&self, range: &str) -> String {
        let key = self.key(range);
        let item = self.side.store().get(&key).await.unwrap().unwrap();
        let Some((_, digest)) = spilled(&key.partition, &item.body) else {
            return "item".into();
        };
        let expiring = format!("{EXPIRING}/{}", keys::blob_scope(&key.partition));
        match self.side.blobs().get(&expiring, &digest).await {
            Ok(_) => "expiring blob".into(),
            Err(_) => "lasting blob".into(),
        }
    }

    /// The ranges of a query, which are the same on pages of 1, 2 and 100 items and in both directions. Each item is
    /// what `get` reads.
    async fn list(&self, table: Table, range: Range) -> String {
        let store = &self.store;
        let mut query = Query::state(self.partition.clone(), range);
        query.table = table;
        let (items, _) = all_pages(store, query.clone()).await;
        for limit in [1, 2, 100] {
            query.limit = limit;
            query.direction = Direction::Forward;
            assert_eq!(all_pages(store, query.clone()).await.0, items);
            query.direction = Direction::Backward;
            let mut backward = all_pages(store, query.clone()).await.0;
            backward.reverse();
            assert_eq!(backward, items);
        }
        for item in &items {
            assert_eq!(store.get(&item.key).await.unwrap().as_ref(), Some(item));
        }
        joined(items.into_iter().map(|item| item.key.range), " ")
    }
}

#[async_trait]
impl<S: StoreUnderTest> Calls for World<S> {
    async fn call(&mut self, words: &[&str]) -> String {
        let store = self.store.clone();
        match words {
            // A call that moves large bodies to blobs.
            ["big", words @ ..] => {
                self.store = Arc::new(Spilling::new(store.clone(), self.side.blobs()));
                let shown = self.call(words).await;
                self.store = store;
                shown
            }
            ["read", range] => self.read(range).await,
            ["place", range] => self.place(range).await,
            ["list"] => self.list(Table::State, Range::All).await,
            ["list", "audit"] => self.list(Table::Audit, Range::All).await,
            ["list", prefix] => {
                let range = Range::Prefix((*prefix).into());
                self.list(Table::State, range).await
            }
            ["list", low, "to", high] => {
                let range = Range::Between((*low).into(), (*high).into());
                self.list(Table::State, range).await
            }
            ["count"] => {
                let all = Query::state(self.partition.clone(), Range::All);
                let (items, filled) = all_pages(&store, all).await;
                let pages = if filled > 1 { " on several pages" } else { "" };
                format!("{}{pages}", items.len())
            }
            ["pass", seconds] => {
                let seconds = Duration::from_secs(seconds.parse().unwrap());
                self.side.clock().advance(seconds);
                String::new()
            }
            ["elsewhere", range] => {
                let key = Key::state(format!("{}#other", self.partition), *range);
                let write = Write::create(key, json!({}));
                self.commit(&store, commit(vec![write])).await
            }
            ["lost", words @ ..] => self.failing(When::After, words).await,
            ["unsent", words @ ..] => self.failing(When::Before, words).await,
            ["again"] => self.commit(&store, self.last.clone()).await,
            ["again", "with", "another", "id"] => {
                let other = commit(self.last.writes.clone());
                self.commit(&store, other).await
            }
            words => {
                let writes = self.writes(words);
                self.commit(&store, commit(writes)).await
            }
        }
    }
}

/// Follows the cursors to the end, and gives the items and how many pages held any.
async fn all_pages(store: &dyn Store, mut query: Query) -> (Vec<Item>, usize) {
    let (mut items, mut filled) = (Vec::new(), 0);
    for _ in 0..200 {
        let page = store.query(&query).await.unwrap();
        assert!(page.items.len() <= query.limit, "more than the limit");
        filled += usize::from(!page.items.is_empty());
        items.extend(page.items);
        match page.cursor {
            Some(cursor) => query.cursor = Some(cursor),
            None => return (items, filled),
        }
    }
    panic!("200 pages and no end");
}

/// A body as JSON, or the text that it has.
fn body(word: &str) -> Value {
    if word.starts_with(['{', '[']) {
        serde_json::from_str(word).unwrap()
    } else {
        json!({"t": word})
    }
}

fn of(condition: &str) -> Condition {
    match condition {
        "absent" => Condition::Absent,
        version => Condition::Version(version.parse().unwrap()),
    }
}
