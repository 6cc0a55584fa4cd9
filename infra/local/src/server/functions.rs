//! The functions of all queues in one process, as Lambda's event source mappings and the scheduler do on AWS.

use alfred_agent::runner::give_up::give_up;
use alfred_agent::{Deadline, Ports};
use alfred_classifier::Classifier;
use alfred_core::envelope::ENVELOPE_VERSION;
use alfred_core::ports::QueueName;
use alfred_core::{Envelope, Failure, Payload, SessionId, TeamId, TraceId};
use alfred_embedded::{Consumer, Handler, SqliteQueue, SqliteStore};
use alfred_team_manager::TeamManager;
use alfred_utility_worker::UtilityWorker;
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

use super::start;
use crate::app::LocalApp;

const SWEEP_EVERY: Duration = Duration::from_secs(1);
const EXPIRE_EVERY: Duration = Duration::from_secs(3_600);

pub struct Functions {
    classifier: Classifier,
    worker: UtilityWorker,
    teams: TeamManager,
    ports: Ports,
    queue: SqliteQueue,
    store: SqliteStore,
}

#[async_trait]
impl Handler for Functions {
    async fn handle(
        &self,
        queue: QueueName,
        envelope: &Envelope,
        again: bool,
    ) -> Result<(), Failure> {
        let never = Deadline::none().repeated(again);
        match queue {
            QueueName::Ingress | QueueName::Runs => self.classifier.handle(envelope, never).await,
            QueueName::Utility => self.worker.handle(envelope, never).await,
            QueueName::Team => self.teams.handle(envelope, never).await,
        }
    }

    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure> {
        give_up(&self.ports, envelope, why).await
    }
}

impl Functions {
    pub fn new(app: &LocalApp) -> Result<Self, Failure> {
        Ok(Self {
            classifier: Classifier::new(app.ports.clone(), Arc::new(app.sqlite.vault()))?
                .with_chats(start::chats(app)),
            worker: UtilityWorker::new(app.ports.clone())?
                .on(alfred_workers::mcp::Host::one_machine()),
            teams: TeamManager::new(app.ports.clone()),
            ports: app.ports.clone(),
            queue: app.queue.clone(),
            store: app.sqlite.clone(),
        })
    }

    /// Serves all queues and timers until dropped.
    pub async fn run(self: Arc<Self>) {
        let clock = self.ports.clock.clone();
        let consumer = Consumer::new(self.queue.clone(), clock, self.clone());
        tokio::join!(Arc::new(consumer).run(), self.tick());
    }

    /// Timers every second, expired items every hour.
    async fn tick(&self) {
        let mut swept = self.ports.clock.now();
        loop {
            self.ports.clock.sleep(SWEEP_EVERY).await;
            let sweep = self.sweep();
            let sweeping = self.classifier.handle(&sweep, Deadline::none());
            if let Err(failure) = sweeping.await {
                tracing::warn!(error = %failure, "a sweep failed; the next one is near");
            }
            let now = self.ports.clock.now();
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
            trace_id: TraceId::derive(&team, "sweep"),
            hops: 0,
            user: "*".into(),
            session: SessionId("*".into()),
            received_at: self.ports.clock.now(),
            payload: Payload::Sweep {},
            team,
        }
    }
}
