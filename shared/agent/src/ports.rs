//! The ports a function is wired with.

use alfred_core::ports::{Accounts, Chat, Clock, Folders, Ids, Model, Queue, Store, Web};
use alfred_core::{Config, Failure};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

use crate::journal::Journal;

/// Takes what the loop measures and no port sees.
pub trait Measure: Send + Sync {
    /// A tool ran for so many milliseconds.
    fn tool(&self, name: &str, ms: u64);
}

impl Measure for () {
    fn tool(&self, _: &str, _: u64) {}
}

/// What the handlers behind the receiver need. Cheap to clone.
#[derive(Clone)]
pub struct Ports {
    /// State.
    pub store: Arc<dyn Store>,
    /// Sending.
    pub queue: Arc<dyn Queue>,
    /// Slack.
    pub chat: Arc<dyn Chat>,
    /// Mail and calendars.
    pub accounts: Accounts,
    /// Searching the web, and reading it.
    pub web: Web,
    /// Folders in which programs work.
    pub folders: Arc<dyn Folders>,
    /// The language model.
    pub model: Arc<dyn Model>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids.
    pub ids: Arc<dyn Ids>,
    /// Settings.
    pub config: Arc<Config>,
    /// Measurements.
    pub measure: Arc<dyn Measure>,
}

impl Ports {
    /// Until when what is written now is kept.
    ///
    /// # Errors
    /// `Bug` when that is beyond all time.
    pub fn kept_until(&self, now: Timestamp) -> Result<Timestamp, Failure> {
        let keep = SignedDuration::from_hours(24 * self.config.retention_days);
        now.saturating_add(keep).map_err(Failure::bug)
    }

    /// Runs and their journals on this store.
    pub fn journal(&self) -> Journal {
        Journal::new(
            self.store.clone(),
            self.clock.clone(),
            self.ids.clone(),
            &self.config,
        )
    }
}
