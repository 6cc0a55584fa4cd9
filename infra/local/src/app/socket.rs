//! Socket Mode: Slack's messages without a public address.

use alfred_agent::Ports;
use alfred_agent::slack::notice;
use alfred_core::envelope::Content;
use alfred_core::ports::{ChatError, refuses_token};
use alfred_core::{ChannelId, UserId};
use alfred_slack::socket::{Intake, Keeper, Reply, SocketError};
use async_trait::async_trait;
use jiff::SignedDuration;
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;

use super::LocalApp;
use crate::terminal::say;

const UNREADABLE: &str = "Slack sent me something I couldn't read, and it stays unanswered. Please try a newer version of Alfred; the log says when it happened.";
/// How often an administrator is told of it at most.
const EACH: SignedDuration = SignedDuration::from_hours(24);

#[async_trait]
impl Intake for LocalApp {
    async fn take(&self, content: Content, payload: Value) -> Reply {
        let reply = self.receiver.envelope(content, payload).await;
        match reply.status {
            200 => Reply::Taken(reply.answer()),
            400..500 => Reply::Malformed,
            _ => Reply::NotTaken,
        }
    }

    fn unreadable(&self) {
        let ports = self.ports.clone();
        tokio::spawn(async move {
            for admin in &ports.config.admins {
                if let Err(error) = report_unreadable(&ports, admin).await {
                    tracing::warn!(%error, "an administrator doesn't learn that Slack sent what can't be read");
                }
            }
        });
    }
}

/// Tells an administrator once a day.
async fn report_unreadable(ports: &Ports, admin: &UserId) -> Result<(), ChatError> {
    let (direct, key) = (ChannelId::from(admin.as_str()), "slack:unreadable".into());
    let report = notice::plain(direct, None, UNREADABLE.to_owned(), key);
    let since = ports.clock.now().saturating_sub(EACH).unwrap_or_default();
    if ports.chat.find(&report.look_since(since)).await?.is_none() {
        ports.chat.post(&report).await?;
    }
    Ok(())
}

/// Waits for `stop`, and takes what Slack sends over Socket Mode meanwhile, if it is set up.
pub async fn until<T>(
    app: &Arc<LocalApp>,
    stop: impl Future<Output = T>,
) -> Result<T, SocketError> {
    let Some(dial) = app.socket.clone() else {
        return Ok(stop.await);
    };
    if app.ports.config.admins.is_empty() {
        say("ALFRED_ADMINS isn't set, so I know only people who are registered already.");
    }
    let mut stop = pin!(stop);
    let team = tokio::select! {
        stopped = &mut stop => return Ok(stopped),
        team = app.ports.chat.team() => team,
    };
    if let Err(ChatError::Refused { code, .. }) = team
        && refuses_token(&code)
    {
        return Err(SocketError::BotRefused { code });
    }
    let (clock, random) = (app.ports.clock.clone(), fastrand::Rng::new());
    let keeper = Keeper::new(dial, app.clone(), clock, Arc::new(say), random);
    keeper.run(stop).await
}
