//! Slack's Web API behind the `Chat` port: slack-morphism's typed requests, answers of our own.
//! What sets it apart is that every outcome is precise: not sent, refused, limited, or unknown.

mod answers;
mod chat;
mod connector;
mod outcome;
mod pace;
mod pages;
mod upload;

use alfred_core::ports::{ChatError, Clock};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use slack_morphism::{ClientResult, SlackApiToken, SlackClientSession};
use std::sync::Arc;
use std::time::Duration;

use connector::Connector;
use outcome::chat_error;
use pace::Pace;

/// Slack's own address.
pub const DEFAULT_API_URL: &str = "https://slack.com/api";
/// All waiting of one call for rate limits together; longer waits park the run.
pub const MAX_WAIT: Duration = Duration::from_secs(20);
/// One request, until its answer is read.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The real client. Building it costs nothing: the HTTP client is made by the first call,
/// and needs the process's rustls provider to be installed by then.
pub struct SlackClient {
    api: slack_morphism::SlackClient<Connector>,
    token: SlackApiToken,
    clock: Arc<dyn Clock>,
    pace: Pace,
}

type Query = Vec<(String, String)>;

impl SlackClient {
    /// A client of the API at this base URL, [`DEFAULT_API_URL`] or what `SLACK_API_URL` says.
    #[must_use]
    pub fn new(base_url: &str, token: SecretString, clock: Arc<dyn Clock>) -> Self {
        Self {
            api: slack_morphism::SlackClient::new(Connector::new(base_url, REQUEST_TIMEOUT)),
            token: SlackApiToken::new(token.expose_secret().into()),
            clock,
            pace: Pace::default(),
        }
    }

    /// With another limit for one request, until its answer is read (10 s). What ran into it has an unknown outcome.
    #[must_use]
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        let connector = Connector::new(self.base_url(), limit);
        self.api = slack_morphism::SlackClient::new(connector);
        self
    }

    fn base_url(&self) -> &str {
        &self.api.http_api.connector.base_url
    }

    fn session(&self) -> SlackClientSession<'_, Connector> {
        self.api.open_session(&self.token)
    }

    /// Calls a method that writes; these take JSON.
    async fn write<T: DeserializeOwned + Send>(
        &self,
        method: &'static str,
        request: &(impl Serialize + Send + Sync),
    ) -> Result<T, ChatError> {
        let mut waited = Duration::ZERO;
        self.post(method, request, &mut waited).await
    }

    /// Like `write`, under the limit of one message a second in a channel.
    async fn write_paced<T: DeserializeOwned + Send>(
        &self,
        method: &'static str,
        channel: &str,
        request: &(impl Serialize + Send + Sync),
    ) -> Result<T, ChatError> {
        let mut wait = self
            .pace
            .reserve(channel, self.clock.now(), MAX_WAIT)
            .map_err(|retry_after| ChatError::RateLimited { retry_after })?;
        if !wait.is_zero() {
            self.clock.sleep(wait).await;
        }
        self.post(method, request, &mut wait).await
    }

    /// Calls a method that reads; Slack doesn't see the arguments of these in JSON.
    async fn read<T: DeserializeOwned + Send>(
        &self,
        method: &'static str,
        request: &impl Serialize,
    ) -> Result<T, ChatError> {
        let query = query(method, request)?;
        let mut waited = Duration::ZERO;
        self.get(method, &query, &mut waited).await
    }

    async fn post<T: DeserializeOwned + Send>(
        &self,
        method: &'static str,
        request: &(impl Serialize + Send + Sync),
        waited: &mut Duration,
    ) -> Result<T, ChatError> {
        let call = || async move {
            let session = self.session();
            session
                .http_session_api
                .http_post(method, request, None)
                .await
        };
        self.within_limits(method, waited, call).await
    }

    async fn get<T: DeserializeOwned + Send>(
        &self,
        method: &'static str,
        query: &Query,
        waited: &mut Duration,
    ) -> Result<T, ChatError> {
        let query = query
            .iter()
            .map(|(name, value)| (name.as_str(), Some(value)));
        let query = &query;
        let call = || async move {
            let session = self.session();
            session.http_session_api.http_get(method, query, None).await
        };
        self.within_limits(method, waited, call).await
    }

    /// Calls until no rate limit is in the way, as long as all waits stay within `MAX_WAIT`.
    async fn within_limits<T, F: Future<Output = ClientResult<T>>>(
        &self,
        method: &'static str,
        waited: &mut Duration,
        call: impl Fn() -> F,
    ) -> Result<T, ChatError> {
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => chat_error(method, error),
            };
            match error {
                ChatError::RateLimited { retry_after }
                    if waited.saturating_add(retry_after) <= MAX_WAIT =>
                {
                    tracing::debug!(slack.method = method, "waiting for slack's rate limit");
                    *waited += retry_after;
                    self.clock.sleep(retry_after).await;
                }
                error => return Err(error),
            }
        }
    }
}

/// A typed request's fields as a query has them, lists with commas.
fn query(method: &str, request: &impl Serialize) -> Result<Query, ChatError> {
    let word = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let written = |value: Value| match value {
        Value::Array(items) => items.into_iter().map(word).collect::<Vec<_>>().join(","),
        other => word(other),
    };
    match serde_json::to_value(request) {
        Ok(Value::Object(fields)) => {
            let fields = fields.into_iter();
            Ok(fields.map(|(name, value)| (name, written(value))).collect())
        }
        other => Err(ChatError::NotSent {
            detail: format!("{method}: no arguments of a query: {other:?}"),
        }),
    }
}
