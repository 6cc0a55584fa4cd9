//! Deletes whole partitions, to forget a person.

use alfred_core::ports::{StoreError, Table, spilled};
use rusqlite::{Connection, TransactionBehavior, params};

use super::{SqliteStore, number};
use crate::database::{store_error, text};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    pub partition: String,
    pub range: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    pub items: Vec<Erased>,
    /// Scope and digest of the bodies that no item names any more.
    pub bodies: Vec<(String, String)>,
}

impl SqliteStore {
    /// The partitions of the state table with this prefix, each once.
    pub async fn partitions(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let prefix = prefix.to_owned();
        let found = self.database.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT DISTINCT part FROM items WHERE tbl = ?1 AND part >= ?2
                     AND substr(part, 1, length(?2)) = ?2 ORDER BY part",
                )?
                .query_map(params![number(Table::State), prefix], |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<String>>>()
        });
        found.await?.map_err(store_error)
    }

    /// Deletes these partitions of the state table in one transaction; the audit table keeps its entries. The file
    /// contains the deleted data until [`Self::compact`].
    pub async fn erase(&self, partitions: Vec<String>) -> Result<Erasure, StoreError> {
        self.database
            .write(move |connection| erase(connection, &partitions).map_err(store_error))
            .await?
    }

    /// The bodies of all items that name a blob, in one text.
    pub(crate) async fn naming_bodies(&self) -> Result<String, StoreError> {
        let found = self.database.read(|connection| naming_bodies(connection));
        found.await?.map_err(store_error)
    }

    /// Rewrites the file without deleted data. Writers wait meanwhile.
    /// Fails if the disk has no room for a second file.
    pub async fn compact(&self) -> Result<(), StoreError> {
        let compacted = self.database.write(|connection| {
            connection.execute_batch("VACUUM")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        compacted.await?.map_err(store_error)
    }
}

fn erase(connection: &mut Connection, partitions: &[String]) -> rusqlite::Result<Erasure> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut erasure = Erasure::default();
    let mut bodies = Vec::new();
    for partition in partitions {
        let mut delete = tx.prepare_cached(
            "DELETE FROM items WHERE tbl = ?1 AND part = ?2 RETURNING range, body",
        )?;
        let removed = delete.query_map(params![number(Table::State), partition], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        for item in removed {
            let (range, body) = item?;
            let body = serde_json::from_str(&body).unwrap_or_default();
            bodies.extend(spilled(partition, &body));
            erasure.items.push(Erased {
                partition: partition.clone(),
                range,
            });
        }
    }
    bodies.sort();
    bodies.dedup();
    let naming = naming_bodies(&tx)?;
    bodies.retain(|(_, digest)| !naming.contains(digest));
    erasure.bodies = bodies;
    tx.commit()?;
    Ok(erasure)
}

/// The bodies of all items that name a blob, in one text. Reads the whole table.
fn naming_bodies(connection: &Connection) -> rusqlite::Result<String> {
    connection
        .prepare_cached("SELECT body FROM items WHERE instr(body, '\"$blob\"') > 0")?
        .query_map([], |row| text(row, 0))?
        .collect()
}
