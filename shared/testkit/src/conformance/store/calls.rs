//! The calls of `store.txt`.

use alfred_core::ports::{
    Clock, Commit, Condition, Direction, Key, MAX_COMMIT_BYTES, MAX_ITEM_BYTES, MAX_WRITES, Op,
    Query, Range, Store, StoreError, SystemIds, Table, Write,
};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use super::paging::all_pages;
use super::{StoreUnderTest, commit, partition, settle};
use crate::conformance::{Calls, pass};
use crate::{Faults, When, unavailable};

pub(super) async fn play<S: StoreUnderTest>(open: &impl AsyncFn() -> S) {
    let limits = (MAX_WRITES, MAX_ITEM_BYTES, MAX_COMMIT_BYTES);
    assert_eq!(limits, (100, 390_000, 4_000_000), "store.txt has these");
    let open = async || World {
        side: open().await,
        partition: partition(),
        last: Commit::new(&SystemIds, Vec::new()),
    };
    pass("store.txt", include_str!("../store.txt"), open).await;
}

/// A store, of which a case uses one partition.
struct World<S> {
    side: S,
    partition: String,
    /// The last commit.
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
        let store = faults.before(Arc::new(self.side.store()));
        let writes = self.writes(words);
        self.commit(&store, commit(writes)).await
    }

    async fn read(&self, range: &str) -> String {
        let key = self.key(range);
        let Some(item) = self.side.store().get(&key).await.unwrap() else {
            return "none".into();
        };
        assert_eq!(item.key, key);
        let shown = format!("v{} {}", item.version, item.body);
        match item.expires_at {
            Some(at) => {
                let left = at.as_second() - self.side.clock().now().as_second();
                format!("{shown} for {left}")
            }
            None => shown,
        }
    }

    /// The ranges of a query, which are the same on pages of 1, 2 and 100 items and in both directions. Each item is
    /// what `get` reads.
    async fn list(&self, table: Table, range: Range) -> Vec<String> {
        let store = self.side.store();
        let mut query = Query::state(self.partition.clone(), range);
        query.table = table;
        let (items, _) = all_pages(&store, query.clone()).await;
        for limit in [1, 2, 100] {
            query.limit = limit;
            query.direction = Direction::Forward;
            assert_eq!(all_pages(&store, query.clone()).await.0, items);
            query.direction = Direction::Backward;
            let mut backward = all_pages(&store, query.clone()).await.0;
            backward.reverse();
            assert_eq!(backward, items);
        }
        for item in &items {
            assert_eq!(store.get(&item.key).await.unwrap().as_ref(), Some(item));
        }
        items.into_iter().map(|item| item.key.range).collect()
    }
}

#[async_trait]
impl<S: StoreUnderTest> Calls for World<S> {
    async fn call(&mut self, words: &[&str]) -> String {
        let store = self.side.store();
        match words {
            ["read", range] => self.read(range).await,
            ["list"] => shown(&self.list(Table::State, Range::All).await),
            ["list", "audit"] => shown(&self.list(Table::Audit, Range::All).await),
            ["list", prefix] => {
                let range = Range::Prefix((*prefix).into());
                shown(&self.list(Table::State, range).await)
            }
            ["list", low, "to", high] => {
                let range = Range::Between((*low).into(), (*high).into());
                shown(&self.list(Table::State, range).await)
            }
            ["count"] => {
                let all = Query::state(self.partition.clone(), Range::All);
                all_pages(&store, all).await.0.len().to_string()
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

fn shown(ranges: &[String]) -> String {
    if ranges.is_empty() {
        "nothing".into()
    } else {
        ranges.join(" ")
    }
}

/// A body as JSON; `x×9` is a body with a text of nine letters.
fn body(word: &str) -> Value {
    match word.strip_prefix("x×") {
        Some(times) => json!({"t": "x".repeat(times.parse().unwrap())}),
        None => serde_json::from_str(word).unwrap(),
    }
}

fn of(condition: &str) -> Condition {
    match condition {
        "absent" => Condition::Absent,
        version => Condition::Version(version.parse().unwrap()),
    }
}
