//! A store in memory, for unit tests.

use alfred_core::ports::{
    Clock, Commit, Condition, Cursor, Direction, Item, Key, Op, Page, Query, Range, Store,
    StoreError, SystemIds, Write,
};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use uuid::Uuid;

/// A page ends behind this many bytes, as DynamoDB's does: a caller that ignores cursors fails here too.
const PAGE_BYTES: usize = 1_000_000;

struct Row {
    item: Item,
    bytes: usize,
    commit: Uuid,
}

pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    rows: Mutex<BTreeMap<Key, Row>>,
}

impl MemoryStore {
    /// An empty store; the clock decides what has expired.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            rows: Mutex::default(),
        }
    }

    /// Puts a body there as no commit would: what is left of an item that was damaged.
    pub fn damage(&self, key: &Key, body: Value) {
        let commit = Commit::new(&SystemIds, vec![Write::put(key.clone(), None, body)]);
        self.apply(&mut self.rows.lock().unwrap(), &commit);
    }

    fn is_live(&self, row: &Row) -> bool {
        row.item.expires_at.is_none_or(|at| self.clock.now() < at)
    }

    fn live<'a>(&self, rows: &'a BTreeMap<Key, Row>, key: &Key) -> Option<&'a Row> {
        rows.get(key).filter(|row| self.is_live(row))
    }

    fn apply(&self, rows: &mut BTreeMap<Key, Row>, commit: &Commit) {
        for write in &commit.writes {
            match &write.op {
                Op::Put { body, expires_at } => {
                    let before = self.live(rows, &write.key);
                    let item = Item {
                        key: write.key.clone(),
                        version: before.map_or(0, |row| row.item.version) + 1,
                        body: body.value(),
                        expires_at: expires_at.map(whole_seconds),
                    };
                    let row = Row {
                        item,
                        bytes: body.byte_len(),
                        commit: commit.id,
                    };
                    rows.insert(write.key.clone(), row);
                }
                Op::Delete => {
                    rows.remove(&write.key);
                }
                Op::Check => {}
            }
        }
    }
}

/// DynamoDB counts expiry in seconds.
fn whole_seconds(at: Timestamp) -> Timestamp {
    Timestamp::from_second(at.as_second()).expect("was a timestamp")
}

fn holds(condition: Option<Condition>, row: Option<&Row>) -> bool {
    match condition {
        None => true,
        Some(Condition::Absent) => row.is_none(),
        Some(Condition::Version(n)) => row.is_some_and(|row| row.item.version == n),
    }
}

fn in_range(range: &Range, key: &str) -> bool {
    match range {
        Range::All => true,
        Range::Prefix(prefix) => key.starts_with(prefix),
        Range::Between(low, high) => low.as_str() <= key && key <= high.as_str(),
    }
}

fn is_after(query: &Query, key: &str) -> bool {
    match (&query.cursor, query.direction) {
        (None, _) => true,
        (Some(Cursor(last)), Direction::Forward) => key > last.as_str(),
        (Some(Cursor(last)), Direction::Backward) => key < last.as_str(),
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        let rows = self.rows.lock().unwrap();
        let found = self.live(&rows, key).map(|row| row.item.clone().readable());
        found.transpose()
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        if query.limit == 0 {
            let reason = "a query of no items".into();
            return Err(StoreError::Refused { reason });
        }
        let rows = self.rows.lock().unwrap();
        let start = Key {
            table: query.table,
            partition: query.partition.clone(),
            range: String::new(),
        };
        let is_here = |key: &Key| key.table == query.table && key.partition == query.partition;
        let is_asked =
            |key: &Key| in_range(&query.range, &key.range) && is_after(query, &key.range);
        let here = rows.range(start..).take_while(|(key, _)| is_here(key));
        let asked = here.filter(|(key, row)| is_asked(key) && self.is_live(row));
        let mut found: Vec<&Row> = asked.map(|(_, row)| row).collect();
        if query.direction == Direction::Backward {
            found.reverse();
        }
        let (mut items, mut bytes) = (Vec::<Item>::new(), 0);
        for row in found {
            if items.len() == query.limit || bytes > PAGE_BYTES {
                let cursor = items.last().map(|last| Cursor(last.key.range.clone()));
                return Ok(Page { items, cursor });
            }
            bytes += row.bytes;
            items.push(row.item.clone());
        }
        let cursor = None;
        Ok(Page { items, cursor })
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        commit.validate()?;
        let mut rows = self.rows.lock().unwrap();
        let writes = commit.writes.iter();
        let mut there = writes.filter_map(|write| rows.get(&write.key));
        if there.any(|row| row.commit == commit.id) {
            return Ok(());
        }
        for write in &commit.writes {
            if !holds(write.condition, self.live(&rows, &write.key)) {
                let key = write.key.clone();
                return Err(StoreError::Conflict { key });
            }
        }
        self.apply(&mut rows, commit);
        Ok(())
    }
}
