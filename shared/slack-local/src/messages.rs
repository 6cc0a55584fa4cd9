//! Posting and editing. A message and its events are written in one transaction.

use serde_json::json;

use crate::db::{CHANNEL, Tx};
use crate::state::SlackLocal;
use crate::types::{Change, Channel, ChannelKind, Message};

pub(crate) fn status_id(channel: &str, thread_ts: &str) -> String {
    format!("{channel}/{thread_ts}")
}

impl SlackLocal {
    pub(crate) fn insert(
        &self,
        channel: &Channel,
        mut message: Message,
    ) -> rusqlite::Result<Message> {
        message.channel.clone_from(&channel.id);
        message.ts = self.next_ts();
        let now_ms = self.now_ms();
        let ended = self.db().write(|tx| {
            tx.put_message(&message)?;
            self.message_events(tx, channel, &message)?;
            let root = message.thread_ts.as_deref();
            // In a direct message an answer needs no thread; it ends the status of the oldest request.
            if message.bot_id.is_none() || (root.is_none() && channel.kind != ChannelKind::Im) {
                return Ok(None);
            }
            tx.end_status(&channel.id, root, now_ms)
        })?;
        self.tell(Change::Posted {
            message: message.clone(),
        });
        if let Some(thread_ts) = ended {
            self.tell(Change::Status {
                channel: message.channel.clone(),
                thread_ts,
                status: String::new(),
            });
        }
        self.0.wake.notify_one();
        Ok(message)
    }

    fn message_events(
        &self,
        tx: &Tx<'_>,
        channel: &Channel,
        message: &Message,
    ) -> rusqlite::Result<()> {
        let bot = &self.seed().bot_user;
        if !channel.has(bot) {
            return Ok(());
        }
        let mut event = self.slack_message(message, true);
        event["channel"] = channel.id.as_str().into();
        event["event_ts"] = message.ts.as_str().into();
        if message.bot_id.is_none() {
            event["client_msg_id"] = self.id("").into();
        }
        let mentioned = message.text.contains(&format!("<@{bot}>"));
        if mentioned && message.bot_id.is_none() && channel.kind.event_name() != "im" {
            let mut mention = event.clone();
            mention["type"] = "app_mention".into();
            self.enqueue(tx, mention)?;
        }
        event["channel_type"] = channel.kind.event_name().into();
        self.enqueue(tx, event)
    }

    pub(crate) fn replace(
        &self,
        channel: &Channel,
        old: &Message,
        mut new: Message,
    ) -> rusqlite::Result<Message> {
        let at = self.next_ts();
        new.edited_ts = Some(at.clone());
        self.db().write(|tx| {
            tx.put_message(&new)?;
            if !channel.has(&self.seed().bot_user) {
                return Ok(());
            }
            let event = json!({
                "type": "message",
                "subtype": "message_changed",
                "hidden": true,
                "channel": channel.id,
                "channel_type": channel.kind.event_name(),
                "ts": at,
                "event_ts": at,
                "message": self.slack_message(&new, true),
                "previous_message": self.slack_message(old, true),
            });
            self.enqueue(tx, event)
        })?;
        let message = new.clone();
        self.tell(Change::Edited { message });
        self.0.wake.notify_one();
        Ok(new)
    }

    /// Deletes a message of the app's, as the app or an administrator of the workspace does.
    pub fn delete(&self, channel: &str, ts: &str) -> rusqlite::Result<()> {
        self.db().write(|tx| tx.remove_message(channel, ts))?;
        self.tell(Change::Deleted {
            channel: channel.to_owned(),
            ts: ts.to_owned(),
        });
        Ok(())
    }

    /// The direct message with this person. Opens it if it is new.
    pub(crate) fn open_dm(&self, user: &str) -> rusqlite::Result<Channel> {
        let mut db = self.db();
        if let Some(channel) = db.read().dm_of(user)? {
            return Ok(channel);
        }
        let channel = Channel {
            id: format!("D0{}", user.get(1..).unwrap_or(user)),
            name: String::new(),
            kind: ChannelKind::Im,
            members: vec![user.to_owned(), self.seed().bot_user.clone()],
            created: self.0.clock.now().as_second(),
        };
        db.write(|tx| tx.put(CHANNEL, &channel.id, &channel))?;
        drop(db);
        self.tell(Change::Channel {
            channel: channel.clone(),
        });
        Ok(channel)
    }
}
