//! Slack's Web API behind the `Chat` port. What sets it apart is that every
//! outcome is precise: not sent, refused, limited, or unknown.

mod chat;
mod outcome;
mod pace;
mod upload;
mod wire;

use alfred_core::ports::{ChatError, Clock};
use reqwest::{RequestBuilder, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use outcome::{Reply, failed_by_status, lost, refused_by_status};
use pace::Pace;

/// Slack's own address.
pub const DEFAULT_API_URL: &str = "https://slack.com/api";
/// All waiting of one call for rate limits together; longer waits park the run.
pub const MAX_WAIT: Duration = Duration::from_secs(20);
/// One request, until its answer is read.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of one answer.
const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Connections idle for longer are closed: a post on one that died meanwhile has an unknown outcome.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// The real client. Building it costs nothing: the HTTP client is made by the first call,
/// and needs the process's rustls provider to be installed by then.
pub struct SlackClient {
    base_url: String,
    token: SecretString,
    clock: Arc<dyn Clock>,
    http: OnceLock<reqwest::Client>,
    pace: Pace,
    request_timeout: Duration,
}

/// How a method's arguments travel.
enum Arguments<'a> {
    /// For methods that write.
    Json(&'a Value),
    /// For methods that read; Slack doesn't see their arguments in JSON.
    Form(&'a [(&'a str, &'a str)]),
}

impl SlackClient {
    /// A client of the API at this base URL, [`DEFAULT_API_URL`] or what `SLACK_API_URL` says.
    #[must_use]
    pub fn new(base_url: &str, token: SecretString, clock: Arc<dyn Clock>) -> Self {
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            token,
            clock,
            http: OnceLock::new(),
            pace: Pace::default(),
            request_timeout: REQUEST_TIMEOUT,
        }
    }

    /// With another limit for one request, until its answer is read (10 s). What ran into it has an unknown outcome.
    #[must_use]
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.request_timeout = limit;
        self
    }

    fn http(&self) -> Result<&reqwest::Client, ChatError> {
        if let Some(client) = self.http.get() {
            return Ok(client);
        }
        let mut builder = reqwest::Client::builder()
            .timeout(self.request_timeout)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            // Followed elsewhere, the token would go along.
            .redirect(reqwest::redirect::Policy::none());
        // A proxy for the outside can't reach this machine's own local Slack.
        if is_loopback(&self.base_url) {
            builder = builder.no_proxy();
        }
        let built = builder.build().map_err(|error| ChatError::NotSent {
            detail: error.to_string(),
        })?;
        Ok(self.http.get_or_init(|| built))
    }

    async fn write(&self, method: &'static str, body: &impl Serialize) -> Result<Reply, ChatError> {
        let body = to_json(method, body)?;
        let mut waited = Duration::ZERO;
        self.call(method, &Arguments::Json(&body), &mut waited)
            .await
    }

    async fn read(&self, method: &'static str, form: &[(&str, &str)]) -> Result<Reply, ChatError> {
        let mut waited = Duration::ZERO;
        self.call(method, &Arguments::Form(form), &mut waited).await
    }

    /// Like `write`, under the limit of one message a second in a channel.
    async fn write_paced(
        &self,
        method: &'static str,
        channel: &str,
        body: &impl Serialize,
    ) -> Result<Reply, ChatError> {
        let body = to_json(method, body)?;
        let mut wait = self
            .pace
            .reserve(channel, self.clock.now(), MAX_WAIT)
            .map_err(|retry_after| ChatError::RateLimited { retry_after })?;
        if !wait.is_zero() {
            self.clock.sleep(wait).await;
        }
        self.call(method, &Arguments::Json(&body), &mut wait).await
    }

    /// Calls a method, waiting for rate limits as long as all waits stay within `MAX_WAIT`.
    async fn call(
        &self,
        method: &'static str,
        arguments: &Arguments<'_>,
        waited: &mut Duration,
    ) -> Result<Reply, ChatError> {
        loop {
            let outcome = self.call_once(method, arguments).await;
            if let Some(outcome) = self.sit_out(method, outcome, waited).await {
                return outcome;
            }
        }
    }

    /// Waits for a rate limit and gives nothing, or gives the outcome that stands.
    async fn sit_out<T>(
        &self,
        method: &'static str,
        outcome: Result<T, ChatError>,
        waited: &mut Duration,
    ) -> Option<Result<T, ChatError>> {
        match outcome {
            Err(ChatError::RateLimited { retry_after })
                if waited.saturating_add(retry_after) <= MAX_WAIT =>
            {
                tracing::debug!(slack.method = method, "waiting for slack's rate limit");
                *waited += retry_after;
                self.clock.sleep(retry_after).await;
                None
            }
            outcome => Some(outcome),
        }
    }

    async fn call_once(
        &self,
        method: &'static str,
        arguments: &Arguments<'_>,
    ) -> Result<Reply, ChatError> {
        let request = self.http()?.post(format!("{}/{method}", self.base_url));
        let request = request.bearer_auth(self.token.expose_secret());
        let request = match arguments {
            Arguments::Json(body) => request.json(body),
            Arguments::Form(form) => request.form(form),
        };
        let (status, retry_after, body) = self.send(request).await?;
        failed_by_status(method, status, retry_after)?;
        match serde_json::from_slice(&body) {
            Ok(Value::Object(body)) => Reply { method, body }.checked(retry_after),
            _ if status.is_success() => Err(ChatError::Unknown {
                detail: format!("{method}: an answer that isn't a JSON object"),
            }),
            _ => Err(refused_by_status(method, status)),
        }
    }

    async fn send(
        &self,
        request: RequestBuilder,
    ) -> Result<(StatusCode, Duration, Vec<u8>), ChatError> {
        let mut response = request.send().await.map_err(lost)?;
        let status = response.status();
        let retry_after = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok())
            .map_or(Duration::from_secs(1), Duration::from_secs);
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(lost)? {
            if body.len() + piece.len() > MAX_REPLY_BYTES {
                let detail = "an answer larger than any of Slack's".into();
                return Err(ChatError::Unknown { detail });
            }
            body.extend_from_slice(&piece);
        }
        Ok((status, retry_after, body))
    }
}

fn to_json(method: &str, body: &impl Serialize) -> Result<Value, ChatError> {
    serde_json::to_value(body).map_err(|error| ChatError::NotSent {
        detail: format!("{method} can't be written as JSON: {error}"),
    })
}

/// Whether a URL's host is this machine, by name or by number.
fn is_loopback(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else {
        return false;
    };
    let host = url.host_str().unwrap_or_default();
    let number = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || number.is_ok_and(|number| number.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_this_machine_is_reached_without_a_proxy() {
        for own in [
            "http://127.0.0.1:4141/api",
            "http://localhost/api",
            "http://[::1]:80/api",
        ] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "https://slack.com/api",
            "http://10.0.0.1/api",
            "http://localhost.example.com",
            "no url",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
