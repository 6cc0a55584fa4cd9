//! The offline demo model where blocks and tasks can be changed and messages
//! sent: by words of the title alone, or looked up first when a day or a time says which is meant.

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

/// What it looks at (nothing: the words go to the tool), what it changes, and what it says at the end.
const FLOWS: [(&str, &str, &str, &str); 14] = [
    (
        "delete the deep work block",
        "",
        r#"schedule_deleteTimeBlock {"blockId":"deep work"}"#,
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
        "",
        r#"schedule_moveTimeBlock {"blockId":"deep work","newStartTime":"15:00"}"#,
        "starts at 15:00 now.",
    ),
    (
        "move the 10am block to 11:30",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_moveTimeBlock {"blockId":"blk_1","newStartTime":"11:30"}"#,
        "**Deep work** starts at 11:30 now.",
    ),
    (
        "reschedule tomorrow's deep work block to 16:00",
        r#"{"date":"2026-11-22"}"#,
        r#"schedule_moveTimeBlock {"blockId":"blk_1","newStartTime":"16:00"}"#,
        "starts at 16:00",
    ),
    (
        "move the deep work block to Monday at 9",
        "",
        r#"schedule_moveTimeBlock {"blockId":"deep work","newDate":"2026-11-23","newStartTime":"09:00"}"#,
        "starts at 09:00 on Monday, 23 November 2026 now.",
    ),
    (
        "move the deep work block to Monday",
        r#"{"date":"2026-11-21"}"#,
        r#"schedule_moveTimeBlock {"blockId":"blk_1","newDate":"2026-11-23","newStartTime":"10:00"}"#,
        "**Deep work** starts at 10:00 on Monday, 23 November 2026 now.",
    ),
    (
        "delete the task call the bank",
        "",
        r#"task_deleteTask {"taskId":"call the bank"}"#,
        "The task **Call the bank** is deleted.",
    ),
    (
        "remove buy milk from my tasks",
        "",
        r#"task_deleteTask {"taskId":"buy milk"}"#,
        "is deleted",
    ),
    (
        "delete the bank task",
        "",
        r#"task_deleteTask {"taskId":"bank"}"#,
        "**Call the bank** is deleted",
    ),
    (
        "mark \"buy milk\" as done",
        "",
        r#"task_completeTask {"taskId":"buy milk"}"#,
        "is done.",
    ),
    (
        "mark call the bank done",
        "",
        r#"task_completeTask {"taskId":"call the bank"}"#,
        "**Call the bank** is done.",
    ),
    (
        "tick off buy milk and bread",
        "",
        r#"task_completeTask {"taskId":"buy milk and bread"}"#,
        "is done.",
    ),
];

/// What a change gives.
fn changed(tool: &str) -> Value {
    match tool {
        "schedule_deleteTimeBlock" => {
            json!({"success": true, "date": "2026-11-21", "releasedTasks": []})
        }
        "task_completeTask" => json!({"success": true, "task": {"title": "Call the bank"}}),
        "task_deleteTask" => json!({"success": true, "deleted": {"title": "Call the bank"}}),
        _ => json!({"success": true}),
    }
}

#[tokio::test]
async fn things_are_changed_by_their_titles_or_by_what_a_look_finds() {
    for (message, looked, change, said) in FLOWS {
        let mut talk = Talk::of(message);
        if !looked.is_empty() {
            let look = talk.turn().await;
            let looked = serde_json::from_str::<Value>(looked).unwrap();
            let wanted = ("schedule_viewSchedule".to_owned(), looked);
            assert_eq!(made(&look), [wanted], "{message}");
            talk.answered(&look.tool_calls, &day());
        }
        let turn = talk.turn().await;
        let (tool, arguments) = change.split_once(' ').unwrap();
        let arguments = serde_json::from_str::<Value>(arguments).unwrap();
        assert_eq!(made(&turn), [(tool.to_owned(), arguments)], "{message}");
        let mut refused = Talk {
            messages: talk.messages.clone(),
            tools: talk.tools.clone(),
        };
        talk.answered(&turn.tool_calls, &changed(tool));
        let end = talk.turn().await;
        assert!(
            end.text.to_lowercase().contains(&said.to_lowercase()) && !end.refused,
            "{message}: {}",
            end.text
        );
        refused.answered(
            &turn.tool_calls,
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
    for (message, said) in [
        (
            "delete today's sync block",
            "Two match: \"Sync with Ben\" 13:00–13:30, \"Sync with Ana\" 15:00–15:30. Which one do you mean?",
        ),
        (
            "move the gym block today to 3pm",
            "I found nothing called \"gym\" there, so I changed nothing.",
        ),
    ] {
        let mut talk = Talk::of(message);
        let look = talk.turn().await;
        talk.answered(&look.tool_calls, &day());
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

#[tokio::test]
async fn mail_is_looked_for_then_archived_by_its_ids() {
    let tools = ["email_viewEmails", "email_archiveBatch"];
    let mails = json!({"success": true, "total": 2, "emails": [
        {"id": "m1", "from": "LinkedIn <in@x.example>", "subject": "You have news"},
        {"id": "m2", "from": "LinkedIn <in@x.example>", "subject": "More news"},
    ]});
    let mut talk = Talk::new("archive the mail from LinkedIn", &tools);
    let look = talk.turn().await;
    let wanted = json!({"from": "LinkedIn", "limit": 100});
    assert_eq!(made(&look), [("email_viewEmails".to_owned(), wanted)]);
    talk.answered(&look.tool_calls, &mails);
    let turn = talk.turn().await;
    let wanted = json!({"emailIds": ["m1", "m2"]});
    assert_eq!(made(&turn), [("email_archiveBatch".to_owned(), wanted)]);
    talk.answered(
        &turn.tool_calls,
        &json!({"success": true, "archived": 1, "failed": ["m2"], "problems": [{"emailId": "m2", "reason": "It is gone."}]}),
    );
    let end = talk.turn().await;
    assert_eq!(
        end.text,
        "Archived 1 e-mail:\n- \"You have news\" from LinkedIn <in@x.example>\n1 could not be archived: It is gone."
    );

    // One e-mail is meant, and two fit: it asks.
    let mut talk = Talk::new("archive the email from LinkedIn", &tools);
    let look = talk.turn().await;
    talk.answered(&look.tool_calls, &mails);
    let end = talk.turn().await;
    assert!(end.tool_calls.is_empty() && end.refused, "{}", end.text);
    assert!(end.text.starts_with("Two match: "), "{}", end.text);

    // Without the tool that archives it doesn't even look.
    let end = Talk::new("archive the mail from LinkedIn", &tools[..1])
        .turn()
        .await;
    assert!(end.tool_calls.is_empty());
    assert!(
        end.text.contains("I can't archive those e-mails"),
        "{}",
        end.text
    );
}

/// What was resumed leads to exactly the calls that were given, once, and to no other tool.
#[tokio::test]
async fn what_is_left_of_a_workflow_is_proposed_as_it_was_given() {
    let tools = ["system_resumeWorkflow", "workflow_fillEmailBlock"];
    let mut talk = Talk::new("go on with my triage", &tools);
    let first = talk.turn().await;
    assert_eq!(
        made(&first),
        [(
            "system_resumeWorkflow".to_owned(),
            json!({"workflowType": "workflow_fillEmailBlock"})
        )]
    );
    let arguments = json!({"confirmation": {"approved": true, "approvedArchiveIds": ["m1"]}});
    let left = json!({
        "success": true, "resumed": 0, "message": null,
        "workflows": [{
            "workflowId": "w1", "type": "workflow_fillEmailBlock", "state": "partial",
            "message": "Some of it didn't work; exactly that can be proposed again.",
            "next": [
                {"tool": "workflow_fillEmailBlock", "arguments": arguments},
                {"tool": "slack_sendMessage", "arguments": {"to": "@ben", "text": "hi"}},
            ],
        }],
    });
    talk.answered(&first.tool_calls, &left);
    let second = talk.turn().await;
    assert_eq!(
        made(&second),
        [("workflow_fillEmailBlock".to_owned(), arguments)]
    );
    let done = json!({"success": true, "phase": "completed", "archived": 1, "failed": [], "summary": "Archived 1 mails."});
    talk.answered(&second.tool_calls, &done);
    let third = talk.turn().await;
    assert!(third.tool_calls.is_empty());
    assert!(
        third.text.contains("triage: Some of it") && third.text.contains("Archived 1 mails."),
        "{}",
        third.text
    );
}

/// A tool that isn't there isn't asked; another takes its words, or nobody does.
#[tokio::test]
async fn a_week_is_shown_by_the_tool_for_it_where_there_is_one() {
    for (tools, tool) in [
        (
            &["schedule_viewWeek", "schedule_viewSchedule"][..],
            "schedule_viewWeek",
        ),
        (&["schedule_viewSchedule"][..], "schedule_viewSchedule"),
    ] {
        let turn = Talk::new("show my week", tools).turn().await;
        let calls = made(&turn);
        assert!(
            !calls.is_empty() && calls.iter().all(|(name, _)| name == tool),
            "{calls:?}"
        );
    }
    let turn = Talk::new("clear the proposals", &["task_viewTasks"])
        .turn()
        .await;
    assert!(turn.tool_calls.is_empty());
}

/// Habits and history are told in the tools' own words.
#[tokio::test]
async fn habits_and_history_are_told_with_what_they_rest_on() {
    let mut talk = Talk::new("what patterns do you see?", &["system_showPatterns"]);
    let turn = talk.turn().await;
    talk.answered(
        &turn.tool_calls,
        &json!({"success": true, "patterns": [{
            "pattern": "Lunch is usually at 13:00.", "confidence": 0.51,
            "examples": ["2026-11-20: 13:00–14:00", "2026-11-19: 13:00–14:00"],
        }]}),
    );
    let said = talk.turn().await.text;
    assert!(
        said.contains("Lunch is usually at 13:00. (51 % sure; 2026-11-20: 13:00–14:00; "),
        "{said}"
    );
    let mut talk = Talk::new("show my workflow history", &["system_showWorkflowHistory"]);
    let turn = talk.turn().await;
    talk.answered(&turn.tool_calls, &json!({"success": true, "total": 1, "workflows": [{
        "id": "w1", "type": "workflow_fillEmailBlock", "executedAt": "2026-11-20T12:00:00Z",
        "status": "partial", "changes": [], "outcome": "Archived 1 mails; 1 could not be archived.",
    }]}));
    let said = talk.turn().await.text;
    assert!(
        said.contains("2026-11-20 triage (partial): Archived 1 mails; 1 could not"),
        "{said}"
    );
}
