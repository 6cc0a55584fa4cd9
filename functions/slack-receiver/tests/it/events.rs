use crate::common;

use alfred_core::envelope::{SlackFile, SlackMessage};
use alfred_core::ports::{Clock, Outgoing};
use alfred_core::{Payload, ResponseType, TraceId};
use alfred_slack_receiver::{Receiver, SigningSecrets};
use async_trait::async_trait;
use common::{
    BOT, NOW, RecordingQueue, SECRET, callback, door, message, refusing_door, signed, signed_by,
};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

async fn queued(event: &Value) -> Outgoing {
    let door = door();
    assert_eq!(door.json(event).await.status, 200);
    door.only()
}

fn said(out: &Outgoing) -> &SlackMessage {
    match &out.envelope.payload {
        Payload::Message(message) => message,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_direct_message_is_queued_under_its_session() {
    let event =
        message(json!({"channel": "D1", "channel_type": "im", "text": "<!channel> hi & bye"}));
    let out = queued(&event).await;
    let trace = TraceId::derive(&"T1".into(), "msg:D1:1795226399.000100");
    assert_eq!(out.envelope.identity, "msg:D1:1795226399.000100");
    assert_eq!(out.envelope.trigger, "Ev1");
    assert_eq!((&out.envelope.trace_id, &out.dedup), (&trace, &trace.0));
    assert_eq!(out.envelope.received_at.as_second(), NOW);
    assert_eq!(out.group, "T1/U1/D1");
    assert_eq!(out.envelope.session.as_str(), "T1/U1/D1");
    let said = said(&out);
    assert_eq!(said.text, "<!channel> hi & bye");
    assert_eq!(said.reply_to.thread_ts, None);
    assert_eq!(said.reply_to.response_type, ResponseType::Dm);
}

#[tokio::test]
async fn a_thread_has_its_own_session_everywhere() {
    for (channel, kind, response_type) in [
        ("D1", "im", ResponseType::Dm),
        ("C1", "channel", ResponseType::Thread),
        ("G1", "mpim", ResponseType::Thread),
    ] {
        let changes = json!({"channel": channel, "channel_type": kind, "thread_ts": "17.000001"});
        let out = queued(&message(changes)).await;
        assert_eq!(out.group, format!("T1/U1/{channel}/17.000001"));
        let said = said(&out);
        assert_eq!(said.reply_to.thread_ts.as_deref(), Some("17.000001"));
        assert_eq!(said.reply_to.response_type, response_type);
        assert!(!said.mentioned);
    }
}

#[tokio::test]
async fn the_twins_of_a_mention_are_one() {
    let door = door();
    let text = format!("<@{BOT}> what now?");
    door.json(&message(json!({"text": text}))).await;
    // A mention has no `channel_type`, and its own event id.
    let mut twin = callback(json!({
        "type": "app_mention", "user": "U1", "channel": "C1", "text": text, "ts": "1795226399.000100",
    }));
    twin["event_id"] = json!("Ev2");
    door.json(&twin).await;
    let sent = door.sent();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0].dedup, sent[1].dedup);
    assert_eq!(sent[0].envelope.identity, sent[1].envelope.identity);
    assert_eq!(sent[0].envelope.payload, sent[1].envelope.payload);
    assert_ne!(sent[0].envelope.trigger, sent[1].envelope.trigger);
    let said = said(&sent[0]);
    assert!(said.mentioned);
    assert_eq!(said.text, "what now?");
    assert_eq!(said.reply_to.response_type, ResponseType::Channel);
    let thread = said.reply_to.thread_ts.as_deref();
    assert_eq!(thread, Some("1795226399.000100"));
    assert_eq!(sent[0].group, "T1/U1/C1/1795226399.000100");
}

#[tokio::test]
async fn without_authorizations_the_leading_mention_is_taken_for_ours() {
    for (kind, text, left) in [
        ("app_mention", "<@U0X> ask <@U0BEN>", "ask <@U0BEN>"),
        ("app_mention", "ask <@U0X>", "ask <@U0X>"),
        ("message", "<@U0X> ask", "<@U0X> ask"),
    ] {
        let mut event = message(json!({"type": kind, "channel": "D1", "text": text}));
        event.as_object_mut().unwrap().remove("authorizations");
        let out = queued(&event).await;
        assert_eq!(said(&out).text, left);
        assert_eq!(said(&out).mentioned, kind == "app_mention", "{text}");
    }
}

#[tokio::test]
async fn what_is_no_message_to_us_is_taken_and_dropped() {
    let im = |mut changes: Value| {
        changes["channel"] = json!("D1");
        message(changes)
    };
    let dropped = [
        im(json!({"bot_id": "B1"})),
        im(json!({"user": BOT})),
        im(json!({"hidden": true})),
        im(json!({"subtype": "bot_message"})),
        im(json!({"subtype": "message_changed", "message": {"text": "x"}, "user": null})),
        im(json!({"subtype": "message_deleted", "user": null})),
        im(json!({"subtype": "channel_join"})),
        message(json!({})),
        message(json!({"text": format!("<@{BOT}2> type `<@{BOT}>`")})),
        message(json!({"thread_ts": "1795226399.000100"})),
        callback(json!({"type": "reaction_added", "item": {"type": "message"}})),
        callback(json!({"type": "channel_created", "channel": {"id": "C2"}})),
        callback(json!({"type": "app_home_opened", "tab": "messages", "user": "U1"})),
        json!({"type": "app_rate_limited", "team_id": "T1"}),
        json!({"type": "something_new"}),
    ];
    let door = door();
    for event in dropped {
        assert_eq!(door.json(&event).await.status, 200, "{event}");
    }
    assert_eq!(door.sent(), []);
}

#[tokio::test]
async fn messages_with_files_broadcasts_and_me_are_messages() {
    for subtype in ["file_share", "thread_broadcast", "me_message"] {
        queued(&message(json!({"channel": "D1", "subtype": subtype}))).await;
    }
}

#[tokio::test]
async fn the_files_of_a_message_are_named() {
    let files = json!([
        {"id": "F1", "name": "Q3 <plan>.pdf", "mimetype": "application/pdf", "size": 52_100, "url_private": "https://files.slack.com/x"},
        {"id": "F2", "mode": "hidden_by_limit"},
    ]);
    let changes = json!({"channel": "D1", "subtype": "file_share", "text": "", "files": files});
    let out = queued(&message(changes)).await;
    let file = |id: &str, name: &str, media_type: &str, bytes| SlackFile {
        id: Some(id.into()),
        kept: None,
        name: name.into(),
        media_type: media_type.into(),
        bytes,
    };
    let plan = file("F1", "Q3 <plan>.pdf", "application/pdf", Some(52_100));
    assert_eq!(said(&out).files, [plan, file("F2", "F2", "", None)]);
}

#[tokio::test]
async fn odd_texts_pass_as_they_are() {
    for text in [
        "",
        "🙂",
        "مرحبا",
        "{\"blocks\":[{\"type\":\"actions\"}]}",
        &"x".repeat(40_000),
    ] {
        let out = queued(&message(json!({"channel": "D1", "text": text}))).await;
        assert_eq!(said(&out).text, text);
    }
}

#[tokio::test]
async fn a_stop_is_a_group_of_its_own() {
    let stop = callback(json!({
        "type": "agent_session_stopped", "channel": "C1", "user": "U1", "thread_ts": "17.000001",
        "streaming_message_ts": [], "event_ts": "18.1",
    }));
    let out = queued(&stop).await;
    assert_eq!(out.envelope.identity, "evt:Ev1");
    assert_eq!(out.envelope.session.as_str(), "T1/U1/C1/17.000001");
    assert_eq!(out.group, out.envelope.trace_id.0);
    assert!(
        matches!(&out.envelope.payload, Payload::Stop { reply_to } if reply_to.response_type == ResponseType::Thread)
    );
}

#[tokio::test]
async fn an_opened_home_tab_is_queued_apart_from_requests() {
    let view = json!({"id": "V1", "type": "home", "blocks": []});
    let opened = json!({"type": "app_home_opened", "channel": "D1", "user": "U1", "tab": "home", "view": view});
    let out = queued(&callback(opened)).await;
    assert_eq!(out.envelope.payload, Payload::Home { opened: true });
    assert_eq!(out.envelope.user.as_str(), "U1");
    assert_eq!(out.group, out.envelope.trace_id.0);
}

#[tokio::test]
async fn the_challenge_comes_back_as_text() {
    let door = door();
    let challenge = json!({"type": "url_verification", "challenge": "3eZb\"<", "token": "t"});
    let reply = door.json(&challenge).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, "3eZb\"<"));
    assert!(reply.content_type.starts_with("text/plain"));
    let none = door.json(&json!({"type": "url_verification"})).await;
    assert_eq!(none.status, 400);
    assert_eq!(door.sent(), []);
}

#[tokio::test]
async fn what_slack_never_sends_is_a_bad_request() {
    let door = door();
    let without = |field: &str| {
        let mut event = message(json!({"channel": "D1"}));
        event.as_object_mut().unwrap().remove(field);
        event
    };
    let malformed = [
        json!([]),
        json!({"no": "type"}),
        without("team_id"),
        without("event_id"),
        without("event"),
        callback(json!({"no": "type"})),
        message(json!({"channel": "D1", "user": null})),
        message(json!({"channel": "D1", "ts": null})),
        message(json!({"channel": "D1", "ts": 17.5})),
        message(json!({"channel": "D1/../D2"})),
        message(json!({"channel": "D1", "user": "U1#admin"})),
    ];
    for event in malformed {
        assert_eq!(door.json(&event).await.status, 400, "{event}");
    }
    let not_json = signed("application/json; charset=utf-8", b"{\"type\":");
    assert_eq!(door.receiver.handle(not_json).await.status, 400);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = signed("application/json", deep.as_bytes());
    assert_eq!(door.receiver.handle(deep).await.status, 400);
    assert_eq!(door.sent(), []);
}

#[tokio::test]
async fn a_retry_is_taken_like_the_first() {
    let door = door();
    let body = message(json!({"channel": "D1"})).to_string();
    let mut retry = signed("application/json", body.as_bytes());
    for (name, value) in [("Num", "2"), ("Reason", "http_timeout")] {
        let header = format!("X-Slack-Retry-{name}");
        retry.headers.push((header, value.into()));
    }
    assert_eq!(door.receiver.handle(retry).await.status, 200);
    assert_eq!(door.sent().len(), 1);
}

#[tokio::test]
async fn unsigned_and_oversized_requests_stop_at_the_door() {
    let door = door();
    let body = message(json!({"channel": "D1"})).to_string();
    let mut forged = signed("application/json", body.as_bytes());
    forged.body[10] ^= 1;
    assert_eq!(door.receiver.handle(forged).await.status, 401);
    let large = vec![b' '; alfred_slack_receiver::MAX_BODY_BYTES + 1];
    let large = signed("application/json", &large);
    assert_eq!(door.receiver.handle(large).await.status, 413);
    for other in ["", "text/plain", "multipart/form-data; boundary=x"] {
        let request = signed(other, body.as_bytes());
        assert_eq!(door.receiver.handle(request).await.status, 415);
    }
    assert_eq!(door.sent(), []);
}

#[tokio::test]
async fn slack_repeats_an_event_that_the_queue_refused() {
    let event = message(json!({"channel": "D1"}));
    let reply = refusing_door().json(&event).await;
    assert_eq!(reply.status, 500);
}

/// A clock that is two hours slow until a verified time corrects it.
#[derive(Default)]
struct Doubting(Mutex<bool>);

#[async_trait]
impl Clock for Doubting {
    fn now(&self) -> Timestamp {
        let behind = if *self.0.lock().unwrap() { 0 } else { 7_200 };
        Timestamp::from_second(NOW - behind).unwrap()
    }

    async fn sleep(&self, _: Duration) {}

    fn witness(&self, time: Timestamp) {
        *self.0.lock().unwrap() |= time.as_second() == NOW;
    }
}

#[tokio::test]
async fn a_request_of_slacks_settles_what_time_it_is_and_one_of_others_does_not() {
    let queue = Arc::new(RecordingQueue::default());
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let receiver = Receiver::new(queue.clone(), secrets, Arc::new(Doubting::default()));
    let body = message(json!({"channel": "D1", "channel_type": "im"})).to_string();
    let forged = signed_by("another", "application/json", body.as_bytes());
    assert_eq!(receiver.handle(forged).await.status, 401);
    let request = signed("application/json", body.as_bytes());
    assert_eq!(receiver.handle(request).await.status, 200);
    assert_eq!(queue.sent.lock().unwrap().len(), 1);
}
