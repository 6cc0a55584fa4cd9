//! The functions that serve the queues, over one set of ports.

use alfred_agent::model::Snapshot;
use alfred_agent::store::ports::Hook;
use alfred_agent::{Deadline, Ports, Program};
use alfred_classifier::Classifier;
use alfred_classifier::chats::Chats;
use alfred_core::ports::{
    Accounts, Chat, Clock, Ids, Model, NoFolders, Queue, QueueName, Store, Vault, Web,
};
use alfred_core::{Config, Envelope, Failure};
use alfred_schedule::JobEnd;
use alfred_team_manager::TeamManager;
use alfred_teams::TeamReport;
use alfred_utility_worker::UtilityWorker;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Ports with default settings and test ids, without accounts and metrics.
pub fn ports(
    store: Arc<dyn Store>,
    queue: Arc<dyn Queue>,
    chat: Arc<dyn Chat>,
    model: Arc<dyn Model>,
    (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>),
) -> Ports {
    Ports {
        hooks: [Arc::new(TeamReport) as Arc<dyn Hook>, Arc::new(JobEnd)].into(),
        store,
        queue,
        chat,
        accounts: Accounts::none(),
        web: Web::none(),
        folders: Arc::new(NoFolders),
        model,
        clock,
        ids,
        config: Arc::new(Config::default()),
        measure: Arc::new(|_| {}),
        draw: alfred_timeline::png,
        live: false,
    }
}

#[derive(Clone)]
pub struct Functions {
    pub ports: Ports,
    classifier: Classifier,
    worker: UtilityWorker,
    teams: TeamManager,
}

impl Functions {
    /// Binds the embedded worker files once per process, like a deployment. Panics if one is broken.
    pub fn new(ports: Ports, vault: Arc<dyn Vault>) -> Self {
        static BOUND: OnceLock<Functions> = OnceLock::new();
        let bound = BOUND.get_or_init(|| Self {
            classifier: Classifier::new(ports.clone(), vault.clone()).unwrap(),
            worker: UtilityWorker::new(ports.clone()).unwrap(),
            teams: TeamManager::new(ports.clone()),
            ports: ports.clone(),
        });
        let bound = bound.clone();
        Self {
            classifier: bound.classifier.with_ports(ports.clone(), vault),
            worker: bound.worker.with_ports(ports.clone()),
            teams: bound.teams.with_ports(ports.clone()),
            ports,
        }
    }

    pub fn with_agent(mut self, agent: impl Into<Program>) -> Self {
        self.worker = UtilityWorker::with_agent(self.ports.clone(), agent).unwrap();
        self
    }

    pub fn with_chats(mut self, chats: Chats) -> Self {
        self.classifier = self.classifier.with_chats(chats);
        self
    }

    pub fn with_teams(mut self, teams: BTreeMap<String, Snapshot>) -> Self {
        self.teams = TeamManager::with(self.ports.clone(), teams);
        self
    }

    pub async fn handle(
        &self,
        queue: QueueName,
        envelope: &Envelope,
        deadline: Deadline,
    ) -> Result<(), Failure> {
        queue.check(&envelope.payload)?;
        match queue {
            QueueName::Ingress | QueueName::Runs => {
                self.classifier.handle(envelope, deadline).await
            }
            QueueName::Utility => self.worker.handle(envelope, deadline).await,
            QueueName::Team => self.teams.handle(envelope, deadline).await,
        }
    }
}
