//! The Slack status line ("Alfred is checking your calendar…"). It is set in the background, so that a slow
//! Slack doesn't delay the run. Before a reply, which clears it, pending updates are awaited.

use alfred_core::ports::Chat;
use alfred_core::{ChannelId, ResponseType, text};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use tokio::task::JoinSet;

use crate::model::run::Run;
use crate::store::ports::Ports;

/// Age from which the status is set again before a turn. Slack clears it after two minutes, and a
/// turn takes up to 90 seconds.
const KEPT_FOR: SignedDuration = SignedDuration::from_secs(20);

/// Pending status updates of a run.
#[derive(Default)]
pub struct StatusLine {
    under_way: JoinSet<()>,
    /// When a status was last set in this invocation.
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
        if let Some(thread_ts) = thread {
            let set = set(
                ports.chat.clone(),
                slack.channel_id.clone(),
                thread_ts,
                status.to_owned(),
            );
            self.under_way.spawn(set);
        }
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

async fn set(chat: Arc<dyn Chat>, channel: ChannelId, thread_ts: String, status: String) {
    if let Err(error) = chat.set_status(&channel, &thread_ts, &status).await {
        tracing::debug!(error = %error, "couldn't set the status line");
    }
}
