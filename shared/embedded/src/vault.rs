use alfred_core::ports::{Vault, VaultError};
use async_trait::async_trait;
use rusqlite::{OptionalExtension, params};

use crate::database::Database;

/// `Vault` in the database, whose triggers refuse changes. The owner of the file can still drop them.
#[derive(Clone)]
pub struct SqliteVault(pub(crate) Database);

#[async_trait]
impl Vault for SqliteVault {
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        let (key, bytes) = (name.to_owned(), bytes.to_vec());
        let is_same = self.0.write(move |connection| {
            let insert = "INSERT OR IGNORE INTO vault (name, bytes) VALUES (?1, ?2)";
            connection.execute(insert, params![key, bytes])?;
            let compare = "SELECT bytes = ?2 FROM vault WHERE name = ?1";
            connection.query_row(compare, params![key, bytes], |row| row.get(0))
        });
        if is_same.await? {
            return Ok(());
        }
        let name = name.to_owned();
        Err(VaultError::Taken { name })
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        let name = name.to_owned();
        let found = self.0.read(move |connection| {
            let select = "SELECT bytes FROM vault WHERE name = ?1";
            let found = connection.query_row(select, [name], |row| row.get(0));
            found.optional()
        });
        Ok(found.await?)
    }
}
