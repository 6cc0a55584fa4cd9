//! Socket Mode: Slack's messages without a public address.

use alfred_core::envelope::Content;
use alfred_slack::socket::{Intake, Keeper, Reply, SocketError};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

use super::LocalApp;
use crate::terminal::say;

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
}

/// Waits for `stop`, and takes what Slack sends over Socket Mode meanwhile, if it is set up.
pub async fn until<T>(
    app: &Arc<LocalApp>,
    stop: impl Future<Output = T>,
) -> Result<T, SocketError> {
    let Some(dial) = app.socket.clone() else {
        return Ok(stop.await);
    };
    let (clock, random) = (app.ports.clock.clone(), fastrand::Rng::new());
    let keeper = Keeper::new(dial, app.clone(), clock, Arc::new(say), random);
    keeper.run(stop).await
}
