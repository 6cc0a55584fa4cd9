//! The functions behind the queues, in one process: what Lambda's event
//! source mappings and the scheduler do on AWS.

use alfred_agent::Deadline;
use alfred_classifier::Classifier;
use alfred_core::envelope::ENVELOPE_VERSION;
use alfred_core::ports::{Clock, QueueName};
use alfred_core::{Envelope, Failure, Payload, SessionId, TeamId, TraceId};
use alfred_embedded::{Delivery, SqliteQueue, SqliteStore};
use alfred_team_manager::TeamManager;
use alfred_utility_worker::UtilityWorker;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::Instrument;

use crate::house::House;

/// How long a message is hidden while it is handled; renewed at half-time.
const VISIBILITY: Duration = Duration::from_secs(60);
/// Requests handled side by side.
const CONCURRENCY: usize = 32;
/// Before a message that failed in passing is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(2);
/// Between two sweeps for timers.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// Between two removals of expired items.
const EXPIRE_EVERY: Duration = Duration::from_secs(3_600);
/// After the queue itself failed.
const PAUSE: Duration = Duration::from_secs(1);

/// The three functions.
pub struct Functions {
    classifier: Classifier,
    worker: UtilityWorker,
    teams: TeamManager,
    queue: SqliteQueue,
    store: SqliteStore,
    clock: Arc<dyn Clock>,
}

impl Functions {
    /// On the house's ports.
    pub fn new(house: &House) -> Result<Self, Failure> {
        Ok(Self {
            classifier: Classifier::new(house.ports.clone(), house.vault.clone())?,
            worker: UtilityWorker::new(house.ports.clone())?,
            teams: TeamManager::new(house.ports.clone())?,
            queue: house.queue.clone(),
            store: house.sqlite.clone(),
            clock: house.ports.clock.clone(),
        })
    }

    /// Serves all queues and timers until it is dropped.
    pub async fn run(self: Arc<Self>) {
        let slots = Arc::new(Semaphore::new(CONCURRENCY));
        let queues = QueueName::ALL.map(|queue| self.clone().serve(queue, slots.clone()));
        let [ingress, utility, team] = queues;
        tokio::join!(ingress, utility, team, self.tick());
    }

    async fn serve(self: Arc<Self>, queue: QueueName, slots: Arc<Semaphore>) {
        loop {
            let Ok(slot) = slots.clone().acquire_owned().await else {
                return;
            };
            match self.queue.wait(queue, 1, VISIBILITY).await {
                Ok(deliveries) => {
                    let this = self.clone();
                    tokio::spawn(async move {
                        for delivery in deliveries {
                            this.deliver(delivery).await;
                        }
                        drop(slot);
                    });
                }
                Err(error) => {
                    tracing::error!(error = %error, "the queue doesn't answer");
                    self.clock.sleep(PAUSE).await;
                }
            }
        }
    }

    async fn deliver(&self, delivery: Delivery) {
        let settled = match delivery.envelope() {
            Ok(envelope) => {
                let span = tracing::info_span!("envelope", trace.id = %envelope.trace_id, user.id = %envelope.user);
                let handled = self
                    .handle_visibly(&delivery, &envelope)
                    .instrument(span)
                    .await;
                self.settle(&delivery, handled).await
            }
            Err(error) => {
                tracing::error!(error = %error, "a message can't be read");
                self.queue.dead_letter(&delivery, "unreadable").await
            }
        };
        match settled {
            Ok(true) => {}
            Ok(false) => tracing::warn!("a message was received again while it was handled"),
            Err(error) => tracing::error!(error = %error, "the queue doesn't answer"),
        }
    }

    /// Handles a message and keeps it hidden meanwhile.
    async fn handle_visibly(
        &self,
        delivery: &Delivery,
        envelope: &Envelope,
    ) -> Result<(), Failure> {
        let mut work = std::pin::pin!(self.handle(delivery.queue, envelope));
        loop {
            tokio::select! {
                handled = &mut work => return handled,
                () = self.clock.sleep(VISIBILITY / 2) => {
                    if let Err(error) = self.queue.extend(delivery, VISIBILITY).await {
                        tracing::warn!(error = %error, "couldn't keep a message hidden");
                    }
                }
            }
        }
    }

    async fn handle(&self, queue: QueueName, envelope: &Envelope) -> Result<(), Failure> {
        let deadline = Deadline::none();
        match queue {
            QueueName::Ingress => self.classifier.handle(envelope, deadline).await,
            QueueName::Utility => self.worker.handle(envelope, deadline).await,
            QueueName::Team => self.teams.handle(envelope, deadline).await,
        }
    }

    async fn settle(
        &self,
        delivery: &Delivery,
        handled: Result<(), Failure>,
    ) -> Result<bool, alfred_core::ports::QueueError> {
        match handled {
            Ok(()) | Err(Failure::Reject { .. }) => self.queue.ack(delivery).await,
            Err(Failure::Retry { reason, after }) => {
                tracing::warn!(reason, "a message goes back to the queue");
                self.queue
                    .nack(delivery, after.unwrap_or(RETRY_AFTER))
                    .await
            }
            Err(Failure::Bug { detail }) => {
                tracing::error!(error = detail, "a defect; the message is put aside");
                self.queue.dead_letter(delivery, &detail).await
            }
        }
    }

    /// Timers every second; expired items every hour.
    async fn tick(&self) {
        let mut swept = self.clock.now();
        loop {
            self.clock.sleep(SWEEP_EVERY).await;
            if let Err(failure) = self
                .classifier
                .handle(&self.sweep(), Deadline::none())
                .await
            {
                tracing::warn!(error = %failure, "a sweep failed; the next one is near");
            }
            let now = self.clock.now();
            if now.duration_since(swept).unsigned_abs() >= EXPIRE_EVERY {
                swept = now;
                if let Err(error) = self.store.sweep(now).await {
                    tracing::warn!(error = %error, "couldn't remove expired items");
                }
            }
        }
    }

    fn sweep(&self) -> Envelope {
        let team = TeamId::from("*");
        Envelope {
            v: ENVELOPE_VERSION,
            identity: "sweep".into(),
            trigger: "sweep".into(),
            trace_id: TraceId::of(&team, "sweep"),
            hops: 0,
            user: "*".into(),
            session: SessionId("*".into()),
            received_at: self.clock.now(),
            payload: Payload::Sweep {},
            team,
        }
    }
}
