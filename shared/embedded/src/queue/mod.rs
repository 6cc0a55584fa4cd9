//! FIFO queues like SQS's, stored in the database.

mod consume;
mod dead;
mod forget;
mod receive;
mod send;
mod settle;

pub use consume::{Consumer, Handler};
pub use dead::DeadLetter;
pub use receive::Delivery;
pub use send::MAX_BODY_BYTES;

use alfred_core::ports::{Clock, Outgoing, Queue, QueueError, QueueName};
use async_trait::async_trait;
use rusqlite::{Transaction, TransactionBehavior, params};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

use crate::database::Database;

/// How long a deduplication id is remembered, as in SQS.
pub const DEDUP_WINDOW: Duration = Duration::from_secs(300);

/// Extra delay of a message per crash of its handling process, for up to `LATER_DEATHS` crashes.
const LATER_PER_DEATH_MS: i64 = 100;
const LATER_DEATHS: i64 = 100;

/// The queues in a database. Clones share it and wake each other. At most one message of a group
/// is in flight; later ones of the group wait until it is acknowledged, dead-lettered, or visible again.
#[derive(Clone)]
pub struct SqliteQueue {
    database: Database,
    clock: Arc<dyn Clock>,
    max_receives: u32,
    arrivals: Arc<[Notify; QueueName::ALL.len()]>,
}

impl SqliteQueue {
    /// Messages received `max_receives` times without acknowledgement become dead letters.
    /// Call `release_leases` before the first receive.
    pub fn new(database: Database, clock: Arc<dyn Clock>, max_receives: u32) -> Self {
        Self {
            database,
            clock,
            max_receives,
            arrivals: Arc::default(),
        }
    }

    /// Releases the leases of a crashed process and returns their number. Only call it while nobody receives.
    /// A release doesn't count as a receive but as a death. Each earlier death delays the message by 100 ms, at
    /// most 10 s, so that a message that crashes the process lets others go first.
    pub async fn release_leases(&self) -> Result<usize, QueueError> {
        let released = self.change(|tx, now| {
            tx.execute(
                "UPDATE messages SET leased = 0, receives = receives - 1, deaths = deaths + 1,
                 visible_at = ?1 + ?2 * min(deaths, ?3) WHERE leased = 1",
                params![now, LATER_PER_DEATH_MS, LATER_DEATHS],
            )
        });
        let released = released.await?;
        QueueName::ALL.iter().for_each(|name| self.wake(*name));
        Ok(released)
    }

    fn now(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// Wakes all waiters, because each may want another group.
    fn wake(&self, queue: QueueName) {
        self.arrivals[queue as usize].notify_waiters();
    }

    /// Runs the work as one transaction. It gets the time in milliseconds since 1970.
    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>, i64) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, QueueError> {
        let clock = self.clock.clone();
        // The time is read when it is this change's turn: an earlier one would look as if the clock had been set back.
        let changed = self.database.write(move |connection| {
            let now = clock.now().as_millisecond();
            let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let changed = work(&tx, now)?;
            tx.commit()?;
            Ok(changed)
        });
        Ok(changed.await?)
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[async_trait]
impl Queue for SqliteQueue {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        let body = serde_json::to_string(&message.envelope).map_err(|error| {
            let detail = error.to_string();
            QueueError::Refused { detail }
        })?;
        self.send_raw(message.queue, body, &message.group, &message.dedup)
            .await
    }
}
