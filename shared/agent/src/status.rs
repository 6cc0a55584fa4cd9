//! The status line ("Alfred is checking your calendar…"). A slow Slack must
//! not slow the work, so it is set in the background and only settled before
//! the reply, which clears it.

use alfred_core::ports::Chat;
use alfred_core::{ChannelId, ResponseType, text};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use tokio::task::JoinSet;

use crate::ports::Ports;
use crate::run::Run;

/// Slack clears a status after two minutes, and a model's turn takes at most one and a half: an older one
/// is shown again before a turn.
const KEPT_FOR: SignedDuration = SignedDuration::from_secs(20);

/// Status updates under way.
#[derive(Default)]
pub struct StatusLine {
    under_way: JoinSet<()>,
    /// When one was shown in this invocation.
    shown: Option<Timestamp>,
}

impl StatusLine {
    /// Shows a status where the request was asked. Teams' own runs show none.
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

    /// Keeps one shown while a model thinks.
    pub fn keep(&mut self, ports: &Ports, run: &Run) {
        let since = self.shown.unwrap_or(run.created_at);
        if ports.clock.now().duration_since(since) >= KEPT_FOR {
            self.show(ports, run, text::STATUS_THINKING);
        }
    }

    /// Waits for what is under way, so that no status lands behind the reply.
    pub async fn settle(&mut self) {
        while self.under_way.join_next().await.is_some() {}
    }
}

async fn set(chat: Arc<dyn Chat>, channel: ChannelId, thread_ts: String, status: String) {
    if let Err(error) = chat.set_status(&channel, &thread_ts, &status).await {
        tracing::debug!(error = %error, "couldn't set the status line");
    }
}
