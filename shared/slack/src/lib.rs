//! Slack's Web API behind the `Chat` port: slack-morphism's requests with our own answer types. Every outcome
//! is precise: not sent, refused, limited, or unknown.

mod answers;
mod calls;
mod chat;
mod download;
mod live;
mod pace;
mod pages;
#[cfg(feature = "socket")]
pub mod socket;
mod upload;

use alfred_core::ports::{ChatError, Clock};
use alfred_http::{CachedSecret, LazyClient, PATIENCE, Retries};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use calls::Calls;
use pace::Pace;

type Result<T, E = ChatError> = std::result::Result<T, E>;

pub const DEFAULT_API_URL: &str = "https://slack.com/api";

/// Costs nothing to build: the HTTP client is built by the first call, which needs an installed rustls provider.
pub struct SlackClient {
    base_url: String,
    token: CachedSecret,
    http: LazyClient,
    clock: Arc<dyn Clock>,
    pace: Pace,
    /// Whether Slack refused streams for good.
    no_streams: AtomicBool,
    /// Whether the workspace knows agent sessions, once a call has told.
    has_sessions: OnceLock<bool>,
}

impl SlackClient {
    /// `base_url` is [`DEFAULT_API_URL`] or `SLACK_API_URL`.
    pub fn new(base_url: &str, token: CachedSecret, clock: Arc<dyn Clock>) -> Self {
        Self {
            base_url: base_url.trim_end_matches('/').to_owned(),
            token,
            http: LazyClient::default(),
            clock,
            pace: Pace::default(),
            no_streams: AtomicBool::new(false),
            has_sessions: OnceLock::new(),
        }
    }

    fn calls(&self) -> Calls<'_> {
        Calls {
            client: self,
            // Several calls share the time, which alone is limited.
            retries: Retries::of(u32::MAX),
        }
    }

    /// Waits for the limit of one message a second in a channel.
    async fn paced(&self, channel: &str) -> Result<Calls<'_>> {
        let wait = self
            .pace
            .reserve(channel, self.clock.now(), PATIENCE)
            .map_err(|retry_after| ChatError::RateLimited { retry_after })?;
        let mut calls = self.calls();
        calls.retries.pause(&*self.clock, wait).await;
        Ok(calls)
    }
}
