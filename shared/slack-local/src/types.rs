//! People, conversations, messages and views as the person's side sees them.

use crate::api::Stream;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    pub id: String,
    /// The handle after `@`.
    pub username: String,
    pub name: String,
    /// Empty: not shown to apps.
    #[serde(default)]
    pub email: String,
    /// IANA zone; empty: not set.
    #[serde(default)]
    pub tz: String,
    #[serde(default)]
    pub is_bot: bool,
    /// A deactivated account.
    #[serde(default)]
    pub deleted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    Public,
    Private,
    Im,
}

impl ChannelKind {
    /// `channel_type` of message events.
    pub fn event_name(self) -> &'static str {
        match self {
            Self::Public => "channel",
            Self::Private => "group",
            Self::Im => "im",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    pub id: String,
    /// Without `#`; empty for direct messages.
    pub name: String,
    pub kind: ChannelKind,
    pub members: Vec<String>,
    /// Seconds since 1970.
    #[serde(default)]
    pub created: i64,
}

impl Channel {
    /// Whether this user may read and write here.
    pub fn has(&self, user: &str) -> bool {
        self.members.iter().any(|member| member == user)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub channel: String,
    pub ts: String,
    /// The root of its thread; a root with replies carries its own `ts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_ts: Option<String>,
    pub user: String,
    /// Set when an app wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot_id: Option<String>,
    /// mrkdwn with `&`, `<` and `>` escaped.
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Value>,
    /// Whether no bare address in `text` becomes a link (`parse: none`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unlinked: bool,
    /// What the app attached; readers get it only on request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
    /// What its author shared with it, as Slack shows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_ts: Option<String>,
    /// Set while it grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Stream>,
    /// Replies under it; only counted on reading.
    #[serde(default)]
    pub reply_count: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest_reply: Option<String>,
}

impl Message {
    pub fn is_reply(&self) -> bool {
        self.thread_ts.as_ref().is_some_and(|root| *root != self.ts)
    }

    pub(crate) fn to_slack(&self, team: &str, app: &str, with_metadata: bool) -> Value {
        let mut out = json!({
            "type": "message",
            "user": self.user,
            "text": self.text,
            "ts": self.ts,
            "team": team,
        });
        if let Some(bot) = &self.bot_id {
            out["bot_id"] = bot.as_str().into();
            out["app_id"] = app.into();
        }
        if !self.blocks.is_empty() {
            out["blocks"] = self.blocks.clone().into();
        }
        if !self.files.is_empty() {
            out["subtype"] = "file_share".into();
            out["files"] = self.files.clone().into();
        }
        if let Some(root) = &self.thread_ts {
            out["thread_ts"] = root.as_str().into();
        }
        if self.reply_count > 0 {
            out["thread_ts"] = self.ts.as_str().into();
            out["reply_count"] = self.reply_count.into();
            out["latest_reply"] = json!(self.latest_reply);
        }
        if let Some(at) = &self.edited_ts {
            out["edited"] = json!({"user": self.user, "ts": at});
        }
        if let Some(metadata) = self.metadata.as_ref().filter(|_| with_metadata) {
            out["metadata"] = metadata.clone();
        }
        out
    }
}

/// A message for one person, which isn't stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ephemeral {
    pub channel: String,
    pub user: String,
    /// Its id, for clicks on it.
    pub ts: String,
    pub thread_ts: Option<String>,
    pub text: String,
    /// Whether no bare address in `text` becomes a link (`parse: none`).
    #[serde(default)]
    pub unlinked: bool,
    pub blocks: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub id: String,
    pub user: String,
    /// The app's own id for it, unique among open views.
    pub external_id: Option<String>,
    pub hash: String,
    /// The view as the app gave it, with the ids Slack adds.
    pub view: Value,
}

/// Something the page should redraw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    Posted {
        message: Message,
    },
    Edited {
        message: Message,
    },
    Deleted {
        channel: String,
        ts: String,
    },
    Ephemeral {
        ephemeral: Ephemeral,
    },
    /// The status line of a thread; empty: cleared.
    Status {
        channel: String,
        thread_ts: String,
        status: String,
    },
    View {
        view: View,
    },
    /// A Home tab was published.
    Home {
        view: View,
    },
    ViewClosed {
        id: String,
        user: String,
    },
    Channel {
        channel: Channel,
    },
}
