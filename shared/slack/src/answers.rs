//! The fields that are read of Slack's answers (docs.slack.dev/reference/methods): slack-morphism's types
//! reject or drop what they don't model.

use serde::Deserialize;
use serde_json::Value;

use alfred_core::UserId;
use alfred_core::envelope::quotes;
use alfred_core::ports::{ChatMessage, ChatUser, MessageBody};

use super::Result;
use super::calls::unknown;

/// `event_type` of the metadata on Alfred's messages.
pub(super) const METADATA_TYPE: &str = "alfred_reply";

/// A text of an answer. `Unknown` if it is missing.
pub(super) fn text(method: &str, answer: &Value, path: &str) -> Result<String> {
    let text = answer.pointer(path).and_then(Value::as_str);
    text.map(str::to_owned)
        .ok_or_else(|| unknown(method, format!("an answer without {path}")))
}

fn or_empty(text: &Value) -> String {
    text.as_str().unwrap_or_default().to_owned()
}

#[derive(Deserialize)]
pub(super) struct SlackMessage {
    pub ts: String,
    user: Option<String>,
    #[serde(default)]
    text: String,
    bot_id: Option<String>,
    app_id: Option<String>,
    #[serde(default)]
    blocks: Value,
    #[serde(default)]
    metadata: Value,
}

impl SlackMessage {
    /// Whether Alfred posted it with this key, or it is a live message with it.
    pub fn has_key(&self, key: &str) -> bool {
        let mut blocks = self.blocks.as_array().into_iter().flatten();
        let is_live = blocks.any(|block| block["block_id"] == key);
        self.key().as_deref() == Some(key) || self.bot_id.is_some() && is_live
    }

    /// The idempotency key, if Alfred posted the message.
    fn key(&self) -> Option<String> {
        let ours = self.bot_id.is_some() && self.metadata["event_type"] == METADATA_TYPE;
        let key = self.metadata["event_payload"]["key"].as_str();
        key.filter(|_| ours).map(str::to_owned)
    }
}

impl From<SlackMessage> for MessageBody {
    fn from(message: SlackMessage) -> Self {
        let blocks = match message.blocks {
            Value::Array(blocks) => blocks,
            _ => Vec::new(),
        };
        Self {
            text: message.text,
            blocks,
        }
    }
}

impl From<SlackMessage> for ChatMessage {
    fn from(message: SlackMessage) -> Self {
        Self {
            key: message.key(),
            quotes: quotes(&message.text, &message.blocks),
            user: message.user.map(UserId::from),
            from_app: message.bot_id.is_some() || message.app_id.is_some(),
            text: message.text,
            ts: message.ts,
        }
    }
}

pub(super) fn person(id: UserId, user: &Value) -> ChatUser {
    let (name, profile) = (&user["name"], &user["profile"]);
    let names = [
        &profile["real_name"],
        &user["real_name"],
        &profile["display_name"],
        name,
    ];
    let mut names = names.map(or_empty).into_iter();
    // Slack doesn't flag Slackbot as a bot.
    let is_bot = user["is_bot"] == true || id.as_str() == "USLACKBOT";
    ChatUser {
        id,
        username: or_empty(name),
        name: names.find(|name| !name.is_empty()).unwrap_or_default(),
        email: or_empty(&profile["email"]),
        timezone: Some(or_empty(&user["tz"])).filter(|zone| !zone.is_empty()),
        is_person: !is_bot && user["deleted"] != true,
    }
}
