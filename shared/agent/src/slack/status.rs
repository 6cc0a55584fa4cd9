//! The Slack status line, set in the background, so that a slow Slack doesn't delay the run.

use alfred_core::ports::{Chat, Post, Status};
use alfred_core::{ChannelId, ResponseType, text};
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;

use crate::model::Run;
use crate::store::ports::Ports;

/// The status is set again after this time. Words are gone after two minutes, and a turn takes up to 90 seconds.
const KEPT_FOR: SignedDuration = SignedDuration::from_secs(20);

#[derive(Default)]
pub struct StatusLine {
    under_way: JoinSet<()>,
    shown: Option<Timestamp>,
}

impl StatusLine {
    /// Sets the status where the request was made. Child runs of teams set none.
    pub fn show(&mut self, ports: &Ports, run: &Run, words: &str) {
        if run.parent.is_none() {
            let status = match self.shown.replace(ports.clock.now()) {
                None => Status::Begins(words.to_owned()),
                Some(_) => Status::GoesOn(words.to_owned()),
            };
            self.send(ports, run, status);
        }
    }

    /// Ends the status. `posts` are the new messages that answer the request.
    pub async fn clear(&mut self, ports: &Ports, run: &Run, posts: &[Post]) {
        self.settle().await;
        self.shown = None;
        let thread = thread(run);
        let is_there = posts.iter().any(|post| post.thread_ts == thread);
        let status = match is_there {
            true => Status::Answered,
            false => Status::Stopped,
        };
        self.send(ports, run, status);
    }

    fn send(&mut self, ports: &Ports, run: &Run, status: Status) {
        let Some(thread_ts) = thread(run) else { return };
        let (chat, channel) = (ports.chat.clone(), run.input.slack().channel_id.clone());
        self.under_way
            .spawn(async move { set(&*chat, &channel, &thread_ts, &status).await });
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

/// Sets a status line. A failure is only logged.
pub(crate) async fn set(chat: &dyn Chat, channel: &ChannelId, thread_ts: &str, status: &Status) {
    if let Err(error) = chat.set_status(channel, thread_ts, status).await {
        tracing::debug!(error = %error, "couldn't set the status line");
    }
}

/// The first message of the thread that shows the status.
pub(super) fn thread(run: &Run) -> Option<String> {
    let slack = run.input.slack();
    let asked = run.asked_ts.clone();
    let asked = asked.filter(|_| slack.response_type == ResponseType::Dm);
    slack.thread_ts.clone().or(asked)
}
