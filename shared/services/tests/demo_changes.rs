//! The offline demo model where blocks and tasks can be changed and messages
//! sent: it looks first, finds by title, and asks when several match.

#![allow(clippy::unwrap_used, reason = "a panic is a failed assertion")]

use alfred_core::ports::{Message, Model, Output, ToolCall, ToolSpec, Turn, TurnRequest};
use alfred_services::model::DemoModel;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const LOOKS: [&str; 2] = ["schedule_viewSchedule", "task_viewTasks"];
const CHANGES: [&str; 5] = [
    "schedule_deleteTimeBlock",
    "schedule_moveTimeBlock",
    "task_deleteTask",
    "task_completeTask",
    "slack_sendMessage",
];

/// A conversation with a model whose tools give what a table says.
struct Talk {
    messages: Vec<Message>,
    tools: Vec<&'static str>,
}

impl Talk {
    fn new(message: &str, tools: &[&'static str]) -> Self {
        let prompt = "Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin";
        let messages = vec![
            Message::System {
                text: prompt.into(),
            },
            Message::User {
                text: message.into(),
            },
        ];
        Self {
            messages,
            tools: tools.to_vec(),
        }
    }

    fn of(message: &str) -> Self {
        Self::new(message, &[&LOOKS[..], &CHANGES[..]].concat())
    }

    async fn turn(&self) -> Turn {
        let spec = |name: &&str| ToolSpec {
            name: (*name).into(),
            description: String::new(),
            parameters: Value::Null,
        };
        let request = TurnRequest {
            messages: self.messages.clone(),
            tools: self.tools.iter().map(spec).collect::<Arc<[_]>>(),
            output: Output::Text,
            max_output_tokens: 500,
            timeout: Duration::from_secs(5),
        };
        DemoModel::new().turn(&request, &mut |_| {}).await.unwrap()
    }

    fn answered(&mut self, calls: &[ToolCall], result: &Value) {
        self.messages.push(Message::Assistant {
            text: "".into(),
            tool_calls: calls.into(),
        });
        for call in calls {
            self.messages.push(Message::Tool {
                call_id: call.id.as_str().into(),
                text: result.to_string().into(),
            });
        }
    }
}

fn made(turn: &Turn) -> Vec<(String, Value)> {
    let call = |call: &ToolCall| {
        (
            call.name.clone(),
            serde_json::from_str(&call.arguments).unwrap(),
        )
    };
    turn.tool_calls.iter().map(call).collect()
}

fn day() -> Value {
    json!({"success": true, "date": "2026-11-21", "blocks": [
        {"id": "blk_1", "title": "Deep work", "startTime": "10:00", "endTime": "11:00", "type": "work"},
        {"id": "blk_2", "title": "Sync with Ben", "startTime": "13:00", "endTime": "13:30", "type": "meeting"},
        {"id": "blk_3", "title": "Sync with Ana", "startTime": "15:00", "endTime": "15:30", "type": "meeting"},
    ]})
}

fn tasks() -> Value {
    json!({"success": true, "total": 3, "tasks": [
        {"id": "tsk_1", "title": "Buy milk", "status": "backlog", "priority": "low"},
        {"id": "tsk_2", "title": "Buy milk and bread", "status": "backlog", "priority": "low"},
        {"id": "tsk_3", "title": "Call the bank", "status": "backlog", "priority": "high"},
    ]})
}

/// What it looks at, what it changes, and what it says at the end.
const FLOWS: [(&str, &str, &str, &str); 12] = [
    (
        "delete the deep work block",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_deleteTimeBlock {"blockId":"blk_1"}"#,
        "**Deep work** is off your schedule.",
    ),
    (
        "please remove my sync with Ben meeting today",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_deleteTimeBlock {"blockId":"blk_2"}"#,
        "**Sync with Ben** is off",
    ),
    (
        "cancel the 3pm meeting",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_deleteTimeBlock {"blockId":"blk_3"}"#,
        "**Sync with Ana** is off",
    ),
    (
        "move the deep work block to 3pm",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_moveTimeBlock {"blockId":"blk_1","newStartTime":"15:00"}"#,
        "**Deep work** starts at 15:00 now.",
    ),
    (
        "move the 10am block to 11:30",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_moveTimeBlock {"blockId":"blk_1","newStartTime":"11:30"}"#,
        "starts at 11:30",
    ),
    (
        "reschedule tomorrow's deep work block to 16:00",
        r#"{"date":"2026-11-22"}"#,
        r#"schedule_moveTimeBlock {"blockId":"blk_1","newStartTime":"16:00"}"#,
        "starts at 16:00",
    ),
    (
        "delete the task call the bank",
        "{}",
        r#"task_deleteTask {"taskId":"tsk_3"}"#,
        "The task **Call the bank** is deleted.",
    ),
    (
        "remove buy milk from my tasks",
        "{}",
        r#"task_deleteTask {"taskId":"tsk_1"}"#,
        "**Buy milk** is deleted",
    ),
    (
        "delete the bank task",
        "{}",
        r#"task_deleteTask {"taskId":"tsk_3"}"#,
        "**Call the bank** is deleted",
    ),
    (
        "mark \"buy milk\" as done",
        "{}",
        r#"task_completeTask {"taskId":"tsk_1"}"#,
        "**Buy milk** is done.",
    ),
    (
        "mark call the bank done",
        "{}",
        r#"task_completeTask {"taskId":"tsk_3"}"#,
        "**Call the bank** is done.",
    ),
    (
        "tick off buy milk and bread",
        "{}",
        r#"task_completeTask {"taskId":"tsk_2"}"#,
        "**Buy milk and bread** is done.",
    ),
];

#[tokio::test]
async fn it_looks_first_and_changes_what_was_found() {
    for (message, looked, changed, said) in FLOWS {
        let mut talk = Talk::of(message);
        let look = talk.turn().await;
        let is_task = changed.starts_with("task");
        let view = LOOKS[usize::from(is_task)];
        let looked = serde_json::from_str::<Value>(looked).unwrap();
        assert_eq!(made(&look), [(view.to_owned(), looked)], "{message}");
        talk.answered(&look.tool_calls, &if is_task { tasks() } else { day() });
        let change = talk.turn().await;
        let (tool, arguments) = changed.split_once(' ').unwrap();
        let arguments = serde_json::from_str::<Value>(arguments).unwrap();
        assert_eq!(made(&change), [(tool.to_owned(), arguments)], "{message}");
        assert_ne!(change.tool_calls[0].id, look.tool_calls[0].id);
        let mut refused = Talk {
            messages: talk.messages.clone(),
            tools: talk.tools.clone(),
        };
        talk.answered(&change.tool_calls, &json!({"success": true}));
        let end = talk.turn().await;
        assert!(
            end.text.contains(said) && !end.refused,
            "{message}: {}",
            end.text
        );
        refused.answered(
            &change.tool_calls,
            &json!({"success": false, "error": "it overlaps"}),
        );
        let end = refused.turn().await;
        assert!(
            end.text.ends_with(": it overlaps."),
            "{message}: {}",
            end.text
        );
        assert!(!end.text.contains(said), "{message}: {}", end.text);
    }
}

#[tokio::test]
async fn several_or_none_are_asked_about_and_nothing_is_changed() {
    for (message, result, said) in [
        (
            "delete the sync block",
            day(),
            "Two match: \"Sync with Ben\" 13:00–13:30, \"Sync with Ana\" 15:00–15:30. Which one do you mean?",
        ),
        (
            "move the gym block to 3pm",
            day(),
            "I found nothing called \"gym\" there, so I changed nothing.",
        ),
        (
            "delete the task buy",
            tasks(),
            "Two match: \"Buy milk\", \"Buy milk and bread\".",
        ),
    ] {
        let mut talk = Talk::of(message);
        let look = talk.turn().await;
        talk.answered(&look.tool_calls, &result);
        let end = talk.turn().await;
        assert!(end.tool_calls.is_empty(), "{message}");
        assert!(end.text.contains(said), "{message}: {}", end.text);
        assert!(end.refused, "{message}: nothing was done");
    }
}

#[tokio::test]
async fn messages_go_to_whom_they_are_for_as_written() {
    for (message, to, text) in [
        ("tell Ben that I'm late, sorry!", "Ben", "I'm late, sorry!"),
        (
            "message #general: lunch is here",
            "#general",
            "Lunch is here",
        ),
        (
            "let Ana Marques know that the report is ready",
            "Ana Marques",
            "The report is ready",
        ),
        (
            "send a message to Chiyo: see you at 9",
            "Chiyo",
            "See you at 9",
        ),
    ] {
        let turn = Talk::of(message).turn().await;
        let wanted = json!({"to": to, "text": text});
        assert_eq!(
            made(&turn),
            [("slack_sendMessage".to_owned(), wanted)],
            "{message}"
        );
    }
    let turn = Talk::of("tell me that you love me").turn().await;
    assert!(turn.tool_calls.is_empty());
}

#[tokio::test]
async fn without_the_tool_it_says_that_it_cannot_and_does_not_even_look() {
    for (message, said) in [
        (
            "delete the deep work block",
            "I can't delete that block for you",
        ),
        (
            "move the deep work block to 3pm",
            "I can't move that block for you",
        ),
        (
            "delete the task call the bank",
            "I can't delete that task for you",
        ),
        (
            "mark buy milk as done",
            "I can't complete that task for you",
        ),
        (
            "tell Ben that I'm late",
            "I can't send that message for you",
        ),
    ] {
        let turn = Talk::new(message, &LOOKS).turn().await;
        assert!(turn.tool_calls.is_empty(), "{message}");
        assert!(
            turn.text.contains(said) && turn.refused,
            "{message}: {}",
            turn.text
        );
    }
}

#[tokio::test]
async fn a_guest_hears_which_permission_is_missing() {
    for (message, said) in [
        (
            "delete the task call the bank",
            "Changing tasks needs the permission of a member, and you are a guest",
        ),
        (
            "tell Ben that I'm late",
            "Writing to others needs the permission of a member",
        ),
    ] {
        let mut talk = Talk::new(message, &LOOKS);
        talk.messages[0] = Message::System {
            text: "Role: guest (may only read)\nNow: 2026-11-21 Saturday 14:05, time zone UTC"
                .into(),
        };
        let turn = talk.turn().await;
        assert!(turn.text.contains(said), "{message}: {}", turn.text);
    }
}
