//! Events to the app's sockets or its request URL: signed, repeated at once, after one and
//! after five minutes, then given up (docs.slack.dev/apis/events-api).

use axum::http::HeaderMap;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;
use thiserror::Error;
use tokio::task::JoinSet;

use crate::db::Delivery;
use crate::sign::signature;
use crate::socket::EVENTS;
use crate::state::{SlackLocal, lock};

/// Milliseconds until the first, second and third repetition.
const RETRY_AFTER_MS: [i64; 3] = [0, 60_000, 300_000];
/// Shorter than the app's own limit for idle connections, or a request could be lost on a closing one.
const IDLE: Duration = Duration::from_secs(10);
const JSON: &str = "application/json";
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// The connection broke, or the answer makes no sense.
pub(crate) const BROKEN: &str = "unknown_error";
/// Nothing listens where the app takes requests.
pub(crate) const NOT_THERE: &str = "connection_failed";
pub(crate) const TOO_SLOW: &str = "http_timeout";

/// Why the app didn't take a request, as in `X-Slack-Retry-Reason`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Undelivered(pub &'static str);

/// What the app answered, with a 2xx.
#[derive(Clone, Debug, PartialEq)]
pub struct AppAnswer {
    pub status: u16,
    /// JSON, a string when it was plain text, null when there was nothing.
    pub body: Value,
}

impl SlackLocal {
    /// Delivers events until it is dropped. `serve` does this too.
    pub async fn deliver(&self) {
        let mut flights = JoinSet::new();
        let mut flying = HashSet::new();
        loop {
            let waiting = self.launch(&mut flights, &mut flying);
            // A test's clock jumps over a pause, and envelopes time out by it.
            let waiting = waiting.filter(|_| flights.is_empty() || !self.socket_mode());
            let pause = async {
                match waiting {
                    Some(wait) => self.0.clock.sleep(wait).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.0.wake.notified() => {}
                () = pause => {}
                Some(landed) = flights.join_next(), if !flights.is_empty() => match landed {
                    Ok(id) => drop(flying.remove(&id)),
                    Err(error) => tracing::error!(error = %error, "a delivery failed"),
                },
            }
        }
    }

    /// Sends due events. Returns the time until the next one.
    fn launch(&self, flights: &mut JoinSet<i64>, flying: &mut HashSet<i64>) -> Option<Duration> {
        let url = lock(&self.0.request_url).clone();
        if url.is_none() && !self.socket_mode() {
            return None;
        }
        let waiting = match self.db().read().deliveries() {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::error!(error = %error, "the local Slack can't read its deliveries");
                return Some(Duration::from_secs(1));
            }
        };
        let now = self.now_ms();
        let mut next = None;
        for delivery in waiting {
            if flying.contains(&delivery.id) {
                continue;
            }
            if delivery.due_ms > now {
                next = Some(delivery.due_ms - now);
                break;
            }
            flying.insert(delivery.id);
            let (slack, url) = (self.clone(), url.clone());
            flights.spawn(async move { slack.fly(delivery, url).await });
        }
        next.map(|wait| Duration::from_millis(wait.unsigned_abs()))
    }

    async fn fly(&self, delivery: Delivery, url: Option<String>) -> i64 {
        let sent = match url.filter(|_| !self.socket_mode()) {
            Some(url) => self.post_event(&delivery, &url).await,
            None => {
                let payload = serde_json::from_str(&delivery.body).unwrap_or(Value::Null);
                let reason = delivery.reason.trim_start_matches("http_");
                self.send_envelope(json!({
                    "type": EVENTS,
                    "payload": payload,
                    "retry_attempt": delivery.attempt,
                    "retry_reason": reason,
                }))
                .await
            }
        };
        if let Err(error) = self.settle(&delivery, sent) {
            tracing::error!(error = %error, "the local Slack can't store a delivery");
        }
        self.active();
        delivery.id
    }

    async fn post_event(&self, delivery: &Delivery, url: &str) -> Result<AppAnswer, Undelivered> {
        let mut extra = HeaderMap::new();
        if delivery.attempt > 0 {
            extra.insert("x-slack-retry-num", delivery.attempt.into());
            if let Ok(reason) = delivery.reason.parse() {
                extra.insert("x-slack-retry-reason", reason);
            }
        }
        self.send(url, JSON, delivery.body.clone(), extra).await
    }

    fn settle(&self, it: &Delivery, sent: Result<AppAnswer, Undelivered>) -> rusqlite::Result<()> {
        let id = it.id;
        let failed = match sent {
            Ok(_) => return self.db().write(|tx| tx.delivered(id)),
            Err(failed) => failed,
        };
        let retry = usize::try_from(it.attempt).ok();
        match retry.and_then(|attempt| RETRY_AFTER_MS.get(attempt)) {
            Some(after) => {
                let (due, attempt) = (self.now_ms() + after, it.attempt + 1);
                self.db().write(|tx| tx.retry(id, attempt, due, failed.0))
            }
            None => {
                tracing::warn!(%failed, "the local Slack gives an event up");
                self.0.given_up.fetch_add(1, Ordering::Relaxed);
                self.db().write(|tx| tx.delivered(id))
            }
        }
    }

    pub(crate) async fn send(
        &self,
        url: &str,
        kind: &str,
        body: String,
        extra: HeaderMap,
    ) -> Result<AppAnswer, Undelivered> {
        let timestamp = self.0.clock.now().as_second();
        let signed = signature(&self.seed().signing_secret, timestamp, body.as_bytes());
        let request = self
            .http()?
            .post(url)
            .timeout(self.0.answer_within)
            .headers(extra)
            .header(CONTENT_TYPE, kind)
            .header("user-agent", "Slackbot 1.0 (+https://api.slack.com/robots)")
            .header("x-slack-request-timestamp", timestamp)
            .header("x-slack-signature", signed)
            .body(body);
        let response = request.send().await.map_err(|error| undelivered(&error))?;
        let status = response.status();
        if !status.is_success() {
            return Err(Undelivered("http_error"));
        }
        let text = response.text().await.map_err(|error| undelivered(&error))?;
        let body = match serde_json::from_str(&text) {
            Ok(body) => body,
            Err(_) if text.is_empty() => Value::Null,
            Err(_) => Value::String(text),
        };
        let status = status.as_u16();
        Ok(AppAnswer { status, body })
    }

    fn http(&self) -> Result<&reqwest::Client, Undelivered> {
        if let Some(client) = self.0.http.get() {
            return Ok(client);
        }
        let built = reqwest::Client::builder()
            .no_proxy()
            .pool_idle_timeout(IDLE)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|_| Undelivered(BROKEN))?;
        Ok(self.0.http.get_or_init(|| built))
    }

    /// Repeats waiting events now.
    pub fn deliver_now(&self) -> rusqlite::Result<()> {
        let now = self.now_ms();
        self.db().write(|tx| tx.due_at_once(now))?;
        self.0.wake.notify_one();
        Ok(())
    }

    /// Number of events that no repetition delivered.
    pub fn given_up(&self) -> usize {
        self.0.given_up.load(Ordering::Relaxed)
    }

    pub fn pending_deliveries(&self) -> rusqlite::Result<Vec<Delivery>> {
        self.db().read().deliveries()
    }
}

fn undelivered(error: &reqwest::Error) -> Undelivered {
    Undelivered(if error.is_connect() {
        NOT_THERE
    } else if error.is_timeout() {
        TOO_SLOW
    } else {
        BROKEN
    })
}
