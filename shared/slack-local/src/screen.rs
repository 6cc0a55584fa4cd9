//! The person's side: what is on the screen.

use crate::api::StoredStatus;
use crate::db::{STATUS, VIEW, Window};
use crate::messages::status_id;
use crate::person::PersonError;
use crate::state::{SlackLocal, lock};
use crate::types::{Ephemeral, Message, View};

impl SlackLocal {
    /// The roots of a conversation, oldest first, the newest `limit`.
    pub fn messages(&self, channel: &str, limit: usize) -> Result<Vec<Message>, PersonError> {
        let window = Window {
            limit,
            ..Window::default()
        };
        let mut messages = self.db().read().history(channel, &window)?;
        messages.reverse();
        Ok(messages)
    }

    /// A thread, its root first.
    pub fn thread(&self, channel: &str, root: &str) -> Result<Vec<Message>, PersonError> {
        let db = self.db();
        let first = db.read().message(channel, root)?;
        let mut messages = vec![first.ok_or(PersonError::UnknownMessage)?];
        let window = Window {
            limit: usize::MAX,
            ..Window::default()
        };
        messages.extend(db.read().replies(channel, root, &window)?);
        Ok(messages)
    }

    pub fn message(&self, channel: &str, ts: &str) -> Result<Message, PersonError> {
        let message = self.db().read().message(channel, ts)?;
        message.ok_or(PersonError::UnknownMessage)
    }

    pub fn status(&self, channel: &str, thread_ts: &str) -> Result<Option<String>, PersonError> {
        let id = status_id(channel, thread_ts);
        let stored: Option<StoredStatus> = self.db().read().get(STATUS, &id)?;
        let stored = stored.filter(|stored| stored.until_ms > self.now_ms());
        Ok(stored.map(|stored| stored.status))
    }

    pub fn views(&self, user: &str) -> Result<Vec<View>, PersonError> {
        let views: Vec<View> = self.db().read().all(VIEW)?;
        Ok(views.into_iter().filter(|view| view.user == user).collect())
    }

    /// Ephemeral messages this person has seen since the start.
    pub fn ephemerals(&self, user: &str) -> Vec<Ephemeral> {
        let all = lock(&self.0.ephemerals);
        all.iter().filter(|one| one.user == user).cloned().collect()
    }
}
