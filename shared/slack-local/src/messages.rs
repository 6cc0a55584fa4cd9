//! Posting and editing. A message and its events are written in one transaction.

use serde_json::{Value, json};

use crate::db::{STATUS, Tx};
use crate::state::SlackLocal;
use crate::types::{Change, Channel, Message};

pub(crate) struct Draft<'a> {
    pub channel: &'a Channel,
    pub user: &'a str,
    pub by_app: bool,
    pub text: String,
    pub unlinked: bool,
    pub blocks: Vec<Value>,
    pub metadata: Option<Value>,
    pub thread_ts: Option<String>,
    pub files: Vec<Value>,
}

pub(crate) fn status_id(channel: &str, thread_ts: &str) -> String {
    format!("{channel}/{thread_ts}")
}

impl SlackLocal {
    pub(crate) fn insert(&self, draft: Draft<'_>) -> rusqlite::Result<Message> {
        let message = Message {
            channel: draft.channel.id.clone(),
            ts: self.next_ts(),
            thread_ts: draft.thread_ts,
            user: draft.user.to_owned(),
            bot_id: draft.by_app.then(|| self.seed().bot_id.clone()),
            text: draft.text,
            unlinked: draft.unlinked,
            blocks: draft.blocks,
            metadata: draft.metadata,
            files: draft.files,
            edited_ts: None,
            reply_count: 0,
            latest_reply: None,
        };
        let cleared = self.db().write(|tx| {
            tx.put_message(&message)?;
            self.message_events(tx, draft.channel, &message)?;
            match &message.thread_ts {
                Some(root) if draft.by_app => tx.remove(STATUS, &status_id(&message.channel, root)),
                _ => Ok(false),
            }
        })?;
        self.tell(Change::Posted {
            message: message.clone(),
        });
        if let (true, Some(root)) = (cleared, &message.thread_ts) {
            self.tell(Change::Status {
                channel: message.channel.clone(),
                thread_ts: root.clone(),
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
        self.tell(Change::Edited {
            message: new.clone(),
        });
        self.0.wake.notify_one();
        Ok(new)
    }

    /// The direct message with this person, opened if it is new, and whether it existed.
    pub(crate) fn open_dm(&self, user: &str) -> rusqlite::Result<(Channel, bool)> {
        let mut db = self.db();
        if let Some(channel) = db.read().dm_of(user)? {
            return Ok((channel, true));
        }
        let channel = Channel {
            id: format!("D0{}", user.get(1..).unwrap_or(user)),
            name: String::new(),
            kind: crate::types::ChannelKind::Im,
            members: vec![user.to_owned(), self.seed().bot_user.clone()],
            created: self.0.clock.now().as_second(),
        };
        db.write(|tx| tx.put(crate::db::CHANNEL, &channel.id, &channel))?;
        drop(db);
        self.tell(Change::Channel {
            channel: channel.clone(),
        });
        Ok((channel, false))
    }
}
