//! The ports and settings that handlers use.

use alfred_core::ports::{
    Accounts, Chat, Clock, Commit, Folders, Ids, Model, Queue, Store, StoreError, Web, Write,
};
use alfred_core::{Config, Failure};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

use crate::store::journal::Journal;

/// Receives measurements made inside the agent loop.
pub trait Measure: Send + Sync {
    /// Reports a tool's run time in milliseconds.
    fn tool(&self, name: &str, ms: u64);
}

impl Measure for () {
    fn tool(&self, _: &str, _: u64) {}
}

/// All ports of the queue handlers. Cheap to clone.
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
    pub measure: Arc<dyn Measure>,
}

impl Ports {
    /// The expiry of items written now.
    pub fn kept_until(&self, now: Timestamp) -> Result<Timestamp, Failure> {
        let keep = SignedDuration::from_hours(24 * self.config.retention_days);
        now.saturating_add(keep).map_err(Failure::bug)
    }

    /// Commits writes that belong to no run.
    pub(crate) async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.store.commit(&Commit::new(&*self.ids, writes)).await
    }

    /// Like [`Self::commit`], for writes that another worker may have made already.
    pub(crate) async fn commit_once(&self, writes: Vec<Write>) -> Result<(), Failure> {
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
