use crate::common;

use alfred_core::envelope::Click;
use alfred_core::ports::{Call, Chat, ChatError, Clock, Intercept, Outgoing};
use alfred_core::{Payload, ResponseType};
use alfred_slack_receiver::{Receiver, SigningSecrets};
use alfred_testkit::{Faults, RecordingChat, When, intercepted};
use common::{Door, RecordingQueue, SECRET, click, clock, door, refusing_door, signed};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const TRIGGER: &str = "13345224609.738474920.8088930838d88f008e0";

fn clicked(out: &Outgoing) -> &Click {
    match &out.envelope.payload {
        Payload::Click(click) => click,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_click_is_a_group_of_its_own() {
    let door = door();
    assert_eq!(door.interaction(&click(json!({}))).await.status, 200);
    let out = door.only();
    assert_eq!(out.envelope.trigger, TRIGGER);
    assert_eq!(out.envelope.identity, format!("trg:{TRIGGER}"));
    let trace = &out.envelope.trace_id.0;
    assert_eq!((&out.group, &out.dedup), (trace, trace));
    assert_eq!(out.envelope.session.as_str(), "T1/U1/D1");
    let clicked = clicked(&out);
    assert_eq!(clicked.action_id, "approval_approve");
    assert_eq!(clicked.value, "apr_1:1");
    assert_eq!(clicked.message_ts.as_deref(), Some("17.000100"));
    assert_eq!(clicked.reply_to.response_type, ResponseType::Dm);
    assert_eq!(clicked.reply_to.thread_ts, None);
}

#[tokio::test]
async fn a_click_in_a_thread_belongs_to_its_session() {
    let door = door();
    let threaded = json!({
        "channel": {"id": "C1"}, "message": {"ts": "17.000100", "thread_ts": "16.000001"},
    });
    door.interaction(&click(threaded)).await;
    let out = door.only();
    assert_eq!(out.envelope.session.as_str(), "T1/U1/C1/16.000001");
    assert_eq!(clicked(&out).reply_to.response_type, ResponseType::Thread);
}

#[tokio::test]
async fn an_ephemeral_card_and_an_app_of_a_whole_organisation_work() {
    let door = door();
    let ephemeral = json!({
        "team": null, "channel": null, "message": null,
        "container": {"type": "message", "message_ts": "17.1", "channel_id": "C1", "thread_ts": "16.1", "is_ephemeral": true},
    });
    door.interaction(&click(ephemeral)).await;
    assert_eq!(door.only().envelope.session.as_str(), "T1/U1/C1/16.1");
}

#[tokio::test]
async fn a_click_in_a_view_answers_in_the_direct_message_and_only_a_modal_is_a_form() {
    for (kind, form) in [("modal", Some("V1")), ("home", None)] {
        let door = door();
        let view = json!({"id": "V1", "type": kind, "blocks": []});
        let on_view = json!({"channel": null, "message": null, "container": {"type": "view", "view_id": "V1"}, "view": view});
        door.interaction(&click(on_view)).await;
        let out = door.only();
        let clicked = clicked(&out);
        assert_eq!(
            (clicked.view_id.as_deref(), &clicked.message_ts),
            (form, &None)
        );
        assert_eq!(clicked.reply_to.channel.as_str(), "U1");
    }
}

#[tokio::test]
async fn every_kind_of_choice_has_a_value() {
    let several = json!({"selected_options": [{"value": "a"}, {"value": "b"}]});
    for (element, value) in [
        (json!({"selected_option": {"text": {}, "value": "a"}}), "a"),
        (several, "[\"a\",\"b\"]"),
        (json!({"selected_user": "U2"}), "U2"),
        (json!({"selected_date": "2026-11-21"}), "2026-11-21"),
        (json!({}), ""),
    ] {
        let door = door();
        let mut action = element;
        action["action_id"] = json!("menu");
        door.interaction(&click(json!({"actions": [action]}))).await;
        assert_eq!(clicked(&door.only()).value, value);
    }
}

#[tokio::test]
async fn odd_interactions_are_answered() {
    let door = door();
    for (changes, status) in [
        (json!({"type": "view_closed"}), 200),
        (json!({"type": "message_action"}), 200),
        (json!({"trigger_id": null}), 400),
        (json!({"user": null}), 400),
        (json!({"team": {"id": null}, "user": {"id": "U1"}}), 400),
        (json!({"actions": []}), 400),
        (json!({"actions": 7}), 400),
    ] {
        let reply = door.interaction(&click(changes.clone())).await;
        assert_eq!(reply.status, status, "{changes}");
    }
    assert_eq!(door.form(&[("payload", "no json")]).await.status, 400);
    assert_eq!(door.form(&[("other", "x")]).await.status, 400);
    let check = door.form(&[("ssl_check", "1"), ("token", "t")]).await;
    assert_eq!(check.status, 200);
    assert_eq!(door.sent(), []);
}

fn submission(values: Value) -> Value {
    json!({
        "type": "view_submission", "team": {"id": "T1"}, "user": {"id": "U1"}, "trigger_id": "1.2.3",
        "view": {"id": "V1", "callback_id": "approval_edit", "private_metadata": "apr_1:2", "state": {"values": values}},
    })
}

#[tokio::test]
async fn a_submitted_modal_is_checked_then_queued() {
    let door = door();
    let blank = json!({"body": {"text": {"type": "plain_text_input", "value": null}}});
    let reply = door.interaction(&submission(blank)).await;
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(reply.status, 200);
    assert_eq!(body["response_action"], "errors");
    assert!(body["errors"]["body"].is_string());
    assert_eq!(door.sent(), []);

    let filled = json!({"body": {"text": {"type": "plain_text_input", "value": "Dear Ana"}}});
    let reply = door.interaction(&submission(filled.clone())).await;
    assert_eq!((reply.status, reply.body.as_str()), (200, ""));
    let out = door.only();
    assert_eq!(out.envelope.identity, "trg:1.2.3");
    assert!(
        matches!(&out.envelope.payload, Payload::View(view) if view.values == filled && view.view_id == "V1")
    );
}

const COMMAND: [(&str, &str); 7] = [
    ("command", "/alfred"),
    ("text", "stop & go"),
    ("team_id", "T1"),
    ("user_id", "U1"),
    ("channel_id", "C1"),
    ("trigger_id", "1.2.3"),
    ("response_url", "https://hooks.slack.com/commands/x"),
];

#[tokio::test]
async fn a_command_answers_its_person_alone() {
    let door = door();
    assert_eq!(door.form(&COMMAND).await.body, "");
    let out = door.only();
    assert_eq!(out.group, out.envelope.trace_id.0);
    assert_eq!(out.envelope.session.as_str(), "T1/U1/C1");
    let Payload::Command(command) = &out.envelope.payload else {
        panic!("{out:?}")
    };
    assert_eq!(command.command, "/alfred");
    assert_eq!(command.text, "stop & go");
    assert_eq!(command.reply_to.channel.as_str(), "U1");
    assert_eq!(command.reply_to.response_type, ResponseType::Dm);
}

#[tokio::test]
async fn user_is_notified_if_the_queue_refuses_the_event() {
    let clicked = refusing_door().interaction(&click(json!({}))).await;
    assert_eq!(clicked.status, 500);
    let reply = refusing_door().form(&COMMAND).await;
    let body = reply.answer().unwrap();
    assert_eq!(reply.status, 200);
    assert_eq!(body["response_type"], "ephemeral");
    let notice = "I couldn't take that just now. Please try again.";
    assert_eq!(body["text"], notice);
}

struct Hangs;

impl Intercept for Hangs {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        _: Call<'_>,
        _: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        std::future::pending().await
    }
}

pub fn recording() -> Arc<RecordingChat> {
    Arc::new(RecordingChat::new(clock()))
}

fn hanging() -> Arc<dyn Chat> {
    intercepted(Hangs, recording())
}

pub fn door_with_views(chat: Arc<dyn Chat>, made: Arc<AtomicUsize>) -> Door {
    let queue = Arc::new(RecordingQueue::default());
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let receiver = Receiver::new(queue.clone(), secrets, clock()).with_chat(move || {
        made.fetch_add(1, Ordering::Relaxed);
        chat.clone()
    });
    Door {
        receiver,
        queue,
        twin: None,
    }
}

fn edit() -> Value {
    let action = json!({"type": "button", "action_id": "approval_edit", "value": "apr_1:2"});
    click(json!({"actions": [action]}))
}

#[tokio::test]
async fn an_editing_click_opens_its_view_before_it_is_queued() {
    let (chat, made) = (recording(), Arc::new(AtomicUsize::new(0)));
    let door = door_with_views(chat.clone(), made.clone());
    door.interaction(&click(json!({}))).await;
    assert_eq!(made.load(Ordering::Relaxed), 0);
    door.interaction(&edit()).await;
    door.interaction(&edit()).await;
    assert_eq!(made.load(Ordering::Relaxed), 1);
    assert_eq!(chat.view("V1").unwrap()["external_id"], "apr_1:2");
    let sent = door.sent();
    assert_eq!(clicked(&sent[0]).view_id, None);
    assert_eq!(clicked(&sent[1]).view_id.as_deref(), Some("V1"));
}

#[tokio::test]
async fn a_view_that_cannot_be_opened_does_not_lose_the_click() {
    let faults = Faults::default();
    let refused = ChatError::Refused {
        method: "views.open",
        code: "expired_trigger_id".into(),
    };
    faults.fail_next("chat.open_view", When::Before, refused);
    let chats: [Arc<dyn Chat>; 2] = [faults.before(recording()), hanging()];
    for chat in chats {
        let door = door_with_views(chat, Arc::default());
        assert_eq!(door.interaction(&edit()).await.status, 200);
        assert_eq!(clicked(&door.only()).view_id, None);
    }
}

#[tokio::test]
async fn slack_is_answered_within_three_seconds_when_its_api_and_the_queue_hang() {
    let (clock, start) = (clock(), clock().now());
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let queue = intercepted(Hangs, Arc::new(RecordingQueue::default()));
    let receiver = Receiver::new(queue, secrets, clock.clone());
    let receiver = receiver.with_chat(hanging);
    let body = serde_urlencoded::to_string([("payload", edit().to_string())]).unwrap();
    let request = signed("application/x-www-form-urlencoded", body.as_bytes());
    let answer = tokio::time::timeout(Duration::from_secs(10), receiver.handle(request));
    assert_eq!(answer.await.expect("no answer").status, 500);
    assert!(clock.now().duration_since(start) < SignedDuration::from_secs(3));
}
