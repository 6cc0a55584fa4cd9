//! `Store` on SQLite.

mod commit;
mod erase;
mod query;

use alfred_core::ports::{Clock, Commit, Item, Key, Page, Query, Store, StoreError, Table};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;

use crate::database::{Database, OpenError, text};
use crate::{SqliteBlobs, SqliteVault};

pub use erase::Erasure;

/// Maximum expired items that a sweep deletes in one transaction, since other writers wait meanwhile.
const SWEEP_BATCH: usize = 500;

#[derive(Clone)]
pub struct SqliteStore {
    database: Database,
    clock: Arc<dyn Clock>,
}

impl SqliteStore {
    pub fn new(database: Database, clock: Arc<dyn Clock>) -> Self {
        Self { database, clock }
    }

    pub fn in_memory(clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        Ok(Self::new(Database::in_memory()?, clock))
    }

    /// The large bodies of this store's items.
    pub fn blobs(&self) -> SqliteBlobs {
        SqliteBlobs::new(self.database.clone(), self.clock.clone())
    }

    pub fn vault(&self) -> SqliteVault {
        SqliteVault(self.database.clone())
    }

    /// Deletes items that expired before `now`, and bodies that no item names. Returns the number of both.
    pub async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        let mut swept = 0;
        loop {
            let batch = self.database.write(move |connection| {
                connection.execute(
                    "DELETE FROM items WHERE rowid IN
                     (SELECT rowid FROM items WHERE expires <= ?1 LIMIT ?2)",
                    params![now.as_second(), SWEEP_BATCH as i64],
                )
            });
            let removed = batch.await?;
            swept += removed;
            if removed < SWEEP_BATCH {
                return Ok(swept + self.blobs().sweep(now).await?);
            }
        }
    }

    fn now(&self) -> i64 {
        self.clock.now().as_second()
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn get(&self, key: &Key) -> Result<Option<Item>, StoreError> {
        let (wanted, now) = (key.clone(), self.now());
        let database = &self.database;
        let found = database.read(move |connection| get(connection, &wanted, now));
        let item = found.await?.map(|stored| stored.item(key.clone()));
        item.map(Item::readable).transpose()
    }

    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        if query.limit == 0 {
            let reason = "a query of no items".into();
            return Err(StoreError::Refused { reason });
        }
        let (query, now) = (query.clone(), self.now());
        let database = &self.database;
        let page = database.read(move |connection| query::page(connection, &query, now));
        Ok(page.await?)
    }

    async fn commit(&self, commit: &Commit) -> Result<(), StoreError> {
        commit.validate()?;
        let (commit, now) = (commit.clone(), self.now());
        let database = &self.database;
        let conflict = database.write(move |connection| commit::commit(connection, &commit, now));
        match conflict.await? {
            None => Ok(()),
            Some(key) => Err(StoreError::Conflict { key }),
        }
    }
}

fn number(table: Table) -> i64 {
    match table {
        Table::State => 0,
        Table::Audit => 1,
    }
}

fn get(connection: &Connection, key: &Key, now: i64) -> rusqlite::Result<Option<Stored>> {
    connection
        .prepare_cached(
            "SELECT version, body, expires FROM items
             WHERE tbl = ?1 AND part = ?2 AND range = ?3 AND (expires IS NULL OR expires > ?4)",
        )?
        .query_row(
            params![number(key.table), key.partition, key.range, now],
            Stored::read,
        )
        .optional()
}

/// Version, body and expiry as they are in a row, in this order.
struct Stored {
    version: i64,
    body: String,
    expires: Option<i64>,
}

impl Stored {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            version: row.get(0)?,
            body: text(row, 1)?,
            expires: row.get(2)?,
        })
    }

    /// A damaged body becomes a JSON string, so that it hides no other item.
    fn item(self, key: Key) -> Item {
        let body = serde_json::from_str(&self.body).unwrap_or_else(|_| self.body.into());
        let version = u64::try_from(self.version).ok();
        let expires_at = self.expires.map(Timestamp::from_second).transpose();
        match (version, expires_at) {
            (Some(version), Ok(expires_at)) => Item {
                key,
                version,
                body,
                expires_at,
            },
            _ => Item {
                key,
                version: 0,
                body: "its version or its end is damaged".into(),
                expires_at: None,
            },
        }
    }
}
