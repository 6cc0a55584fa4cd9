//! What can be done with a received message. Each function returns false, and changes nothing, if the message was
//! received again or removed meanwhile.

use alfred_core::ports::QueueError;
use rusqlite::{Transaction, params};
use std::time::Duration;

use super::receive::LONGEST_HIDDEN;
use super::{Delivery, SqliteQueue, millis};

impl SqliteQueue {
    /// Removes a handled message.
    pub async fn ack(&self, delivery: &Delivery) -> Result<bool, QueueError> {
        self.settle(delivery, |tx, id, _| remove(tx, id)).await
    }

    /// Hides a message for `visibility` from now on.
    pub async fn extend(
        &self,
        delivery: &Delivery,
        visibility: Duration,
    ) -> Result<bool, QueueError> {
        self.hide(delivery, visibility, true).await
    }

    /// Returns a message to the queue; it and its group wait for `delay`.
    pub async fn nack(&self, delivery: &Delivery, delay: Duration) -> Result<bool, QueueError> {
        self.hide(delivery, delay, false).await
    }

    async fn hide(
        &self,
        delivery: &Delivery,
        time: Duration,
        is_leased: bool,
    ) -> Result<bool, QueueError> {
        let time = millis(time.min(LONGEST_HIDDEN));
        self.settle(delivery, move |tx, id, now| {
            tx.prepare_cached("UPDATE messages SET visible_at = ?2, leased = ?3 WHERE id = ?1")?
                .execute(params![id, now.saturating_add(time), is_leased])
        })
        .await
    }

    /// Makes a message visible as if never received, at its old position.
    pub async fn renew(&self, delivery: &Delivery) -> Result<bool, QueueError> {
        self.settle(delivery, |tx, id, now| {
            tx.prepare_cached(
                "UPDATE messages SET visible_at = ?2, leased = 0, receives = 0, deaths = 0
                 WHERE id = ?1",
            )?
            .execute([id, now])
        })
        .await
    }

    /// Moves a message to the dead letters, so that its group continues. `reason` must not quote the body.
    pub async fn dead_letter(&self, delivery: &Delivery, reason: &str) -> Result<bool, QueueError> {
        let reason = reason.to_owned();
        self.settle(delivery, move |tx, id, now| put_aside(tx, id, now, &reason))
            .await
    }

    async fn settle(
        &self,
        delivery: &Delivery,
        work: impl FnOnce(&Transaction<'_>, i64, i64) -> rusqlite::Result<usize> + Send + 'static,
    ) -> Result<bool, QueueError> {
        let (id, receives) = (delivery.id, delivery.receive_count);
        let settled = self.change(move |tx, now| {
            let is_ours = tx
                .prepare_cached("SELECT 1 FROM messages WHERE id = ?1 AND receives = ?2")?
                .exists(params![id, receives])?;
            if is_ours {
                work(tx, id, now)?;
            }
            Ok(is_ours)
        });
        let settled = settled.await?;
        // A waiting receiver looks again for the next message that becomes visible.
        self.wake(delivery.queue);
        Ok(settled)
    }
}

pub(super) fn put_aside(
    tx: &Transaction<'_>,
    id: i64,
    now: i64,
    reason: &str,
) -> rusqlite::Result<usize> {
    tx.prepare_cached(
        "INSERT INTO dead_letters (queue, grp, body, sent_at, dead_at, receives, reason)
         SELECT queue, grp, body, sent_at, ?2, receives, ?3 FROM messages WHERE id = ?1",
    )?
    .execute(params![id, now, reason])?;
    remove(tx, id)
}

fn remove(tx: &Transaction<'_>, id: i64) -> rusqlite::Result<usize> {
    tx.prepare_cached("DELETE FROM messages WHERE id = ?1")?
        .execute([id])
}
