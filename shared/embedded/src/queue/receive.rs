use alfred_core::ports::{QueueError, QueueName};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use std::time::Duration;

use super::settle::put_aside;
use super::{SqliteQueue, millis};
use crate::database::{count, moment, text};

/// The longest time a message can be hidden. A later end was set before the clock was set back.
pub(super) const LONGEST_HIDDEN: Duration = Duration::from_secs(3_600);

/// A received message. Acknowledge, return or dead-letter it before its visibility timeout ends. After
/// that, only its latest receiver can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub queue: QueueName,
    /// The body as sent. It may be no envelope's JSON.
    pub body: String,
    pub group: String,
    /// Counts this receive too.
    pub receive_count: u32,
    /// How often the process died while it handled the message.
    pub deaths: u32,
    pub sent_at: Timestamp,
    pub(super) id: i64,
}

impl SqliteQueue {
    /// Receives up to `max` messages, at most one per group, and hides them for `visibility`. Those received too often
    /// become dead letters, and the next message of their group is considered.
    pub async fn receive(
        &self,
        queue: QueueName,
        max: usize,
        visibility: Duration,
    ) -> Result<Vec<Delivery>, QueueError> {
        let max_receives = self.max_receives;
        self.change(move |tx, now| {
            let until = now.saturating_add(millis(visibility));
            let mut got = Vec::new();
            while got.len() < max {
                let Some(mut delivery) = head(tx, queue, now)? else {
                    break;
                };
                if delivery.receive_count >= max_receives {
                    put_aside(tx, delivery.id, now, "received too often")?;
                    continue;
                }
                delivery.receive_count += 1;
                tx.prepare_cached(
                    "UPDATE messages SET receives = ?3, leased = 1, visible_at = ?2
                     WHERE id = ?1",
                )?
                .execute(params![delivery.id, until, delivery.receive_count])?;
                got.push(delivery);
                if until <= now {
                    // With a timeout of zero, the next turn would return the same message.
                    break;
                }
            }
            Ok(got)
        })
        .await
    }

    /// Like `receive`, but waits for a message: a new one, or one whose visibility timeout or delay ends.
    /// Safe to cancel: messages received meanwhile reappear after their visibility timeout.
    pub async fn wait(
        &self,
        queue: QueueName,
        max: usize,
        visibility: Duration,
    ) -> Result<Vec<Delivery>, QueueError> {
        loop {
            // Subscribes before the query, so that no arrival in between is missed.
            let mut arrival = std::pin::pin!(self.arrivals[queue as usize].notified());
            arrival.as_mut().enable();
            let looked = self.now();
            let got = self.receive(queue, max, visibility).await?;
            if !got.is_empty() {
                return Ok(got);
            }
            match self.next_visible(queue, looked).await? {
                None => arrival.await,
                Some(time) => {
                    tokio::select! {
                        () = arrival => {}
                        () = self.clock.sleep(time) => {}
                    }
                }
            }
        }
    }

    /// The time until the first message hidden at `looked` becomes visible: zero if it already is.
    async fn next_visible(
        &self,
        queue: QueueName,
        looked: i64,
    ) -> Result<Option<Duration>, QueueError> {
        let next = self.database.read(move |connection| {
            connection
                .prepare_cached(
                    "SELECT min(visible_at) FROM messages WHERE queue = ?1 AND visible_at > ?2",
                )?
                .query_row(params![queue.as_str(), looked], |row| row.get(0))
        });
        let (next, now): (Option<i64>, _) = (next.await?, self.now());
        let wait = next.map(|at| u64::try_from(at - now).unwrap_or(0));
        Ok(wait.map(|wait| Duration::from_millis(wait).min(LONGEST_HIDDEN)))
    }
}

/// The oldest visible message that is the first of its group.
fn head(tx: &Transaction<'_>, queue: QueueName, now: i64) -> rusqlite::Result<Option<Delivery>> {
    let far = now.saturating_add(millis(LONGEST_HIDDEN));
    tx.prepare_cached(
        "SELECT id, body, grp, receives, sent_at, deaths FROM messages AS m
         WHERE queue = ?1 AND (visible_at <= ?2 OR (leased = 0 AND visible_at > ?3)) AND NOT EXISTS
         (SELECT 1 FROM messages AS e WHERE e.queue = m.queue AND e.grp = m.grp AND e.id < m.id)
         ORDER BY id LIMIT 1",
    )?
    .query_row(params![queue.as_str(), now, far], |row| read(queue, row))
    .optional()
}

fn read(queue: QueueName, row: &Row<'_>) -> rusqlite::Result<Delivery> {
    Ok(Delivery {
        queue,
        id: row.get(0)?,
        body: text(row, 1)?,
        group: text(row, 2)?,
        receive_count: count(row.get(3)?),
        deaths: count(row.get(5)?),
        sent_at: moment(row.get(4)?),
    })
}
