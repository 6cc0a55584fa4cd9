//! The Slack status line, set in the background, so that a slow Slack doesn't delay the run.

use alfred_core::{ResponseType, text};
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;

use crate::model::Run;
use crate::store::ports::Ports;

/// The status is set again after this time. Slack clears it after two minutes, and a turn takes up to 90 seconds.
const KEPT_FOR: SignedDuration = SignedDuration::from_secs(20);

#[derive(Default)]
pub struct StatusLine {
    under_way: JoinSet<()>,
    shown: Option<Timestamp>,
}

impl StatusLine {
    /// Sets the status where the request was made. Child runs of teams set none.
    pub fn show(&mut self, ports: &Ports, run: &Run, status: &str) {
        if run.parent.is_some() {
            return;
        }
        self.shown = Some(ports.clock.now());
        let slack = run.input.slack();
        let thread = match slack.response_type {
            ResponseType::Thread | ResponseType::Channel => slack.thread_ts.clone(),
            ResponseType::Dm => slack.thread_ts.clone().or_else(|| run.asked_ts.clone()),
        };
        let Some(thread_ts) = thread else { return };
        let (chat, channel) = (ports.chat.clone(), slack.channel_id.clone());
        let status = status.to_owned();
        self.under_way.spawn(async move {
            if let Err(error) = chat.set_status(&channel, &thread_ts, &status).await {
                tracing::debug!(error = %error, "couldn't set the status line");
            }
        });
    }

    /// Sets the status again if it may expire during a turn.
    pub fn keep(&mut self, ports: &Ports, run: &Run) {
        let since = self.shown.unwrap_or(run.created_at);
        if ports.clock.now().duration_since(since) >= KEPT_FOR {
            self.show(ports, run, text::STATUS_THINKING);
        }
    }

    /// Waits for pending updates, so that no status appears after the reply.
    pub async fn settle(&mut self) {
        while self.under_way.join_next().await.is_some() {}
    }
}
