use alfred_core::envelope::Content;
use alfred_core::ports::{Outgoing, Queue, QueueError};
use alfred_slack_receiver::{RawRequest, Receiver, Reply, SigningSecrets};
use alfred_testkit::ManualClock;
use async_trait::async_trait;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

pub const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
pub const NOW: i64 = 1_795_226_400;
pub const BOT: &str = "U0ALFRED";

#[derive(Default)]
pub struct RecordingQueue {
    pub sent: Mutex<Vec<Outgoing>>,
    pub refuses: bool,
}

#[async_trait]
impl Queue for RecordingQueue {
    async fn send(&self, message: &Outgoing) -> Result<(), QueueError> {
        if self.refuses {
            let detail = "down".into();
            return Err(QueueError::Unavailable { detail });
        }
        self.sent.lock().unwrap().push(message.clone());
        Ok(())
    }
}

pub fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(Timestamp::from_second(NOW).unwrap()))
}

pub struct Door {
    pub receiver: Receiver,
    pub queue: Arc<RecordingQueue>,
    /// Gets the same over Socket Mode.
    pub twin: Option<Box<Door>>,
}

fn door_with(refuses: bool) -> Door {
    let twin = Some(Box::new(single_door(refuses)));
    Door {
        twin,
        ..single_door(refuses)
    }
}

fn single_door(refuses: bool) -> Door {
    let sent = Mutex::default();
    let queue = Arc::new(RecordingQueue { sent, refuses });
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let receiver = Receiver::new(queue.clone(), secrets, clock());
    Door {
        receiver,
        queue,
        twin: None,
    }
}

pub fn door() -> Door {
    door_with(false)
}

pub fn refusing_door() -> Door {
    door_with(true)
}

impl Door {
    pub async fn json(&self, body: &Value) -> Reply {
        let request = signed("application/json", body.to_string().as_bytes());
        let reply = self.receiver.handle(request).await;
        self.same(reply, Content::Event, body).await
    }

    /// Fails if an envelope with this payload is answered or queued in another way.
    async fn same(&self, reply: Reply, content: Content, payload: &Value) -> Reply {
        if let Some(twin) = &self.twin {
            let same = twin.receiver.envelope(content, payload.clone()).await;
            assert_eq!((&same.body, same.status), (&reply.body, reply.status));
            assert_eq!(twin.sent(), self.sent());
        }
        reply
    }

    pub async fn form(&self, fields: &[(&str, &str)]) -> Reply {
        let body = serde_urlencoded::to_string(fields).unwrap();
        let request = signed("application/x-www-form-urlencoded", body.as_bytes());
        let reply = self.receiver.handle(request).await;
        if !fields.iter().any(|(name, _)| *name == "command") {
            return reply;
        }
        let fields = fields.iter().map(|(name, value)| (*name, *value));
        let fields: BTreeMap<&str, &str> = fields.collect();
        self.same(reply, Content::Command, &json!(fields)).await
    }

    pub async fn interaction(&self, payload: &Value) -> Reply {
        let reply = self.form(&[("payload", &payload.to_string())]).await;
        self.same(reply, Content::Interaction, payload).await
    }

    pub fn sent(&self) -> Vec<Outgoing> {
        self.queue.sent.lock().unwrap().clone()
    }

    pub fn only(&self) -> Outgoing {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }
}

pub fn signature(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("v0:{timestamp}:").as_bytes());
    mac.update(body);
    format!("v0={}", hex::encode(mac.finalize().into_bytes()))
}

pub fn signed(content_type: &str, body: &[u8]) -> RawRequest {
    signed_by(SECRET, content_type, body)
}

pub fn signed_by(secret: &str, content_type: &str, body: &[u8]) -> RawRequest {
    let timestamp = NOW.to_string();
    let signature = signature(secret, &timestamp, body);
    let headers = [
        ("Content-Type", content_type),
        ("X-Slack-Request-Timestamp", &timestamp),
        ("X-Slack-Signature", &signature),
    ];
    RawRequest::new(headers, body)
}

pub fn callback(event: Value) -> Value {
    json!({
        "type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event_id": "Ev1",
        "event_time": NOW, "event": event,
        "authorizations": [{"enterprise_id": null, "team_id": "T1", "user_id": BOT, "is_bot": true}],
    })
}

pub fn message(changes: Value) -> Value {
    let mut event = json!({
        "type": "message", "user": "U1", "channel": "C1", "channel_type": "channel",
        "text": "hello", "ts": "1795226399.000100",
    });
    let changes = changes.as_object().unwrap().clone();
    event.as_object_mut().unwrap().extend(changes);
    callback(event)
}

pub fn click(changes: Value) -> Value {
    let mut payload = json!({
        "type": "block_actions", "team": {"id": "T1", "domain": "x"}, "user": {"id": "U1", "team_id": "T1"},
        "trigger_id": "13345224609.738474920.8088930838d88f008e0", "channel": {"id": "D1", "name": "directmessage"},
        "container": {"type": "message", "message_ts": "17.000100", "channel_id": "D1"},
        "message": {"type": "message", "ts": "17.000100", "text": "card"},
        "actions": [{"type": "button", "action_id": "approval_approve", "block_id": "b", "value": "apr_1:1", "action_ts": "18.1"}],
        "response_url": "https://hooks.slack.com/actions/x",
    });
    let changes = changes.as_object().unwrap().clone();
    payload.as_object_mut().unwrap().extend(changes);
    payload
}
