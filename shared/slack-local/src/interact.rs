//! The person's side: clicks and commands. The app answers
//! within three seconds or the person sees that it failed; nothing is repeated.

use axum::http::HeaderMap;
use serde_json::{Value, json};

use crate::blocks::{Surface, elements};
use crate::delivery::{AppAnswer, FORM, Undelivered};
use crate::person::PersonError;
use crate::state::{SlackLocal, Trigger, lock};
use crate::types::Ephemeral;

impl SlackLocal {
    fn request_url(&self) -> Result<String, Undelivered> {
        lock(&self.0.request_url).clone().ok_or(Undelivered::NoUrl)
    }

    fn trigger(&self, user: &str) -> String {
        let id = self.id("trg.");
        let at_ms = self.now_ms();
        let mut triggers = lock(&self.0.triggers);
        // What expired a minute ago can only be told from an invalid one by its age: drop it.
        triggers.retain(|_, trigger| at_ms - trigger.at_ms < 60_000);
        let user = user.to_owned();
        triggers.insert(
            id.clone(),
            Trigger {
                user,
                at_ms,
                used: false,
            },
        );
        id
    }

    /// What every interaction says about the person and the app.
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
        let url = self.request_url()?;
        let fields = [("payload", payload.to_string())];
        Ok(self.send_form(&url, &fields).await?)
    }

    async fn send_form(
        &self,
        url: &str,
        fields: &[(&str, String)],
    ) -> Result<AppAnswer, Undelivered> {
        let body = serde_urlencoded::to_string(fields).map_err(|_| Undelivered::Broken)?;
        self.send(url, FORM, body, HeaderMap::new()).await
    }

    /// Clicks a button of a message, ephemeral ones included.
    ///
    /// # Errors
    /// `UnknownMessage`, `UnknownAction`, `Undelivered`, …
    pub async fn click(
        &self,
        user: &str,
        channel: &str,
        ts: &str,
        action_id: &str,
    ) -> Result<AppAnswer, PersonError> {
        self.act(user, channel, ts, action_id, None).await
    }

    /// Picks the option with this value in a menu of a message.
    ///
    /// # Errors
    /// As `click`.
    pub async fn choose(
        &self,
        user: &str,
        channel: &str,
        ts: &str,
        action_id: &str,
        value: &str,
    ) -> Result<AppAnswer, PersonError> {
        self.act(user, channel, ts, action_id, Some(value)).await
    }

    async fn act(
        &self,
        user: &str,
        channel: &str,
        ts: &str,
        action_id: &str,
        value: Option<&str>,
    ) -> Result<AppAnswer, PersonError> {
        let channel = self.joined(user, channel)?;
        let seen = self
            .ephemerals(user)
            .into_iter()
            .find(|one| one.channel == channel.id && one.ts == ts);
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
        let name = Self::shown_name(&channel);
        payload["channel"] = json!({"id": channel.id, "name": name});
        if let Some(message) = message {
            payload["message"] = message;
        }
        payload["state"] = json!({"values": {}});
        payload["actions"] = json!([action]);
        self.interact(payload).await
    }

    pub(crate) fn action(
        &self,
        blocks: &[Value],
        action_id: &str,
        value: Option<&str>,
    ) -> Result<Value, PersonError> {
        let (block_id, element) =
            elements::find(blocks, action_id).ok_or(PersonError::UnknownAction)?;
        let mut action = json!({
            "type": element["type"],
            "action_id": action_id,
            "block_id": block_id,
            "action_ts": self.next_ts(),
        });
        match value {
            None if element["options"].is_array() => return Err(PersonError::UnknownAction),
            None => {
                for field in ["text", "value", "style", "url"] {
                    if !element[field].is_null() {
                        action[field] = element[field].clone();
                    }
                }
            }
            Some(value) => action["selected_option"] = option(element, value)?,
        }
        Ok(action)
    }

    /// Runs a slash command, `/alfred` with its text. What the app answers is shown.
    ///
    /// # Errors
    /// `UnknownChannel`, `Undelivered`, …
    pub async fn command(
        &self,
        user: &str,
        channel: &str,
        command: &str,
        text: &str,
    ) -> Result<AppAnswer, PersonError> {
        let channel = self.joined(user, channel)?;
        let person = self.member(user)?;
        let (seed, url) = (self.seed(), self.request_url()?);
        let fields = [
            ("token", "verification-token".to_owned()),
            ("team_id", seed.team_id.clone()),
            ("team_domain", seed.team_domain.clone()),
            ("channel_id", channel.id.clone()),
            ("channel_name", Self::shown_name(&channel).to_owned()),
            ("user_id", person.id),
            ("user_name", person.username),
            ("command", command.to_owned()),
            ("text", text.to_owned()),
            ("api_app_id", seed.app_id.clone()),
            ("is_enterprise_install", "false".to_owned()),
            ("trigger_id", self.trigger(user)),
        ];
        let answer = self.send_form(&url, &fields).await?;
        let text = match &answer.body {
            Value::String(text) => Some(text.as_str()),
            body => body["text"].as_str(),
        };
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let blocks = answer.body["blocks"].as_array().cloned();
            let blocks = blocks.unwrap_or_default();
            self.show(Ephemeral {
                channel: channel.id,
                user: user.to_owned(),
                ts: self.next_ts(),
                thread_ts: None,
                text: text.to_owned(),
                unlinked: false,
                blocks: self.check_blocks(&blocks, Surface::Message)?,
            });
        }
        Ok(answer)
    }
}

/// The option with this value.
pub(crate) fn option(element: &Value, value: &str) -> Result<Value, PersonError> {
    let options = element["options"].as_array().into_iter().flatten();
    let found = options.into_iter().find(|option| option["value"] == value);
    found.cloned().ok_or(PersonError::UnknownAction)
}
