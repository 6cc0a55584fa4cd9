use alfred_core::ports::Clock;
use alfred_slack_receiver::{Receiver, SigningSecrets};
use alfred_testkit::Kept;
use serde_json::{Value, json};

use super::file::Channel;
use crate::events::{SECRET, signed};
use crate::in_memory::world::World;

const ALFRED: &str = "U0ALFRED";

pub fn event(kind: Channel, channel: &str, text: &str) -> Value {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let text = text.replace('>', "&gt;");
    if channel.starts_with('D') {
        return json!({"type": "message", "channel_type": "im", "channel": channel, "text": text});
    }
    let channel_type = match kind {
        Channel::Public => "channel",
        Channel::Private => "group",
        Channel::Group => "mpim",
    };
    json!({
        "type": "app_mention",
        "channel_type": channel_type,
        "channel": channel,
        "text": format!("<@{ALFRED}> {text}"),
    })
}

pub async fn deliver(world: &World, event: &Value) {
    let body = json!({
        "type": "event_callback",
        "team_id": "T1",
        "event_id": format!("Ev{}", event["ts"].as_str().unwrap()),
        "authorizations": [{"user_id": ALFRED, "is_bot": true}],
        "event": event,
    });
    send(world, "application/json", body.to_string()).await;
}

pub async fn click(world: &World, user: &str, on: &Kept, button: &Value) {
    let (channel, ts) = (on.channel.as_str(), on.ts.as_str());
    let action = &button["action_id"];
    let payload = json!({
        "type": "block_actions",
        "team": {"id": "T1"},
        "user": {"id": user},
        "trigger_id": format!("{}.{}", ts, action.as_str().unwrap()),
        "channel": {"id": channel},
        "container": {"message_ts": ts, "channel_id": channel},
        "message": {"ts": ts, "thread_ts": on.thread_ts},
        "actions": [{"action_id": action, "value": button["value"]}],
    });
    let payload = payload.to_string();
    let encoded = payload.bytes().map(|byte| format!("%{byte:02X}"));
    let encoded: String = encoded.collect();
    let form = "application/x-www-form-urlencoded";
    send(world, form, format!("payload={encoded}")).await;
}

async fn send(world: &World, media: &str, body: String) {
    let request = signed(world.clock.now().as_second(), media, body);
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let chat = world.ports.chat.clone();
    let receiver = Receiver::new(world.queue.clone(), secrets, world.ports.clock.clone())
        .with_chat(move || chat.clone());
    let reply = receiver.handle(request).await;
    assert_eq!(reply.status, 200, "{reply:?}");
}
