use alfred_core::ports::{
    Accounts, Chat, Clock, Commit, Folders, Ids, Model, Queue, Store, StoreError, Web, Write,
};
use alfred_core::{Config, Failure, Result, WorkerOutput};
use alfred_timeline::Draw;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

use crate::model::NewStep;
use crate::store::journal::{Journal, LoadedRun};

#[derive(Clone)]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn Queue>,
    pub chat: Arc<dyn Chat>,
    pub accounts: Accounts,
    pub web: Web,
    pub folders: Arc<dyn Folders>,
    pub model: Arc<dyn Model>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub config: Arc<Config>,
    /// Receives the run time of each tool call in milliseconds.
    pub measure: Arc<dyn Fn(u64) + Send + Sync>,
    /// What jobs and teams add to the end of a run.
    pub hooks: Arc<[Arc<dyn Hook>]>,
    pub draw: Draw,
    /// Whether requests show live messages.
    pub live: bool,
}

impl Ports {
    pub fn kept_until(&self, now: Timestamp) -> Result<Timestamp> {
        let keep = SignedDuration::from_hours(24 * self.config.retention_days);
        now.saturating_add(keep).map_err(Failure::bug)
    }

    pub async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.store.commit(&Commit::new(&*self.ids, writes)).await
    }

    /// For writes that another worker may have made already.
    pub async fn commit_once(&self, writes: Vec<Write>) -> Result<()> {
        match self.commit(writes).await {
            Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub fn journal(&self) -> Journal {
        let (store, clock) = (self.store.clone(), self.clock.clone());
        Journal::new(store, clock, self.ids.clone(), &self.config)
    }
}

pub struct Ending<'a> {
    pub loaded: &'a LoadedRun,
    pub steps: &'a [NewStep],
    pub output: &'a WorkerOutput,
}

/// What a hook adds to the commit of the outcome.
#[derive(Debug, Default)]
pub struct AtEnd {
    pub writes: Vec<Write>,
    /// A line under the reply.
    pub note: Option<&'static str>,
}

#[async_trait]
pub trait Hook: Send + Sync {
    /// Called again if the commit conflicts.
    async fn beside_end(&self, ports: &Ports, ending: &Ending<'_>) -> Result<AtEnd>;

    /// Follow-up work after the commit. A crash may skip it.
    async fn after_end(&self, _ports: &Ports, _loaded: &LoadedRun) -> Result<()> {
        Ok(())
    }
}
