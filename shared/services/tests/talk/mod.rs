//! A conversation with the demo model in which every look finds the same things.

use alfred_core::ports::{Message, Model, Output, ToolSpec, Turn, TurnRequest};
use alfred_services::model::DemoModel;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Everything a person's chief of staff is given.
const TOOLS: [&str; 49] = [
    "time_now",
    "time_convert",
    "time_add",
    "user_list",
    "user_lookup",
    "preference_updatePreferences",
    "slack_sendMessage",
    "schedule_viewSchedule",
    "schedule_createTimeBlock",
    "schedule_moveTimeBlock",
    "schedule_deleteTimeBlock",
    "schedule_fillWorkBlock",
    "schedule_findGaps",
    "schedule_batchCreateBlocks",
    "schedule_analyzeUtilization",
    "task_createTask",
    "task_viewTasks",
    "task_deleteTask",
    "task_updateTask",
    "task_completeTask",
    "task_getBacklogWithScores",
    "task_assignToTimeBlock",
    "task_suggestForDuration",
    "email_viewEmails",
    "email_readEmail",
    "email_processEmail",
    "email_getBacklog",
    "email_categorizeEmail",
    "email_batchCategorize",
    "email_groupBySender",
    "email_archiveBatch",
    "email_restoreBatch",
    "email_createTaskFromEmail",
    "calendar_scheduleMeeting",
    "calendar_rescheduleMeeting",
    "workflow_schedule",
    "workflow_fillWorkBlock",
    "workflow_fillEmailBlock",
    "approval_list",
    "system_presentProposal",
    "system_awaitConfirmation",
    "system_confirmProposal",
    "system_modifyProposal",
    "system_showWorkflowHistory",
    "system_resumeWorkflow",
    "system_provideFeedback",
    "system_showPatterns",
    "system_clearContext",
    "schedule_viewWeek",
];

const TITLES: [(&str, &str); 13] = [
    ("Deep work", "09:00"),
    ("Quarterly report", "09:30"),
    ("Coding", "10:00"),
    ("Planning", "10:30"),
    ("Writing", "11:00"),
    ("Admin", "11:30"),
    ("Reading", "13:00"),
    ("Break", "15:00"),
    ("Email", "16:00"),
    ("Gym", "17:30"),
    ("Yoga", "18:30"),
    ("Focus", "19:00"),
    ("Budget review", "20:00"),
];

/// A call that was made in the end, and what was looked at for it.
#[derive(Debug)]
pub struct Made {
    pub tool: String,
    pub arguments: Value,
    /// The day whose blocks were looked at.
    pub looked_at: Value,
    /// The words that e-mails were looked for by.
    pub looked_for: Value,
}

impl Made {
    /// Whether it does more than look.
    pub fn changes(&self) -> bool {
        let reads = [
            "view", "list", "lookup", "now", "convert", "add", "find", "analyze",
        ];
        let more = [
            "suggest",
            "show",
            "present",
            "await",
            "get",
            "read",
            "categorize",
            "batchCategorize",
            "group",
        ];
        let verb = self.tool.split('_').nth(1).unwrap_or_default();
        !reads.iter().chain(&more).any(|read| verb.starts_with(read))
    }
}

fn request(messages: Vec<Message>) -> TurnRequest {
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: String::new(),
        parameters: Value::Null,
    };
    TurnRequest {
        messages,
        tools: Arc::new(TOOLS.map(spec)),
        output: Output::Text,
        max_output_tokens: 500,
        timeout: Duration::from_secs(5),
    }
}

/// What a look finds.
fn found(tool: &str, arguments: &Value) -> Value {
    let block = |(n, (title, start)): (usize, &(&str, &str))| json!({"id": format!("blk_{n}"), "title": title, "startTime": start, "endTime": "23:00", "type": "work"});
    let blocks: Vec<Value> = TITLES.iter().enumerate().map(block).collect();
    match tool {
        "schedule_viewSchedule" => {
            json!({"success": true, "date": arguments["date"].clone(), "blocks": blocks})
        }
        "email_viewEmails" => json!({"success": true, "total": 1, "emails": [
            {"id": "m1", "from": "Somebody <a@b.example>", "subject": "Hello", "status": "unread", "snippet": "Hi"}
        ]}),
        _ => json!({"success": true}),
    }
}

/// The calls that a message leads to; a look that leads to a change is part of it.
pub async fn play(say: &str) -> Vec<Made> {
    let prompt = "Now: 2026-11-21 Saturday 14:05, time zone Europe/Berlin";
    let mut messages = vec![
        Message::System {
            text: prompt.into(),
        },
        Message::User { text: say.into() },
    ];
    let model = DemoModel::new();
    let first = model
        .turn(&request(messages.clone()), &mut |_| {})
        .await
        .unwrap();
    let looks = calls(&first);
    messages.push(Message::Assistant {
        text: "".into(),
        tool_calls: first.tool_calls.clone().into(),
    });
    for (call, (tool, arguments)) in first.tool_calls.iter().zip(&looks) {
        messages.push(Message::Tool {
            call_id: call.id.as_str().into(),
            text: found(tool, arguments).to_string().into(),
        });
    }
    let second = model.turn(&request(messages), &mut |_| {}).await.unwrap();
    let then = calls(&second);
    let look = |tool: &str, names: &[&str]| {
        let look = looks.iter().find(|(name, _)| name == tool);
        let said = |name: &&str| look.and_then(|(_, arguments)| arguments[*name].as_str());
        let said: Vec<&str> = names.iter().filter_map(said).collect();
        Value::String(said.join(" "))
    };
    let (looked_at, looked_for) = match then.is_empty() {
        true => (Value::Null, Value::Null),
        false => (
            look("schedule_viewSchedule", &["date"]),
            look("email_viewEmails", &["from", "query"]),
        ),
    };
    let calls = if then.is_empty() { looks } else { then };
    let made = |(tool, mut arguments): (String, Value)| {
        let id = arguments["blockId"]
            .as_str()
            .and_then(|id| id.strip_prefix("blk_"));
        if let Some(place) = id.and_then(|id| id.parse::<usize>().ok()) {
            arguments["blockId"] = TITLES[place].0.into();
        }
        Made {
            tool,
            arguments,
            looked_at: looked_at.clone(),
            looked_for: looked_for.clone(),
        }
    };
    calls.into_iter().map(made).collect()
}

fn calls(turn: &Turn) -> Vec<(String, Value)> {
    let call = |call: &alfred_core::ports::ToolCall| {
        let arguments = serde_json::from_str(&call.arguments).unwrap();
        (call.name.clone(), arguments)
    };
    turn.tool_calls.iter().map(call).collect()
}
