//! Does what Lambda and its event source mapping do on AWS: receives, keeps messages hidden while they are
//! handled, and settles them by the redelivery policy.

use alfred_core::ports::{Clock, QueueError, QueueName};
use alfred_core::redelivery::{self, Fate, Received};
use alfred_core::{Envelope, Failure};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tracing::Instrument;

use super::{Delivery, SqliteQueue};

/// Visibility timeout of a message; extended every half of it.
const VISIBILITY: Duration = Duration::from_secs(60);
/// Messages of one queue handled concurrently. Ingress carries clicks and stops, so nothing there but a
/// classification may wait for a model. The classifier serves `Runs` too, for plans and requests that waited.
const fn slots(queue: QueueName) -> usize {
    match queue {
        QueueName::Ingress | QueueName::Runs => 256,
        QueueName::Utility | QueueName::Team => 32,
    }
}
/// How long temporary failures are retried before the message goes back.
const WAITED_OUT: Duration = Duration::from_secs(110);
/// Pause after the queue itself failed.
const PAUSE: Duration = Duration::from_secs(1);

#[async_trait]
pub trait Handler: Send + Sync {
    /// `again` means that an earlier attempt at the message may have left something unfinished.
    async fn handle(
        &self,
        queue: QueueName,
        envelope: &Envelope,
        again: bool,
    ) -> Result<(), Failure>;

    /// Ends the work of a message that can't be handled, and notifies its user.
    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure>;
}

pub struct Consumer {
    queue: SqliteQueue,
    clock: Arc<dyn Clock>,
    handler: Arc<dyn Handler>,
}

impl Consumer {
    pub fn new(queue: SqliteQueue, clock: Arc<dyn Clock>, handler: Arc<dyn Handler>) -> Self {
        Self {
            queue,
            clock,
            handler,
        }
    }

    pub async fn run(self: Arc<Self>) {
        let serve = |queue| self.clone().serve(queue);
        let [ingress, runs, utility, team] = QueueName::ALL.map(serve);
        tokio::join!(ingress, runs, utility, team);
    }

    async fn serve(self: Arc<Self>, queue: QueueName) {
        let slots = Arc::new(Semaphore::new(slots(queue)));
        loop {
            let Ok(slot) = slots.clone().acquire_owned().await else {
                return;
            };
            match self.queue.wait(queue, 1, VISIBILITY).await {
                Ok(deliveries) => {
                    let this = self.clone();
                    tokio::spawn(async move {
                        for delivery in deliveries {
                            this.deliver(&delivery).await;
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

    pub async fn deliver(&self, delivery: &Delivery) {
        let read = Envelope::read(&delivery.body).and_then(|envelope| {
            let checked = delivery.queue.check(&envelope.payload);
            checked.map(|()| envelope)
        });
        let fate = match read {
            Ok(envelope) => {
                let span = tracing::info_span!("envelope", trace.id = %envelope.trace_id, user.id = %envelope.user);
                let handled = self.handle_visibly(delivery, &envelope);
                handled.instrument(span).await
            }
            Err(why) => {
                let received = self.received(delivery, Duration::ZERO);
                Some(redelivery::unread(received, why))
            }
        };
        let settled = match fate {
            Some(fate) => self.settle(delivery, fate).await,
            None => Ok(false),
        };
        match settled {
            Ok(true) => {}
            Ok(false) => tracing::warn!("a message was received again while it was handled"),
            Err(error) => tracing::error!(error = %error, "the queue doesn't answer"),
        }
    }

    /// Handles a message and keeps it hidden. Returns `None` at once if another receiver got it meanwhile,
    /// because two must not work on it concurrently.
    async fn handle_visibly(&self, delivery: &Delivery, envelope: &Envelope) -> Option<Fate> {
        let work = |again| self.handler.handle(delivery.queue, envelope, again);
        let give_up = async |why: String| self.handler.give_up(envelope, &why).await;
        let received = self.received(delivery, WAITED_OUT);
        let handled = redelivery::handle(&*self.clock, received, work, give_up);
        let mut handled = std::pin::pin!(handled);
        loop {
            tokio::select! {
                biased;
                fate = &mut handled => return Some(fate),
                () = self.clock.sleep(VISIBILITY / 2) => {
                    match self.queue.extend(delivery, VISIBILITY).await {
                        Ok(true) => {}
                        Ok(false) => return None,
                        Err(error) => tracing::warn!(error = %error, "couldn't keep a message hidden"),
                    }
                }
            }
        }
    }

    fn received<'a>(&self, delivery: &'a Delivery, waited_out: Duration) -> Received<'a> {
        let now = self.clock.now();
        Received {
            id: &delivery.group,
            receives: delivery.receive_count,
            deaths: delivery.deaths,
            until: now.checked_add(waited_out).unwrap_or(now),
        }
    }

    async fn settle(&self, delivery: &Delivery, fate: Fate) -> Result<bool, QueueError> {
        match fate {
            Fate::Done | Fate::Rejected => self.queue.ack(delivery).await,
            Fate::Back { after, reason } => {
                tracing::warn!(reason, "a message goes back to the queue");
                self.queue.nack(delivery, after).await
            }
            Fate::Anew { reason } => {
                tracing::warn!(reason, "a message starts anew: its receives are used up");
                self.queue.renew(delivery).await
            }
            Fate::Aside { reason } => {
                tracing::error!(reason, "a defect; the message is put aside");
                self.queue.dead_letter(delivery, &reason).await
            }
        }
    }
}
