//! Slack's Web API behind the `Chat` port: slack-morphism's requests with our own answer types. Every outcome
//! is precise: not sent, refused, limited, or unknown.

mod answers;
mod chat;
mod connector;
mod download;
mod outcome;
mod pace;
mod pages;
mod upload;

use alfred_core::ports::{ChatError, Clock};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use slack_morphism::{ClientResult, SlackApiToken, SlackClientHttpSessionApi};
use std::sync::Arc;
use std::time::Duration;

use connector::Connector;
use outcome::chat_error;
use pace::Pace;

pub const DEFAULT_API_URL: &str = "https://slack.com/api";
/// Total wait for rate limits in one call. For a longer one the run is postponed.
pub const MAX_WAIT: Duration = Duration::from_secs(20);

/// Costs nothing to build: the HTTP client is built by the first call, which needs an installed rustls
/// provider.
pub struct SlackClient {
    api: slack_morphism::SlackClient<Connector>,
    token: SlackApiToken,
    clock: Arc<dyn Clock>,
    pace: Pace,
}

impl SlackClient {
    /// `base_url` is [`DEFAULT_API_URL`] or `SLACK_API_URL`.
    pub fn new(base_url: &str, token: SecretString, clock: Arc<dyn Clock>) -> Self {
        let connector = Connector::new(base_url, clock.clone());
        Self {
            api: slack_morphism::SlackClient::new(connector),
            token: SlackApiToken::new(token.expose_secret().into()),
            clock,
            pace: Pace::default(),
        }
    }

    fn base_url(&self) -> &str {
        &self.api.http_api.connector.base_url
    }

    fn session(&self) -> SlackClientHttpSessionApi<'_, Connector> {
        self.api.open_session(&self.token).http_session_api
    }

    fn calls(&self) -> Calls<'_> {
        Calls {
            client: self,
            waited: Duration::ZERO,
        }
    }

    /// Waits for the limit of one message a second in a channel.
    async fn paced(&self, channel: &str) -> Result<Calls<'_>, ChatError> {
        let wait = self
            .pace
            .reserve(channel, self.clock.now(), MAX_WAIT)
            .map_err(|retry_after| ChatError::RateLimited { retry_after })?;
        if !wait.is_zero() {
            self.clock.sleep(wait).await;
        }
        Ok(Calls {
            client: self,
            waited: wait,
        })
    }
}

/// One or several calls that share the limit for waiting on rate limits.
struct Calls<'a> {
    client: &'a SlackClient,
    waited: Duration,
}

impl Calls<'_> {
    /// Calls a writing method, which accepts JSON.
    async fn write<T: DeserializeOwned + Send>(
        &mut self,
        method: &'static str,
        request: &(impl Serialize + Send + Sync),
    ) -> Result<T, ChatError> {
        let client = self.client;
        let call = || async move { client.session().http_post(method, request, None).await };
        self.within_limits(method, call).await
    }

    /// Calls a reading method, whose arguments Slack doesn't accept as JSON.
    async fn read<T: DeserializeOwned + Send>(
        &mut self,
        method: &'static str,
        request: &impl Serialize,
    ) -> Result<T, ChatError> {
        let query: Vec<(String, String)> = fields(method, request)?
            .into_iter()
            .map(|(name, value)| (name, in_query(value)))
            .collect();
        let query = &query
            .iter()
            .map(|(name, value)| (name.as_str(), Some(value)));
        let client = self.client;
        let call = || async move { client.session().http_get(method, query, None).await };
        self.within_limits(method, call).await
    }

    /// Repeats a rate-limited call while the total wait stays within `MAX_WAIT`.
    async fn within_limits<T, F: Future<Output = ClientResult<T>>>(
        &mut self,
        method: &'static str,
        call: impl Fn() -> F,
    ) -> Result<T, ChatError> {
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => chat_error(method, error),
            };
            match error {
                ChatError::RateLimited { retry_after }
                    if self.waited.saturating_add(retry_after) <= MAX_WAIT =>
                {
                    tracing::debug!(slack.method = method, "waiting for slack's rate limit");
                    self.waited += retry_after;
                    self.client.clock.sleep(retry_after).await;
                }
                error => return Err(error),
            }
        }
    }
}

fn fields(method: &str, request: &impl Serialize) -> Result<Map<String, Value>, ChatError> {
    match serde_json::to_value(request) {
        Ok(Value::Object(fields)) => Ok(fields),
        other => Err(ChatError::NotSent {
            detail: format!("{method}: no arguments: {other:?}"),
        }),
    }
}

/// A query value. Lists are joined by commas.
fn in_query(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Array(items) => items
            .into_iter()
            .map(in_query)
            .collect::<Vec<_>>()
            .join(","),
        other => other.to_string(),
    }
}
