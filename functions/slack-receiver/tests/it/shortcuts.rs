//! Shortcuts on messages, and the form that one of them opens.

use alfred_core::Payload;
use alfred_core::envelope::{Command, quotes};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::common::{Door, door};
use crate::interactivity::{door_with_views, recording};

fn shortcut(callback: &str, message: Value) -> Value {
    json!({
        "type": "message_action", "callback_id": callback, "trigger_id": "1.2.3",
        "team": {"id": "T1", "domain": "acme"}, "user": {"id": "U1"},
        "channel": {"id": "C1", "name": "launch"}, "message": message,
    })
}

fn message(text: &str) -> Value {
    json!({"type": "message", "user": "U2", "ts": "17.000100", "text": text})
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
    let link = "(https://acme.slack.com/archives/C1/p17000100)";
    let said = message("Call <@U3|Zoe> &amp; me\n>>> now");
    let alert = json!({"bot_id": "B1", "ts": "17.000100", "text": "", "attachments": [{"fallback": "Disk full"}]});
    let mut elsewhere = shortcut("make_task", message("x"));
    elsewhere["channel"]["id"] = "D9".into();
    elsewhere["team"] = Value::Null;
    elsewhere["user"]["team_id"] = "T1".into();
    for (payload, text) in [
        (
            shortcut("make_task", said.clone()),
            format!(
                "Make a task of this message from <@U2> in <#C1> {link}:\n> Call <@U3> &amp; me\n> >>> now"
            ),
        ),
        (
            shortcut("draft_answer", alert),
            format!("Draft an answer to this message from an app in <#C1> {link}:\n> Disk full"),
        ),
        (
            elsewhere,
            "Make a task of this message from <@U2>:\n> x".to_owned(),
        ),
    ] {
        let door = door();
        assert_eq!(door.interaction(&payload).await.status, 200);
        assert_eq!(command(&door).text, text);
    }
    let mut with_file = said;
    with_file["files"] = json!([{"id": "F1", "name": "plan.pdf"}]);
    let door = door();
    door.interaction(&shortcut("make_task", with_file)).await;
    assert_eq!(command(&door).files[0].name, "plan.pdf");
}

#[tokio::test]
async fn a_question_about_a_message_is_asked_in_a_form() {
    for (text, cut) in [
        ("Lunch at noon?".to_owned(), false),
        ("\"é\n".repeat(9_000), true),
    ] {
        let chat = recording();
        let door = door_with_views(chat.clone(), Arc::default());
        let opened = door
            .interaction(&shortcut("ask_about", message(&text)))
            .await;
        assert_eq!(opened.status, 200);
        assert!(door.sent().is_empty());
        let view = chat.view("V1").unwrap();
        let kept = view["private_metadata"].as_str().unwrap();
        assert!(kept.chars().count() <= 3_000);
        assert_eq!(view.to_string().contains("only the beginning"), cut);
        let values = json!({"question": {"question": {"value": " Where?\n"}}});
        let submitted = json!({
            "type": "view_submission", "team": {"id": "T1"}, "user": {"id": "U1"}, "trigger_id": "1.2.3",
            "view": {"id": "V1", "callback_id": "ask_about", "private_metadata": kept, "state": {"values": values}},
        });
        assert_eq!(door.interaction(&submitted).await.status, 200);
        let asked = command(&door).text;
        let first = text.lines().next().unwrap();
        let start = "Where?\nThis is about the message from <@U2> in <#C1> (https://acme.slack.com/archives/C1/p17000100):\n> ";
        assert!(asked.starts_with(&format!("{start}{first}")), "{asked}");
    }
    // Without a chat no form can be opened: Slack tells the person.
    let closed = door();
    let refused = closed
        .interaction(&shortcut("ask_about", message("x")))
        .await;
    assert_eq!((refused.status, closed.sent().len()), (500, 0));
}

#[tokio::test]
async fn odd_shortcuts_are_answered() {
    let mut odd_channel = shortcut("make_task", message("x"));
    odd_channel["channel"]["id"] = "C1> <@U9".into();
    let mut odd_author = message("x");
    odd_author["user"] = "U2>".into();
    for (payload, status) in [
        (shortcut("launch_rocket", message("x")), 200),
        (shortcut("make_task", Value::Null), 400),
        (shortcut("make_task", odd_author), 400),
        (odd_channel, 400),
    ] {
        let door = door();
        assert_eq!(door.interaction(&payload).await.status, status, "{payload}");
        assert!(door.sent().is_empty());
    }
}
