//! `alfred dlq`: messages that were given up.

use alfred_core::ports::{QueueError, QueueName};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::fmt;
use thiserror::Error;

/// A message that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    pub id: String,
    pub queue: QueueName,
    pub group: String,
    pub body: String,
    pub since: Timestamp,
    /// How often it was received before it was given up.
    pub receives: u32,
    pub reason: String,
}

/// Those that can be looked at now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadLetters {
    /// By queue, the oldest first.
    pub letters: Vec<DeadLetter>,
    /// How many more there are, which come into view when these are settled.
    pub more: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Sent to its own queue, as a new message of the same group.
    Redrive,
    Drop,
}

/// How often all that is in view is sent again.
const ROUNDS: u32 = 100;

#[derive(Debug, Error)]
pub enum DeadLetterError {
    #[error(
        "there is no dead letter {id} now; if somebody else is looking at it, try again in two minutes"
    )]
    NotThere { id: String },
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// The dead letters of all queues.
#[async_trait]
pub trait DeadLetterQueues: Send + Sync {
    async fn list(&self) -> Result<DeadLetters, QueueError>;
    /// Settles the one with this id, or all that can be looked at now, the oldest first. Returns their number. A crash
    /// may leave a letter that was sent again; what the message asked for is still done once.
    async fn settle(&self, id: Option<&str>, how: Settlement) -> Result<usize, QueueError>;
}

/// Settles one. Fails with `NotThere` if there is none with this id.
pub async fn settle_one(
    queues: &dyn DeadLetterQueues,
    id: &str,
    how: Settlement,
) -> Result<(), DeadLetterError> {
    match queues.settle(Some(id), how).await? {
        0 => Err(DeadLetterError::NotThere { id: id.to_owned() }),
        _ => Ok(()),
    }
}

/// Sends all again, also those that come into view meanwhile. Returns their number.
pub async fn redrive_all(queues: &dyn DeadLetterQueues) -> Result<usize, QueueError> {
    let mut total = 0;
    // Bounded, because some may be given up again meanwhile.
    for _ in 0..ROUNDS {
        match queues.settle(None, Settlement::Redrive).await? {
            0 => break,
            settled => total += settled,
        }
    }
    Ok(total)
}

impl DeadLetter {
    /// What an administrator sees in a list: nothing that a person wrote.
    pub fn summary(&self) -> Value {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        json!({
            "id": self.id, "queue": self.queue.as_str(), "since": self.since,
            "kind": body["payload"]["kind"], "user": body["user"],
            "receives": self.receives, "reason": self.reason,
        })
    }

    /// The whole message, with lengths instead of texts.
    pub fn details(&self) -> Value {
        let mut details = self.summary();
        details["group"] = self.group.as_str().into();
        details["bytes"] = self.body.len().into();
        let body = serde_json::from_str(&self.body).unwrap_or_default();
        details["message"] = without_texts("", &body);
        details
    }
}

impl fmt::Display for DeadLetter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, queue, since) = (&self.id, self.queue.as_str(), self.since);
        let found = self.summary();
        let kind = found["kind"].as_str().unwrap_or("unreadable");
        let user = found["user"].as_str().unwrap_or("-");
        let (receives, reason) = (self.receives, &self.reason);
        write!(
            f,
            "{id}  {queue}  {since:.0}  {kind}  {user}  received {receives} times: {reason}"
        )
    }
}

impl fmt::Display for DeadLetters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self.letters.iter().map(DeadLetter::to_string).collect();
        match self.more {
            0 if lines.is_empty() => lines.push("There are no dead letters.".into()),
            0 => {}
            more => lines.push(format!(
                "{more} more can be seen when the earlier ones of their conversations are settled."
            )),
        }
        f.write_str(&lines.join("\n"))
    }
}

/// Fields of an envelope that hold ids, kinds and times.
const IDS: &str = " v identity trigger trace_id hops team user session received_at kind run ts \
    mentioned quotes channel thread_ts response_type action_id message_ts view_id callback_id command complex \
    fallback_reason ms id kept media_type bytes ";

/// Replaces each text by its length, unless its field is known to hold an id, a kind or a time.
fn without_texts(name: &str, value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| (name.clone(), without_texts(name, value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(all) => all.iter().map(|one| without_texts(name, one)).collect(),
        Value::String(text) if !IDS.contains(&format!(" {name} ")) => {
            format!("({} characters)", text.chars().count()).into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_people_are_not_shown() {
        let body = json!({
            "v": 1, "team": "T1", "user": "U1",
            "payload": {
                "kind": "view", "view_id": "V1", "private_metadata": "secret",
                "values": {"b": {"a": {"value": "secret", "type": "secret"}}},
                "files": [{"id": "F1", "name": "secret.pdf", "bytes": 7}],
            },
        });
        let shown = without_texts("", &body);
        assert!(!shown.to_string().contains("secret"), "{shown}");
        assert_eq!(shown["payload"]["view_id"], "V1");
        assert_eq!(shown["payload"]["files"][0]["bytes"], 7);
        assert_eq!(shown["payload"]["files"][0]["name"], "(10 characters)");
    }
}
