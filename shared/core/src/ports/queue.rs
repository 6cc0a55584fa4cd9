//! Sending, and putting off. Receiving, extending and acknowledging is Lambda's
//! part on AWS and the embedded queue's on one machine.

use async_trait::async_trait;
use std::time::Duration;
use thiserror::Error;

use crate::digest::sha256_hex;
use crate::envelope::Envelope;

/// SQS takes 128 characters for group and deduplication ids.
const MAX_ID: usize = 128;

/// The three FIFO queues. Each has a dead-letter queue of the same name with `-dlq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueueName {
    /// Receiver → classifier.
    Ingress,
    /// Classifier → utility worker.
    Utility,
    /// Classifier → team manager.
    Team,
}

impl QueueName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ingress, Self::Utility, Self::Team];

    /// The queue's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ingress => "alfred-ingress.fifo",
            Self::Utility => "alfred-utility.fifo",
            Self::Team => "alfred-team.fifo",
        }
    }

    /// The queue of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.as_str() == name)
    }

    /// The name of its dead-letter queue.
    pub fn dead_letters(self) -> &'static str {
        match self {
            Self::Ingress => "alfred-ingress-dlq.fifo",
            Self::Utility => "alfred-utility-dlq.fifo",
            Self::Team => "alfred-team-dlq.fifo",
        }
    }
}

/// A message to send.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Where to.
    pub queue: QueueName,
    /// What.
    pub envelope: Envelope,
    /// Message group: messages of one group are handled one after the other.
    pub group: String,
    /// Deduplication id: the same one within 5 minutes is accepted and dropped.
    pub dedup: String,
}

impl Outgoing {
    /// A message; ids over SQS's 128 characters are replaced by their SHA-256.
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

/// Why a message wasn't sent.
#[derive(Debug, Error)]
pub enum QueueError {
    /// The queue didn't answer; the message may have been sent. Repeat it with the same deduplication id.
    #[error("queue unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
    /// The queue won't take it.
    #[error("queue refused: {detail}")]
    Refused {
        /// For the log.
        detail: String,
    },
}

/// Sends envelopes.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Sends once; when it returns, the message is durable.
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError>;
}

/// A received message that goes to the dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The queue it came from.
    pub queue: QueueName,
    /// Its body, as it was received.
    pub body: String,
    /// Its message group.
    pub group: String,
    /// The same at every delivery: putting it aside twice is once.
    pub id: String,
    /// How often it was received.
    pub receives: u32,
    /// Why it can't be handled. Holds nothing of its body.
    pub reason: String,
}

/// Settles messages that weren't handled.
#[async_trait]
pub trait Redelivery: Send + Sync {
    /// The message of this receipt isn't delivered again before `after` from now.
    async fn delay(
        &self,
        queue: QueueName,
        receipt: &str,
        after: Duration,
    ) -> Result<(), QueueError>;

    /// Stores a message among its queue's dead letters, with its reason beside it. Whoever received
    /// it deletes it then.
    async fn put_aside(&self, letter: &Letter) -> Result<(), QueueError>;

    /// Sends the body to its own queue again, received by nobody yet.
    async fn requeue(&self, letter: &Letter) -> Result<(), QueueError>;
}
