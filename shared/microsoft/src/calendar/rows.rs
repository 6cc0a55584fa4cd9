//! Rows of calendar changes by key. Graph accepts no key with an answer, and a deleted event can't be
//! queried. So a row with the event is written before such a change and marked afterwards.

use alfred_core::keys;
use alfred_core::ports::{AccountError, Commit, Event, StoreError, SystemIds, Write};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::OutlookCalendar;
use alfred_accounts::drafts::in_flight;
use alfred_accounts::outbox::not_now;
use alfred_accounts::stored;

/// How long rows are kept.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

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
    AccountError::Unknown {
        detail: "a call may still be at work".into(),
    }
}

impl OutlookCalendar<'_> {
    /// The row's digest for a key, separate for each kind of change.
    pub(super) fn digest(&self, what: &str, key: &str) -> String {
        alfred_mime::digest(self.account, &format!("calendar {what}\n{key}"))
    }

    pub(super) async fn row(&self, digest: &str) -> Result<(Option<Row>, u64), AccountError> {
        let key = keys::calendar_change(self.account, digest);
        let row = stored(&*self.graph.store, &key, "change of a calendar").await;
        row.map_err(not_now)
    }

    /// Records an attempt. `NotReached` if another process works on the same key.
    pub(super) async fn trying(
        &self,
        digest: &str,
        version: u64,
        event: Option<&Event>,
    ) -> Result<(), AccountError> {
        let row = Row {
            tried: self.graph.clock.now(),
            done: false,
            event: event.cloned(),
        };
        let key = keys::calendar_change(self.account, digest);
        let body = serde_json::to_value(row).map_err(not_now)?;
        let written = self.commit(Write::over(key, version, body)).await;
        written.map_err(not_now)
    }

    /// Records success. A failure is only logged: the next look repairs the row.
    pub(super) async fn done(&self, digest: &str, event: &Event) {
        let row = serde_json::to_value(Row {
            tried: self.graph.clock.now(),
            done: true,
            event: Some(event.clone()),
        });
        let key = keys::calendar_change(self.account, digest);
        let written = match row {
            Ok(body) => self.commit(Write::put(key, None, body)).await,
            Err(error) => {
                tracing::error!(%error, "a change of a calendar can't be written down");
                return;
            }
        };
        if let Err(error) = written {
            tracing::error!(%error, "a change of a calendar isn't written down as made");
        }
    }

    /// Deletes the row of a failed attempt. If that fails, the next look only waits longer.
    pub(super) async fn nothing_came_of(&self, digest: &str) {
        let key = keys::calendar_change(self.account, digest);
        if let Err(error) = self.commit(Write::delete(key, None)).await {
            tracing::warn!(%error, "a change that wasn't made is taken to be on its way for a while");
        }
    }

    async fn commit(&self, write: Write) -> Result<(), StoreError> {
        let write = write.kept(self.graph.clock.now(), KEPT);
        let commit = Commit::new(&SystemIds, vec![write]);
        self.graph.store.commit(&commit).await
    }
}
