//! The ports a function is wired with.

use alfred_core::Config;
use alfred_core::ports::{Chat, Clock, Ids, Model, Queue, Store};
use std::sync::Arc;

use crate::journal::Journal;

/// What the handlers behind the receiver need. Cheap to clone.
#[derive(Clone)]
pub struct Ports {
    /// State.
    pub store: Arc<dyn Store>,
    /// Sending.
    pub queue: Arc<dyn Queue>,
    /// Slack.
    pub chat: Arc<dyn Chat>,
    /// The language model.
    pub model: Arc<dyn Model>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids.
    pub ids: Arc<dyn Ids>,
    /// Settings.
    pub config: Arc<Config>,
}

impl Ports {
    /// Runs and their journals on this store.
    #[must_use]
    pub fn journal(&self) -> Journal {
        Journal::new(
            self.store.clone(),
            self.clock.clone(),
            self.ids.clone(),
            &self.config,
        )
    }
}
