//! The ports to send messages and to settle failed ones. Receiving is done by Lambda on AWS, and by
//! the embedded queue on a single machine.

use async_trait::async_trait;
use std::time::Duration;
use thiserror::Error;

use crate::digest::sha256_hex;
use crate::envelope::{Envelope, Payload};
use crate::failure::Failure;

/// Maximum characters of SQS group and deduplication ids.
const MAX_ID: usize = 128;

/// The four FIFO queues. Each has a dead letter queue, with the suffix `-dlq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueName {
    /// From the receiver to the classifier: what Slack sent.
    Ingress,
    /// From the other functions and the schedule to the classifier: runs to start or continue, sweeps, and
    /// Home tabs to bring up to date.
    Runs,
    /// From the classifier to the utility worker.
    Utility,
    /// From the classifier to the team manager.
    Team,
}

impl QueueName {
    pub const ALL: [Self; 4] = [Self::Ingress, Self::Runs, Self::Utility, Self::Team];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ingress => "alfred-ingress.fifo",
            Self::Runs => "alfred-runs.fifo",
            Self::Utility => "alfred-utility.fifo",
            Self::Team => "alfred-team.fifo",
        }
    }

    /// The queue of any stage with this name, such as `alfred-test-team.fifo`.
    pub fn named(name: &str) -> Option<Self> {
        let (_, kind) = name.rsplit_once('-')?;
        let ends = |queue: &Self| queue.as_str().strip_prefix("alfred-") == Some(kind);
        Self::ALL.into_iter().find(ends)
    }

    /// Fails with `Bug` for a message that this queue doesn't carry. Only the receiver verifies what people say and
    /// click. It fills ingress, where the classifier may send a message again; workers send to the other queues.
    pub fn check(self, payload: &Payload) -> Result<(), Failure> {
        let carried = match payload {
            Payload::Run { .. } => true,
            // Both only show or do what is due, so they need nobody's word.
            Payload::Home { .. } | Payload::Sweep {} => matches!(self, Self::Ingress | Self::Runs),
            _ => self == Self::Ingress,
        };
        let refusal = || format!("{} carries no message of this kind", self.as_str());
        carried.then_some(()).ok_or_else(|| Failure::bug(refusal()))
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    pub queue: QueueName,
    pub envelope: Envelope,
    /// Message group. Messages of a group are handled one after another.
    pub group: String,
    /// Deduplication id. Repeats within 5 minutes are accepted and dropped.
    pub dedup: String,
}

impl Outgoing {
    /// Makes a message. Ids that SQS doesn't accept are replaced by their SHA-256.
    pub fn new(queue: QueueName, envelope: Envelope, group: String, dedup: String) -> Self {
        Self {
            queue,
            envelope,
            group: fitting(group),
            dedup: fitting(dedup),
        }
    }
}

fn fitting(id: String) -> String {
    let plain = id.len() <= MAX_ID && !id.is_empty() && id.bytes().all(|b| b.is_ascii_graphic());
    if plain { id } else { sha256_hex(id.as_bytes()) }
}

#[derive(Debug, Error)]
pub enum QueueError {
    /// The queue gave no answer, so the message may have been sent. Repeat with the same deduplication id.
    #[error("queue unavailable: {detail}")]
    Unavailable { detail: String },
    #[error("queue refused: {detail}")]
    Refused { detail: String },
}

impl From<QueueError> for Failure {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Unavailable { .. } => Self::retry(error),
            QueueError::Refused { .. } => Self::bug(error),
        }
    }
}

#[async_trait]
pub trait Queue: Send + Sync {
    /// Sends a message. It is durable when this returns.
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError>;
}

/// A received message that goes to the dead letter queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    pub queue: QueueName,
    pub body: String,
    pub group: String,
    /// Id of the failed message, the same at every delivery, so the message is stored once.
    pub id: String,
    pub receives: u32,
    /// Why the message can't be handled. Contains nothing of the message's body.
    pub reason: String,
}

#[async_trait]
pub trait Redelivery: Send + Sync {
    /// Delays the next delivery of a message, given its receipt.
    async fn delay(
        &self,
        queue: QueueName,
        receipt: &str,
        after: Duration,
    ) -> Result<(), QueueError>;

    /// Stores a message in the dead letter queue, with its reason. The caller then deletes it from its queue.
    async fn put_aside(&self, letter: &Letter) -> Result<(), QueueError>;

    /// Sends the body to its queue again, as a new message.
    async fn requeue(&self, letter: &Letter) -> Result<(), QueueError>;
}
