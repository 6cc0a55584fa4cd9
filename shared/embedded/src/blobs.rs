use alfred_core::digest::sha256_hex;
use alfred_core::ports::{BlobError, Blobs, Clock};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;
use std::sync::Arc;

use crate::database::{Database, Fault, text};

/// Newer bodies are kept: the commit that names a body follows seconds after its write. A day also
/// covers a machine whose clock was set.
const LEAST_AGE_SECONDS: i64 = 24 * 3_600;
const NAMED: &str = r#"SELECT substr(body, instr(body, '"$blob":"') + 9, 64) FROM items
    WHERE instr(body, '"$blob":"') > 0"#;

/// Large bodies in the database, by scope and SHA-256. A body is durable before `put` returns.
#[derive(Clone)]
pub struct SqliteBlobs {
    database: Database,
    clock: Arc<dyn Clock>,
}

impl SqliteBlobs {
    pub(crate) fn new(database: Database, clock: Arc<dyn Clock>) -> Self {
        Self { database, clock }
    }

    /// Deletes bodies that no item names, a day after their last write. Returns their number.
    pub(crate) async fn sweep(&self, now: Timestamp) -> Result<usize, Fault> {
        let until = now.as_second() - LEAST_AGE_SECONDS;
        // The search reads all items, so it runs beside the writers.
        let unnamed = self.database.read(move |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT scope, digest FROM blobs
                     WHERE written <= ?1 AND digest NOT IN ({NAMED})"
                ))?
                .query_map([until], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<Vec<(String, String)>>>()
        });
        let mut removed = 0;
        for (scope, digest) in unnamed.await? {
            let delete = self.database.write(move |connection| {
                // A commit that names it meanwhile has written it again.
                let delete = "DELETE FROM blobs WHERE scope = ?1 AND digest = ?2 AND written <= ?3";
                connection.execute(delete, params![scope, digest, until])
            });
            removed += delete.await?;
        }
        Ok(removed)
    }
}

/// The digests that items name. Reads the whole table.
pub(crate) fn named(connection: &Connection) -> rusqlite::Result<HashSet<String>> {
    connection
        .prepare_cached(NAMED)?
        .query_map([], |row| text(row, 0))?
        .collect()
}

#[async_trait]
impl Blobs for SqliteBlobs {
    async fn put(&self, scope: &str, bytes: &[u8]) -> Result<String, BlobError> {
        let digest = sha256_hex(bytes);
        let (scope, name, bytes) = (scope.to_owned(), digest.clone(), bytes.to_vec());
        let now = self.clock.now().as_second();
        let put = self.database.write(move |connection| {
            // Writing again renews the time and replaces damaged bytes.
            connection
                .prepare_cached(
                    "INSERT INTO blobs (scope, digest, written, bytes) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (scope, digest) DO UPDATE SET written = excluded.written,
                     bytes = excluded.bytes",
                )?
                .execute(params![scope, name, now, bytes])
        });
        put.await?;
        Ok(digest)
    }

    async fn get(&self, scope: &str, digest: &str) -> Result<Vec<u8>, BlobError> {
        let (scope, name) = (scope.to_owned(), digest.to_owned());
        let found = self.database.read(move |connection| {
            connection
                .prepare_cached("SELECT bytes FROM blobs WHERE scope = ?1 AND digest = ?2")?
                .query_row([scope, name], |row| row.get::<_, Vec<u8>>(0))
                .optional()
        });
        let found = found.await?.filter(|bytes| sha256_hex(bytes) == digest);
        found.ok_or_else(|| BlobError::Missing {
            digest: digest.to_owned(),
        })
    }
}
