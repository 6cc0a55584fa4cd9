//! The person's side: clicks, shortcuts and commands. They are sent once, and the app must answer within three seconds.

use axum::http::HeaderMap;
use serde_json::{Value, json};

use crate::blocks::{Surface, elements};
use crate::delivery::{AppAnswer, BROKEN, FORM, Undelivered};
use crate::person::PersonError;
use crate::seed::MANIFEST;
use crate::socket::{COMMANDS, INTERACTIVE};
use crate::state::{SlackLocal, Trigger, lock};
use crate::types::{Channel, Ephemeral};

/// An expired trigger is known as expired for this long, then unknown.
const TRIGGER_KEPT_MS: i64 = 60_000;

impl SlackLocal {
    fn request_url(&self) -> Result<String, Undelivered> {
        let url = lock(&self.0.request_url).clone();
        url.ok_or(Undelivered("no request URL is set"))
    }

    fn trigger(&self, user: &str) -> String {
        let id = self.id("trg.");
        let trigger = Trigger {
            user: user.to_owned(),
            at_ms: self.now_ms(),
            used: false,
        };
        let mut triggers = lock(&self.0.triggers);
        triggers.retain(|_, old| trigger.at_ms - old.at_ms < TRIGGER_KEPT_MS);
        triggers.insert(id.clone(), trigger);
        id
    }

    /// The fields of every interaction.
    pub(crate) fn interaction(&self, kind: &str, user: &str) -> Result<Value, PersonError> {
        let seed = self.seed();
        let person = self.member(user)?;
        Ok(json!({
            "type": kind,
            "team": {"id": seed.team_id, "domain": seed.team_domain},
            "user": {
                "id": person.id,
                "username": person.username,
                "name": person.username,
                "team_id": seed.team_id,
            },
            "api_app_id": seed.app_id,
            "token": "verification-token",
            "trigger_id": self.trigger(user),
            "enterprise": null,
            "is_enterprise_install": false,
        }))
    }

    pub(crate) async fn interact(&self, payload: Value) -> Result<AppAnswer, PersonError> {
        Ok(self.hand_over(INTERACTIVE, payload).await?)
    }

    async fn hand_over(&self, kind: &str, payload: Value) -> Result<AppAnswer, Undelivered> {
        if self.socket_mode() {
            let envelope = json!({"type": kind, "payload": payload});
            return self.send_envelope(envelope).await;
        }
        let fields = match kind {
            INTERACTIVE => json!({"payload": payload.to_string()}),
            _ => payload,
        };
        let body = serde_urlencoded::to_string(&fields).map_err(|_| Undelivered(BROKEN))?;
        self.send(&self.request_url()?, FORM, body, HeaderMap::new())
            .await
    }

    /// Clicks a button of a message, ephemeral ones included; with a value, that one of feedback buttons.
    pub async fn click(
        &self,
        user: &str,
        channel: &str,
        ts: &str,
        action_id: &str,
        value: Option<&str>,
    ) -> Result<AppAnswer, PersonError> {
        let channel = self.joined(user, channel)?;
        let mut all = self.ephemerals(user).into_iter();
        let seen = all.find(|one| one.channel == channel.id && one.ts == ts);
        let (blocks, thread_ts, message) = match &seen {
            Some(one) => (one.blocks.clone(), one.thread_ts.clone(), None),
            None => {
                let message = self.message(&channel.id, ts)?;
                let shown = self.slack_message(&message, true);
                (message.blocks, message.thread_ts, Some(shown))
            }
        };
        let action = self.action(&blocks, action_id, value)?;
        let mut payload = self.interaction("block_actions", user)?;
        let mut container = json!({
            "type": "message",
            "message_ts": ts,
            "channel_id": channel.id,
            "is_ephemeral": seen.is_some(),
        });
        if let Some(root) = thread_ts {
            container["thread_ts"] = root.into();
        }
        payload["container"] = container;
        payload["channel"] = Self::place(&channel);
        if let Some(message) = message {
            payload["message"] = message;
        }
        payload["state"] = json!({"values": {}});
        payload["actions"] = json!([action]);
        self.interact(payload).await
    }

    fn place(channel: &Channel) -> Value {
        json!({"id": channel.id, "name": Self::shown_name(channel)})
    }

    /// Uses a shortcut of the app on a message, also where the app isn't a member.
    pub async fn shortcut(
        &self,
        user: &str,
        channel: &str,
        ts: &str,
        callback_id: &str,
    ) -> Result<AppAnswer, PersonError> {
        let channel = self.joined(user, channel)?;
        let message = self.message(&channel.id, ts)?;
        let known = MANIFEST["features"]["shortcuts"].as_array();
        if !known.is_some_and(|all| all.iter().any(|one| one["callback_id"] == callback_id)) {
            return Err(PersonError::UnknownShortcut);
        }
        let mut payload = self.interaction("message_action", user)?;
        payload["callback_id"] = callback_id.into();
        payload["action_ts"] = self.next_ts().into();
        payload["message_ts"] = ts.into();
        payload["channel"] = Self::place(&channel);
        payload["message"] = self.slack_message(&message, true);
        payload["response_url"] = self.response_url("app").into();
        self.interact(payload).await
    }

    /// Not served: Alfred answers by the Web API.
    fn response_url(&self, kind: &str) -> String {
        format!("{}/{kind}/{}", *lock(&self.0.base_url), self.id(""))
    }

    /// The click on an element of these blocks.
    pub(crate) fn action(
        &self,
        blocks: &[Value],
        action_id: &str,
        value: Option<&str>,
    ) -> Result<Value, PersonError> {
        let found = elements::find(blocks, action_id);
        let (block_id, element) = found.ok_or(PersonError::UnknownAction)?;
        let both = ["positive_button", "negative_button"];
        let pressed = match (element["type"].as_str(), value) {
            (Some("button" | "icon_button"), None) => Some(element),
            (Some("feedback_buttons"), Some(value)) => both
                .into_iter()
                .map(|name| &element[name])
                .find(|one| one["value"] == value),
            _ => None,
        };
        let pressed = pressed.ok_or(PersonError::UnknownAction)?;
        let mut action = json!({
            "type": element["type"],
            "action_id": action_id,
            "block_id": block_id,
            "action_ts": self.next_ts(),
        });
        for field in ["text", "value", "style", "url"] {
            if !pressed[field].is_null() {
                action[field] = pressed[field].clone();
            }
        }
        Ok(action)
    }

    /// Runs a slash command, such as `/alfred`. The app's answer is shown to the person.
    pub async fn command(
        &self,
        user: &str,
        channel: &str,
        command: &str,
        text: &str,
    ) -> Result<AppAnswer, PersonError> {
        let channel = self.joined(user, channel)?;
        let person = self.member(user)?;
        let seed = self.seed();
        // The manifest says `should_escape`.
        let text = match text.trim() {
            "" => String::new(),
            typed => self.typed(user, typed)?,
        };
        let fields = json!({
            "token": "verification-token",
            "team_id": seed.team_id,
            "team_domain": seed.team_domain,
            "channel_id": channel.id,
            "channel_name": Self::shown_name(&channel),
            "user_id": person.id,
            "user_name": person.username,
            "command": command,
            "text": text,
            "api_app_id": seed.app_id,
            "is_enterprise_install": "false",
            "response_url": self.response_url("commands"),
            "trigger_id": self.trigger(user),
        });
        let answer = self.hand_over(COMMANDS, fields).await?;
        let text = match &answer.body {
            Value::String(text) => Some(text.as_str()),
            body => body["text"].as_str(),
        };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let blocks = answer.body["blocks"].as_array().cloned();
            let blocks = self.check_blocks(&blocks.unwrap_or_default(), Surface::Message);
            let bad = |why: Vec<String>| PersonError::BadAnswer {
                reason: why.join("; "),
            };
            self.show(Ephemeral {
                channel: channel.id,
                user: user.to_owned(),
                ts: self.next_ts(),
                thread_ts: None,
                text: text.to_owned(),
                unlinked: false,
                blocks: blocks.map_err(bad)?,
            });
        }
        Ok(answer)
    }
}
