//! Socket Mode: Slack's messages over a WebSocket that this process opens, so it needs no public address.

mod connection;
mod frames;
mod keeper;
mod open;
mod plan;

pub use keeper::Keeper;
pub use open::{Dial, OpenError, Stream};
pub use plan::SocketError;

use alfred_core::envelope::Content;
use async_trait::async_trait;
use serde_json::Value;

/// What is done about an envelope.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It is stored, or needs nothing. The answer is for the person, of a command or a submitted form.
    Taken(Option<Value>),
    /// It isn't stored: Slack sends events again.
    NotTaken,
    /// It can't be read, so sending it again is no use.
    Malformed,
}

/// Takes what comes over the sockets. Calls are concurrent.
#[async_trait]
pub trait Intake: Send + Sync {
    /// Slack wants the reply within 3 s. In doubt, Slack sends an event again.
    async fn take(&self, content: Content, payload: Value) -> Reply;

    /// Called at the first frame that can't be read, which is lost. Must return at once.
    fn unreadable(&self);
}
