//! Files: their bytes, and the messages that show them.

use rusqlite::{OptionalExtension, params};

use super::Tx;
use crate::blocks::files;
use crate::types::Message;

impl Tx<'_> {
    pub fn put_content(&self, file: &str, bytes: &[u8]) -> rusqlite::Result<()> {
        let sql = "INSERT OR REPLACE INTO content (file, bytes) VALUES (?1, ?2)";
        self.run(sql, params![file, bytes]).map(drop)
    }

    pub fn content(&self, file: &str) -> rusqlite::Result<Option<Vec<u8>>> {
        self.0
            .prepare_cached("SELECT bytes FROM content WHERE file = ?1")?
            .query_row([file], |row| row.get(0))
            .optional()
    }

    /// The conversations with a message that shows this file.
    pub fn shown_in(&self, file: &str) -> rusqlite::Result<Vec<String>> {
        self.0
            .prepare_cached("SELECT DISTINCT channel FROM share WHERE file = ?1 ORDER BY channel")?
            .query_map([file], |row| row.get(0))?
            .collect()
    }

    /// Replaces the list of files that the message shows.
    pub(super) fn put_shares(&self, message: &Message) -> rusqlite::Result<()> {
        let place = [&message.channel, &message.ts];
        self.run("DELETE FROM share WHERE channel = ?1 AND ts = ?2", place)?;
        let sql = "INSERT OR IGNORE INTO share (channel, ts, file) VALUES (?1, ?2, ?3)";
        for file in files::named(&message.blocks) {
            self.run(sql, [&message.channel, &message.ts, &file])?;
        }
        Ok(())
    }
}
