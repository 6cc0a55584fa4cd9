//! The receiving end.

use alfred_core::ports::{QueueError, QueueName};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use std::time::Duration;

use super::{SqliteQueue, dead, millis};
use crate::database::{count, moment, text};

/// No message is hidden for longer: one that is hidden until later was hidden before the clock was set back.
const LONGEST_HIDDEN: Duration = Duration::from_secs(3_600);

/// A received message. Acknowledge it, give it back or put it aside before its
/// time-out ends; whoever received it last decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The queue it came from.
    pub queue: QueueName,
    /// The body as it was sent; an envelope's JSON, unless somebody sent something else.
    pub body: String,
    /// Its message group.
    pub group: String,
    /// How often it has been received, this time included.
    pub receive_count: u32,
    /// How often the process died while it handled it.
    pub deaths: u32,
    /// When it was sent.
    pub sent_at: Timestamp,
    pub(super) id: i64,
}

impl SqliteQueue {
    /// Receives what is there, at most one message a group, and hides it for `visibility`.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn receive(
        &self,
        queue: QueueName,
        max: usize,
        visibility: Duration,
    ) -> Result<Vec<Delivery>, QueueError> {
        let max_receives = self.max_receives;
        self.change(move |connection, now| {
            let until = now.saturating_add(millis(visibility));
            lease(connection, queue, max, max_receives, now, until)
        })
        .await
    }

    /// The same, but waits until there is something: a message that arrives
    /// wakes it at once, and so does one whose time-out or delay ends.
    /// Dropping it loses nothing: what it had just received comes back after its time-out.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn wait(
        &self,
        queue: QueueName,
        max: usize,
        visibility: Duration,
    ) -> Result<Vec<Delivery>, QueueError> {
        loop {
            // Listening starts before the look, so that nothing arrives unseen in between.
            let mut arrival = std::pin::pin!(self.arrivals(queue).notified());
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

    /// Hides a message for `visibility` from now on. False when it is no longer this receiver's.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn extend(
        &self,
        delivery: &Delivery,
        visibility: Duration,
    ) -> Result<bool, QueueError> {
        self.hide(delivery, visibility, true).await
    }

    /// Gives a message back, to be received again after `delay`; its group
    /// waits for it. False when it is no longer this receiver's.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn nack(&self, delivery: &Delivery, delay: Duration) -> Result<bool, QueueError> {
        let is_ours = self.hide(delivery, delay, false).await?;
        // Who waits has to look again, if only for when it is due.
        self.wake(delivery.queue);
        Ok(is_ours)
    }

    /// Shows a message again as if it had never been received, in its place. False when it is no
    /// longer this receiver's.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn renew(&self, delivery: &Delivery) -> Result<bool, QueueError> {
        let (id, receives) = (delivery.id, delivery.receive_count);
        let renewed = self
            .change(move |connection, now| {
                connection
                    .prepare_cached(
                        "UPDATE messages SET visible_at = ?3, leased = 0, receives = 0, deaths = 0
                         WHERE id = ?1 AND receives = ?2",
                    )?
                    .execute(params![id, receives, now])
            })
            .await?;
        self.wake(delivery.queue);
        Ok(renewed == 1)
    }

    /// Removes a message that was handled. False when it has been received
    /// again since: then somebody else handles it too.
    ///
    /// # Errors
    /// `Unavailable` when the database doesn't answer.
    pub async fn ack(&self, delivery: &Delivery) -> Result<bool, QueueError> {
        let (id, receives) = (delivery.id, delivery.receive_count);
        let removed = self
            .change(move |connection, _| {
                connection
                    .prepare_cached("DELETE FROM messages WHERE id = ?1 AND receives = ?2")?
                    .execute(params![id, receives])
            })
            .await?;
        self.wake(delivery.queue);
        Ok(removed == 1)
    }

    async fn hide(
        &self,
        delivery: &Delivery,
        time: Duration,
        is_leased: bool,
    ) -> Result<bool, QueueError> {
        let (id, receives) = (delivery.id, delivery.receive_count);
        let hidden = self.change(move |connection, now| {
            let until = now.saturating_add(millis(time.min(LONGEST_HIDDEN)));
            connection
                .prepare_cached(
                    "UPDATE messages SET visible_at = ?3, leased = ?4
                     WHERE id = ?1 AND receives = ?2",
                )?
                .execute(params![id, receives, until, is_leased])
        });
        Ok(hidden.await? == 1)
    }

    /// How long until a message becomes visible that was hidden at that look: none, where it did so since.
    async fn next_visible(
        &self,
        queue: QueueName,
        looked: i64,
    ) -> Result<Option<Duration>, QueueError> {
        let next = self
            .database
            .read(move |connection| -> rusqlite::Result<Option<i64>> {
                connection
                    .prepare_cached(
                        "SELECT min(visible_at) FROM messages WHERE queue = ?1 AND visible_at > ?2",
                    )?
                    .query_row(params![queue.as_str(), looked], |row| row.get(0))
            })
            .await?
            .map_err(super::queue_error)?;
        let now = self.now();
        let wait = next.map(|at| u64::try_from(at - now).unwrap_or(0));
        Ok(wait.map(|wait| Duration::from_millis(wait).min(LONGEST_HIDDEN)))
    }
}

/// Leases the head of each group that is visible. One that was received too
/// often goes to the dead letters, and the next of its group is looked at.
fn lease(
    connection: &mut Connection,
    queue: QueueName,
    max: usize,
    max_receives: u32,
    now: i64,
    until: i64,
) -> rusqlite::Result<Vec<Delivery>> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut got = Vec::new();
    while got.len() < max {
        let Some(mut delivery) = head(&tx, queue, now)? else {
            break;
        };
        if delivery.receive_count >= max_receives {
            dead::put_aside(&tx, delivery.id, now, "received too often")?;
            continue;
        }
        tx.prepare_cached(
            "UPDATE messages SET receives = ?3, leased = 1, visible_at = ?2
             WHERE id = ?1",
        )?
        .execute(params![delivery.id, until, delivery.receive_count + 1])?;
        delivery.receive_count += 1;
        got.push(delivery);
        if until <= now {
            // A time-out of zero would give the same message again.
            break;
        }
    }
    tx.commit()?;
    Ok(got)
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
