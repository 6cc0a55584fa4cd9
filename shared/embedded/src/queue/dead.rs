use alfred_core::ports::{QueueError, QueueName};
use jiff::Timestamp;
use rusqlite::{Row, params};

use super::SqliteQueue;
use crate::database::{count, moment, text};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    pub id: i64,
    pub body: String,
    pub group: String,
    pub receive_count: u32,
    pub dead_at: Timestamp,
    pub reason: String,
}

impl SqliteQueue {
    /// Lists the dead letters of a queue, oldest first.
    pub async fn dead_letters(
        &self,
        queue: QueueName,
        max: usize,
    ) -> Result<Vec<DeadLetter>, QueueError> {
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        let letters = self.database.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT id, body, grp, receives, dead_at, reason FROM dead_letters
                     WHERE queue = ?1 ORDER BY id LIMIT ?2",
                )?
                .query_map(params![queue.as_str(), max], read)?
                .collect()
        });
        Ok(letters.await?)
    }

    /// Deletes dead letters, one or all, and returns their number. With `again`, each is a new message of its queue.
    pub async fn settle_dead(&self, id: Option<i64>, again: bool) -> Result<usize, QueueError> {
        let settled = self.change(move |tx, now| {
            if again {
                tx.execute(
                    "INSERT INTO messages (queue, grp, body, sent_at, visible_at)
                     SELECT queue, grp, body, ?2, ?2 FROM dead_letters
                     WHERE ?1 IS NULL OR id = ?1 ORDER BY id",
                    params![id, now],
                )?;
            }
            let delete = "DELETE FROM dead_letters WHERE ?1 IS NULL OR id = ?1";
            tx.execute(delete, [id])
        });
        let settled = settled.await?;
        QueueName::ALL.iter().for_each(|name| self.wake(*name));
        Ok(settled)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<DeadLetter> {
    Ok(DeadLetter {
        id: row.get(0)?,
        body: text(row, 1)?,
        group: text(row, 2)?,
        receive_count: count(row.get(3)?),
        dead_at: moment(row.get(4)?),
        reason: text(row, 5)?,
    })
}
