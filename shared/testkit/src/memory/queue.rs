//! A queue that remembers what was sent. Delivery is the test's part.

use alfred_core::ports::{Outgoing, Queue, QueueError, QueueName};
use async_trait::async_trait;
use std::sync::Mutex;

/// Records sends, and drops a repeated deduplication id as a FIFO queue does.
/// It has no clock: an id is remembered until `forget_dedup`.
#[derive(Debug, Default)]
pub struct MemoryQueue(Mutex<Recorded>);

#[derive(Debug, Default)]
struct Recorded {
    attempts: usize,
    waiting: Vec<Outgoing>,
    seen: Vec<(QueueName, String)>,
}

impl MemoryQueue {
    /// What waits, oldest first. Repeats aren't in it.
    pub fn waiting(&self) -> Vec<Outgoing> {
        self.0.lock().unwrap().waiting.clone()
    }

    /// Takes the message at a place that is chosen from how many wait.
    pub fn take_any(&self, choose: impl FnOnce(usize) -> usize) -> Option<Outgoing> {
        let mut recorded = self.0.lock().unwrap();
        let many = recorded.waiting.len();
        (many > 0).then(|| recorded.waiting.remove(choose(many)))
    }

    /// Appends a message, were it sent before or not.
    pub fn repeat(&self, message: Outgoing) {
        self.0.lock().unwrap().waiting.push(message);
    }

    pub fn clear(&self) {
        *self.0.lock().unwrap() = Recorded::default();
    }

    pub fn take(&self, queue: QueueName) -> Option<Outgoing> {
        let mut recorded = self.0.lock().unwrap();
        let index = recorded.waiting.iter().position(|m| m.queue == queue)?;
        Some(recorded.waiting.remove(index))
    }

    pub fn attempts(&self) -> usize {
        self.0.lock().unwrap().attempts
    }

    /// As if five minutes had passed.
    pub fn forget_dedup(&self) {
        self.0.lock().unwrap().seen.clear();
    }
}

#[async_trait]
impl Queue for MemoryQueue {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        let mut recorded = self.0.lock().unwrap();
        recorded.attempts += 1;
        let id = (message.queue, message.dedup.clone());
        if !recorded.seen.contains(&id) {
            recorded.seen.push(id);
            recorded.waiting.push(message.clone());
        }
        Ok(())
    }
}
