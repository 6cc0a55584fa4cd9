//! Deletes whole partitions, to forget a person.

use alfred_core::ports::{EXPIRING, Key, StoreError, Table, spilled};
use rusqlite::{Connection, TransactionBehavior, params};

use super::{SqliteStore, number};
use crate::blobs::named;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    pub items: Vec<Key>,
    /// The number of large bodies.
    pub bodies: usize,
}

impl SqliteStore {
    /// Deletes these partitions of the state table, the bodies that only their items name, and all bodies of the scope
    /// `TEAM/USER`, in one transaction. The audit table keeps its entries. The file contains the deleted data until
    /// [`Self::compact`].
    pub async fn erase(&self, partitions: Vec<String>, scope: &str) -> Result<Erasure, StoreError> {
        let scopes = [scope.to_owned(), format!("{EXPIRING}/{scope}")];
        let database = &self.database;
        let erased = database.write(move |connection| erase(connection, &partitions, &scopes));
        Ok(erased.await?)
    }

    /// Rewrites the file without deleted data. Writers wait meanwhile.
    /// Fails if the disk has no room for a second file.
    pub async fn compact(&self) -> Result<(), StoreError> {
        let compacted = self.database.write(|connection| {
            connection.execute_batch("VACUUM")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        });
        Ok(compacted.await?)
    }
}

fn erase(
    connection: &mut Connection,
    partitions: &[String],
    scopes: &[String],
) -> rusqlite::Result<Erasure> {
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
            erasure.items.push(Key::state(partition, range));
        }
    }
    let kept = named(&tx)?;
    bodies.retain(|(_, digest)| !kept.contains(digest));
    for (scope, digest) in bodies {
        let delete = "DELETE FROM blobs WHERE scope = ?1 AND digest = ?2";
        erasure.bodies += tx.prepare_cached(delete)?.execute([scope, digest])?;
    }
    for scope in scopes {
        erasure.bodies += tx.execute("DELETE FROM blobs WHERE scope = ?1", [scope])?;
    }
    tx.commit()?;
    Ok(erasure)
}
