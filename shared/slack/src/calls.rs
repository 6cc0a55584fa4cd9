//! Sends requests to Slack and waits for its rate limits. *Not sent* and *unknown* stay distinct.

use alfred_core::ports::ChatError;
use alfred_http::{Retries, retry_after, up_to, with_causes};
use reqwest::{Client, ClientBuilder, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::time::Duration;

use super::{Result, SlackClient};

pub(super) const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;
/// A request that exceeds this has an unknown outcome.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Idle connections are closed after this: a post on a dead connection has an unknown outcome.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Wait for a rate limit without a `Retry-After`, or with one that is over.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// Slack's error codes for a token that was rotated or revoked.
const TOKEN_REFUSED: [&str; 5] = [
    "invalid_auth",
    "token_revoked",
    "token_expired",
    "not_authed",
    "account_inactive",
];

/// One or several calls that share the limit for waiting on rate limits.
pub(super) struct Calls<'a> {
    pub client: &'a SlackClient,
    pub retries: Retries,
}

struct Answer {
    status: StatusCode,
    wait: Duration,
    body: Vec<u8>,
    is_cut: bool,
}

pub(super) fn not_sent(method: &str, detail: impl Display) -> ChatError {
    ChatError::NotSent {
        detail: format!("{method}: {detail}"),
    }
}

pub(super) fn unknown(method: &str, detail: impl Display) -> ChatError {
    ChatError::Unknown {
        detail: format!("{method}: {detail}"),
    }
}

/// Only a failed connection certainly sent nothing.
fn lost(method: &str, error: reqwest::Error) -> ChatError {
    let never_left = error.is_connect() || error.is_builder();
    let detail = with_causes(&error.without_url());
    if never_left {
        not_sent(method, detail)
    } else {
        unknown(method, detail)
    }
}

impl Calls<'_> {
    /// Calls a writing method, which accepts JSON.
    pub async fn write(
        &mut self,
        method: &'static str,
        arguments: &impl Serialize,
    ) -> Result<Value> {
        let url = self.client.url(method);
        self.call(method, |http| http.post(&url).json(arguments))
            .await
    }

    /// Calls a reading method, whose arguments Slack doesn't accept as JSON.
    pub async fn read(
        &mut self,
        method: &'static str,
        arguments: &impl Serialize,
    ) -> Result<Value> {
        let fields = fields(method, arguments)?.into_iter();
        let query = fields.map(|(name, value)| (name, in_query(value)));
        let query: Vec<(String, String)> = query.collect();
        let url = self.client.url(method);
        self.call(method, |http| http.get(&url).query(&query)).await
    }

    async fn call(
        &mut self,
        method: &'static str,
        request: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<Value> {
        let mut token = self.client.token(method).await?;
        loop {
            let request = |http: &Client| request(http).bearer_auth(token.expose_secret());
            let outcome = self.send(method, MAX_REPLY_BYTES, request, checked).await;
            let is_refused = match &outcome {
                Err(ChatError::Refused { code, .. }) => TOKEN_REFUSED.contains(&code.as_str()),
                _ => false,
            };
            if !is_refused || !self.client.token.renew(&mut token).await {
                return outcome;
            }
        }
    }

    /// Sends a request that calls no method. `None` if the answer has more than `most` bytes.
    pub async fn transfer(
        &mut self,
        step: &'static str,
        most: usize,
        request: impl Fn(&Client) -> RequestBuilder,
    ) -> Result<Option<Vec<u8>>> {
        let bytes = |method, answer: Answer| match answer.status {
            StatusCode::OK => Ok((!answer.is_cut).then_some(answer.body)),
            status => Err(refused_with(method, status)),
        };
        self.send(step, most, request, bytes).await
    }

    /// Repeats a rate-limited request while the wait isn't too long.
    async fn send<T>(
        &mut self,
        method: &'static str,
        most: usize,
        request: impl Fn(&Client) -> RequestBuilder,
        read: fn(&'static str, Answer) -> Result<T>,
    ) -> Result<T> {
        let client = self.client;
        loop {
            let answer = client.exchange(method, most, request(client.http(method)?));
            let outcome = answer.await.and_then(|answer| read(method, answer));
            let Err(ChatError::RateLimited { retry_after }) = outcome else {
                return outcome;
            };
            if !self.retries.wait(&*client.clock, Some(retry_after)).await {
                return outcome;
            }
            tracing::debug!(slack.method = method, "waited for slack's rate limit");
        }
    }
}

impl SlackClient {
    fn url(&self, method: &str) -> String {
        format!("{}/{method}", self.base_url)
    }

    pub(super) async fn token(&self, method: &str) -> Result<SecretString> {
        let token = self.token.required().await;
        token.map_err(|error| not_sent(method, error))
    }

    fn http(&self, method: &str) -> Result<&Client> {
        let settings = |builder: ClientBuilder| {
            builder
                .timeout(REQUEST_TIMEOUT)
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(IDLE_TIMEOUT)
        };
        let client = self.http.get(&self.base_url, settings);
        client.map_err(|error| not_sent(method, error))
    }

    /// Reads at most `most` bytes of the answer. An error status counts, whatever the body is.
    async fn exchange(&self, method: &str, most: usize, request: RequestBuilder) -> Result<Answer> {
        let lost = |error| lost(method, error);
        let response = request.send().await.map_err(lost)?;
        let status = response.status();
        let wait = retry_after(response.headers(), self.clock.now());
        let wait = wait.map_or(LEAST_WAIT, |wait| wait.max(LEAST_WAIT));
        if status == StatusCode::TOO_MANY_REQUESTS {
            return Err(ChatError::RateLimited { retry_after: wait });
        }
        if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
            return Err(unknown(method, format!("HTTP {}", status.as_u16())));
        }
        let (body, is_cut) = up_to(response, most).await.map_err(lost)?;
        Ok(Answer {
            status,
            wait,
            body,
            is_cut,
        })
    }
}

fn refused_with(method: &'static str, status: StatusCode) -> ChatError {
    let code = format!("http_{}", status.as_u16());
    ChatError::Refused { method, code }
}

fn checked(method: &'static str, answer: Answer) -> Result<Value> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if body["ok"] == true {
        return Ok(body);
    }
    let code = body["error"].as_str().filter(|_| body["ok"] == false);
    Err(match code {
        Some("ratelimited" | "rate_limited") => ChatError::RateLimited {
            retry_after: answer.wait,
        },
        // Slack documents these as "some aspect of the operation may have succeeded".
        Some(code @ ("internal_error" | "fatal_error" | "service_unavailable")) => {
            unknown(method, code)
        }
        Some(code) => ChatError::Refused {
            method,
            code: code.to_owned(),
        },
        None if answer.is_cut => unknown(method, "an answer larger than any of Slack's"),
        None if answer.status.is_success() => unknown(method, "an answer without ok"),
        None => refused_with(method, answer.status),
    })
}

pub(super) fn fields(method: &str, arguments: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::to_value(arguments) {
        Ok(Value::Object(fields)) => Ok(fields),
        other => Err(not_sent(method, format!("no arguments: {other:?}"))),
    }
}

/// A query value. Lists are joined by commas.
fn in_query(value: Value) -> String {
    match value {
        Value::String(text) => text,
        Value::Array(items) => {
            let items: Vec<String> = items.into_iter().map(in_query).collect();
            items.join(",")
        }
        other => other.to_string(),
    }
}
