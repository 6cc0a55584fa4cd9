//! Shortcuts on messages, and the form that one of them opens.

use alfred_core::Payload;
use alfred_core::envelope::{Command, quotes};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::common::{Door, door};
use crate::interactivity::{door_with_views, recording};

const ORIGIN: &str = "the message https://acme.slack.com/archives/C1/p17000100 from <@U2> in <#C1>";

fn shortcut(callback: &str, text: &str) -> Value {
    json!({
        "type": "message_action", "callback_id": callback, "trigger_id": "1.2.3",
        "team": {"id": "T1", "domain": "acme"}, "user": {"id": "U1", "team_id": "T1"}, "channel": {"id": "C1"},
        "message": {"type": "message", "user": "U2", "ts": "17.000100", "text": text, "files": [{"id": "F1", "name": "plan.pdf"}]},
    })
}

fn command(door: &Door) -> Command {
    let out = door.only();
    assert_eq!(out.envelope.session.as_str(), "T1/U1/U1");
    assert_eq!(out.envelope.identity, "trg:1.2.3");
    let Payload::Command(command) = out.envelope.payload else {
        panic!("{out:?}")
    };
    assert_eq!(command.reply_to.channel.as_str(), "U1");
    assert!(quotes(&command.text, &Value::Null), "{}", command.text);
    command
}

#[tokio::test]
async fn a_shortcut_is_a_command_that_quotes_the_message() {
    let mut alert = shortcut("draft_answer", "");
    alert["message"] =
        json!({"bot_id": "B1", "ts": "17.000100", "attachments": [{"fallback": "Disk full"}]});
    let mut elsewhere = shortcut("make_task", "x");
    elsewhere["channel"]["id"] = "D9".into();
    elsewhere["team"] = Value::Null;
    let quoted = shortcut("make_task", "Call <@U3|Zoe> &amp; me\n>>> now");
    let from_app = ORIGIN.replace("<@U2>", "an app");
    for (payload, text, files) in [
        (
            quoted,
            format!("Make a task of {ORIGIN}:\n> Call <@U3> &amp; me\n> >>> now"),
            1,
        ),
        (
            alert,
            format!("Draft an answer to {from_app}:\n> Disk full"),
            0,
        ),
        (
            elsewhere,
            "Make a task of the message from <@U2>:\n> x".to_owned(),
            1,
        ),
    ] {
        let door = door();
        assert_eq!(door.interaction(&payload).await.status, 200);
        let command = command(&door);
        assert_eq!((command.text, command.files.len()), (text, files));
    }
}

#[tokio::test]
async fn a_question_about_a_message_is_asked_in_a_form() {
    for (text, cut) in [("Noon?".to_owned(), false), ("\"é\n".repeat(9_000), true)] {
        let chat = recording();
        let door = door_with_views(chat.clone(), Arc::default());
        let opened = door.interaction(&shortcut("ask_about", &text)).await;
        assert_eq!((opened.status, door.sent().len()), (200, 0));
        let view = chat.view("V1").unwrap();
        let kept = view["private_metadata"].as_str().unwrap();
        assert!(kept.chars().count() <= 3_000);
        assert_eq!(view.to_string().contains("only the beginning"), cut);
        let values = json!({"question": {"question": {"value": " Where?\n"}}});
        let view = json!({"id": "V1", "callback_id": "ask_about", "private_metadata": kept, "state": {"values": values}});
        let submitted = json!({"type": "view_submission", "team": {"id": "T1"}, "user": {"id": "U1"}, "trigger_id": "1.2.3", "view": view});
        assert_eq!(door.interaction(&submitted).await.status, 200);
        let asked = command(&door).text;
        let first = text.lines().next().unwrap();
        let start = format!("Where?\nThis is about {ORIGIN}:\n> {first}");
        assert!(asked.starts_with(&start), "{asked}");
    }
    // Without a chat no form can be opened: Slack tells the person.
    let refused = door().interaction(&shortcut("ask_about", "x")).await;
    assert_eq!(refused.status, 500);
}

#[tokio::test]
async fn odd_shortcuts_are_answered() {
    for (field, odd, status) in [
        ("/callback_id", json!("launch_rocket"), 200),
        ("/message", Value::Null, 400),
        ("/message/user", json!("U2>"), 400),
        ("/message/files", json!(7), 400),
        ("/channel/id", json!("C1> <@U9"), 400),
        ("/team/domain", json!("evil.example/"), 400),
    ] {
        let mut payload = shortcut("make_task", "x");
        *payload.pointer_mut(field).unwrap() = odd;
        let door = door();
        let reply = door.interaction(&payload).await;
        assert_eq!((reply.status, door.sent().len()), (status, 0), "{field}");
    }
}
