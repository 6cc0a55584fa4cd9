//! Clicks, modals and commands through the front door.

#![allow(clippy::unwrap_used, reason = "a broken fixture ends the test")]

mod common;

use alfred_core::envelope::{Click, Command};
use alfred_core::ports::{
    Chat, ChatChannel, ChatError, ChatMessage, ChatUser, Clock, Image, Look, Post, Posted,
};
use alfred_core::{ChannelId, FileId, Payload, ResponseType, TeamId, UserId};
use alfred_slack_receiver::{Receiver, SigningSecrets};
use async_trait::async_trait;
use common::{Door, FixedClock, RecordingQueue, SECRET, click, door, door_with};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

fn click_of(payload: &Payload) -> &Click {
    match payload {
        Payload::Click(click) => click,
        other => panic!("{other:?}"),
    }
}

fn command_of(payload: &Payload) -> &Command {
    match payload {
        Payload::Command(command) => command,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_click_is_a_group_of_its_own() {
    let door = door();
    assert_eq!(door.interaction(&click(json!({}))).await.status, 200);
    let out = door.only();
    let trigger = "13345224609.738474920.8088930838d88f008e0";
    assert_eq!(out.envelope.trigger, trigger);
    assert_eq!(out.envelope.identity, format!("trg:{trigger}"));
    assert_eq!(
        (&out.group, &out.dedup),
        (&out.envelope.trace_id.0, &out.envelope.trace_id.0)
    );
    assert_eq!(out.envelope.session.as_str(), "T1/U1/D1");
    let clicked = click_of(&out.envelope.payload);
    assert_eq!(
        (clicked.action_id.as_str(), clicked.value.as_str()),
        ("approval_approve", "apr_1:1")
    );
    assert_eq!(clicked.message_ts.as_deref(), Some("17.000100"));
    assert_eq!(
        (clicked.reply_to.response_type, &clicked.reply_to.thread_ts),
        (ResponseType::Dm, &None)
    );
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
    assert_eq!(
        click_of(&out.envelope.payload).reply_to.response_type,
        ResponseType::Thread
    );
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
async fn a_click_on_a_modal_answers_in_the_direct_message() {
    let door = door();
    let on_view = json!({"channel": null, "message": null, "container": {"type": "view", "view_id": "V1"}, "view": {"id": "V1"}});
    door.interaction(&click(on_view)).await;
    let out = door.only();
    let clicked = click_of(&out.envelope.payload);
    assert_eq!(clicked.view_id.as_deref(), Some("V1"));
    assert_eq!(clicked.reply_to.channel.as_str(), "U1");
}

#[tokio::test]
async fn every_kind_of_choice_has_a_value() {
    for (element, value) in [
        (json!({"selected_option": {"text": {}, "value": "a"}}), "a"),
        (
            json!({"selected_options": [{"value": "a"}, {"value": "b"}]}),
            "[\"a\",\"b\"]",
        ),
        (json!({"selected_user": "U2"}), "U2"),
        (json!({"selected_date": "2026-11-21"}), "2026-11-21"),
        (json!({}), ""),
    ] {
        let door = door();
        let mut action = element;
        action["action_id"] = json!("menu");
        door.interaction(&click(json!({"actions": [action]}))).await;
        assert_eq!(click_of(&door.only().envelope.payload).value, value);
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
        assert_eq!(
            door.interaction(&click(changes.clone())).await.status,
            status,
            "{changes}"
        );
    }
    assert_eq!(door.form(&[("payload", "no json")]).await.status, 400);
    assert_eq!(door.form(&[("other", "x")]).await.status, 400);
    assert_eq!(
        door.form(&[("ssl_check", "1"), ("token", "t")])
            .await
            .status,
        200
    );
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
    assert_eq!(
        (reply.status, &body["response_action"]),
        (200, &json!("errors"))
    );
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
    let command = command_of(&out.envelope.payload);
    assert_eq!(
        (command.command.as_str(), command.text.as_str()),
        ("/alfred", "stop & go")
    );
    assert_eq!(command.reply_to.channel.as_str(), "U1");
    assert_eq!(command.reply_to.response_type, ResponseType::Dm);
}

#[tokio::test]
async fn a_refusing_queue_is_told_to_whom_it_matters() {
    let refusing = || {
        door_with(RecordingQueue {
            refuses: true,
            ..RecordingQueue::default()
        })
    };
    assert_eq!(refusing().interaction(&click(json!({}))).await.status, 500);
    let reply = refusing().form(&COMMAND).await;
    let body: Value = serde_json::from_str(&reply.body).unwrap();
    assert_eq!(
        (reply.status, &body["response_type"]),
        (200, &json!("ephemeral"))
    );
    assert_eq!(body["text"], alfred_core::text::command_not_taken());
}

/// Opens views, or hangs, or refuses; has no other methods.
#[derive(Default)]
struct Views {
    opened: Mutex<Vec<(String, Value)>>,
    hangs: bool,
    refuses: bool,
}

#[async_trait]
impl Chat for Views {
    async fn team(&self) -> Result<TeamId, ChatError> {
        unreachable!()
    }
    async fn open_view(&self, trigger_id: &str, view: &Value) -> Result<String, ChatError> {
        if self.hangs {
            std::future::pending::<()>().await;
        }
        if self.refuses {
            return Err(ChatError::Refused {
                method: "views.open",
                code: "expired_trigger_id".into(),
            });
        }
        self.opened
            .lock()
            .unwrap()
            .push((trigger_id.into(), view.clone()));
        Ok("V7".into())
    }
    async fn post(&self, _: &Post) -> Result<Posted, ChatError> {
        unreachable!()
    }
    async fn upload(&self, _: &Image) -> Result<FileId, ChatError> {
        unreachable!()
    }
    async fn update(&self, _: &Posted, _: &str, _: &[Value]) -> Result<(), ChatError> {
        unreachable!()
    }
    async fn ephemeral(&self, _: &UserId, _: &Post) -> Result<(), ChatError> {
        unreachable!()
    }
    async fn before(
        &self,
        _: &ChannelId,
        _: Option<&str>,
        _: &str,
        _: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        unreachable!()
    }
    async fn set_status(&self, _: &ChannelId, _: &str, _: &str) -> Result<(), ChatError> {
        unreachable!()
    }
    async fn find(&self, _: &Look) -> Result<Option<Posted>, ChatError> {
        unreachable!()
    }
    async fn thread(
        &self,
        _: &ChannelId,
        _: &str,
        _: usize,
    ) -> Result<Vec<ChatMessage>, ChatError> {
        unreachable!()
    }
    async fn channels(&self, _: &UserId) -> Result<Vec<ChatChannel>, ChatError> {
        unreachable!()
    }
    async fn user(&self, _: &UserId) -> Result<Option<ChatUser>, ChatError> {
        unreachable!()
    }
    async fn update_view(&self, _: &str, _: &Value) -> Result<(), ChatError> {
        unreachable!()
    }
}

fn door_with_views(views: Arc<Views>, made: Arc<AtomicUsize>) -> Door {
    let queue = Arc::new(RecordingQueue::default());
    let secrets = SigningSecrets::new(SECRET, None).unwrap();
    let clock: Arc<dyn Clock> = Arc::new(FixedClock);
    let receiver = Receiver::new(queue.clone(), secrets, clock).with_chat(move || {
        made.fetch_add(1, Ordering::Relaxed);
        views.clone()
    });
    Door { receiver, queue }
}

fn edit() -> Value {
    click(
        json!({"actions": [{"type": "button", "action_id": "approval_edit", "value": "apr_1:2"}]}),
    )
}

#[tokio::test]
async fn an_editing_click_opens_its_view_before_it_is_queued() {
    let (views, made) = (Arc::new(Views::default()), Arc::new(AtomicUsize::new(0)));
    let door = door_with_views(views.clone(), made.clone());
    door.interaction(&click(json!({}))).await;
    assert_eq!(made.load(Ordering::Relaxed), 0);
    door.interaction(&edit()).await;
    door.interaction(&edit()).await;
    assert_eq!(made.load(Ordering::Relaxed), 1);
    let opened = views.opened.lock().unwrap().clone();
    assert_eq!(opened[0].0, "13345224609.738474920.8088930838d88f008e0");
    assert_eq!(opened[0].1["external_id"], "apr_1:2");
    let sent = door.sent();
    assert_eq!(click_of(&sent[0].envelope.payload).view_id, None);
    assert_eq!(
        click_of(&sent[1].envelope.payload).view_id.as_deref(),
        Some("V7")
    );
}

#[tokio::test]
async fn a_view_that_cannot_be_opened_does_not_lose_the_click() {
    for views in [
        Views {
            hangs: true,
            ..Views::default()
        },
        Views {
            refuses: true,
            ..Views::default()
        },
    ] {
        let door = door_with_views(Arc::new(views), Arc::default());
        assert_eq!(door.interaction(&edit()).await.status, 200);
        assert_eq!(click_of(&door.only().envelope.payload).view_id, None);
    }
}
