use alfred_core::ports::{QueueError, QueueName};
use jiff::Timestamp;
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};

use super::{Delivery, SqliteQueue};
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
    /// Moves a received message to the dead letters, so that its group continues. `reason` must not quote
    /// the body. Returns false if the message was received again or removed.
    pub async fn dead_letter(&self, delivery: &Delivery, reason: &str) -> Result<bool, QueueError> {
        let (id, receives) = (delivery.id, delivery.receive_count);
        let reason = reason.to_owned();
        let moved = self
            .change(move |connection, now| {
                let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let is_ours: bool = tx
                    .prepare_cached(
                        "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND receives = ?2)",
                    )?
                    .query_row(params![id, receives], |row| row.get(0))?;
                if is_ours {
                    put_aside(&tx, id, now, &reason)?;
                }
                tx.commit()?;
                Ok(is_ours)
            })
            .await?;
        self.wake(delivery.queue);
        Ok(moved)
    }

    /// Lists the dead letters of a queue, oldest first.
    pub async fn dead_letters(
        &self,
        queue: QueueName,
        max: usize,
    ) -> Result<Vec<DeadLetter>, QueueError> {
        self.database
            .read(move |connection| list(connection, queue, max))
            .await?
            .map_err(super::queue_error)
    }
}

pub(super) fn put_aside(
    tx: &Transaction<'_>,
    id: i64,
    now: i64,
    reason: &str,
) -> rusqlite::Result<()> {
    tx.prepare_cached(
        "INSERT INTO dead_letters (queue, grp, body, sent_at, dead_at, receives, reason)
         SELECT queue, grp, body, sent_at, ?2, receives, ?3 FROM messages WHERE id = ?1",
    )?
    .execute(params![id, now, reason])?;
    tx.prepare_cached("DELETE FROM messages WHERE id = ?1")?
        .execute([id])?;
    Ok(())
}

fn list(
    connection: &Connection,
    queue: QueueName,
    max: usize,
) -> rusqlite::Result<Vec<DeadLetter>> {
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    connection
        .prepare_cached(
            "SELECT id, body, grp, receives, dead_at, reason FROM dead_letters
             WHERE queue = ?1 ORDER BY id LIMIT ?2",
        )?
        .query_map(params![queue.as_str(), max], read)?
        .collect()
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
