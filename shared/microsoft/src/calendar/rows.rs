//! Rows of calendar changes by key. Graph accepts no key with an answer, and a deleted event can't be
//! queried. So a row with the event is written before such a change and marked afterwards.

use crate::Result;
use alfred_core::keys;
use alfred_core::ports::{AccountError, Event};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::OutlookCalendar;
use alfred_accounts::Progress;
use alfred_accounts::drafts::in_flight;
use alfred_accounts::outbox::not_now;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Row {
    tried: Timestamp,
    /// Whether the change was certainly made.
    pub done: bool,
    /// The event after the change. For an event to be created, set once it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
}

impl Row {
    /// Whether a call may still be running.
    pub fn in_flight(&self, now: Timestamp) -> bool {
        !self.done && in_flight(self.tried, now)
    }
}

/// The outcome of a call that may still be running.
pub(super) fn nobody_knows() -> AccountError {
    AccountError::unknown("a call may still be at work")
}

impl OutlookCalendar<'_> {
    /// The row's digest for a key, separate for each kind of change.
    pub(super) fn digest(&self, what: &str, key: &str) -> String {
        alfred_mime::digest(self.account, &format!("calendar {what}\n{key}"))
    }

    fn progress(&self, digest: &str) -> Progress<'_> {
        Progress {
            store: &*self.graph.store,
            key: keys::calendar_change(self.account, digest),
            now: self.graph.clock.now(),
        }
    }

    pub(super) async fn row(&self, digest: &str) -> Result<(Option<Row>, u64)> {
        self.progress(digest).read().await
    }

    /// Records an attempt. `NotReached` if another process works on the same key.
    pub(super) async fn trying(
        &self,
        digest: &str,
        version: u64,
        event: Option<&Event>,
    ) -> Result<()> {
        let progress = self.progress(digest);
        let (tried, done, event) = (progress.now, false, event.cloned());
        let row = Row { tried, done, event };
        progress.advance(version, &row).await.map_err(not_now)
    }

    pub(super) async fn done(&self, digest: &str, event: &Event) {
        let progress = self.progress(digest);
        let (tried, done, event) = (progress.now, true, Some(event.clone()));
        let row = Row { tried, done, event };
        progress.finish(&row).await;
    }

    /// Returns the error. Deletes the row unless the outcome is unknown. If that fails, the next look only
    /// waits longer.
    pub(super) async fn not_made(&self, digest: &str, error: AccountError) -> AccountError {
        if !matches!(error, AccountError::Unknown { .. })
            && let Err(error) = self.progress(digest).forget().await
        {
            tracing::warn!(%error, "a change that wasn't made is taken to be on its way for a while");
        }
        error
    }
}
