//! How many tokens a simple request sends, counted as the models of OpenAI count them, with every tool registered.

use alfred_core::ports::{Message, Output, QueueName, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::json;

use crate::in_memory::world::{World, dm, turns_taken};

/// What people ask, the toolsets a model names for it, and the call it makes.
pub const REQUESTS: &[(&str, &str, &str, &str)] = &[
    ("good morning!", "[]", "", ""),
    (
        "what time is it in Tokyo?",
        "[\"time\"]",
        "time_now",
        "{\"timezone\": \"Tokyo\"}",
    ),
    (
        "who is Ben?",
        "[\"user\"]",
        "user_lookup",
        "{\"query\": \"Ben\"}",
    ),
    ("what's on my list?", "[\"task\"]", "task_viewTasks", "{}"),
    (
        "remind me to call the dentist by friday",
        "[\"task\"]",
        "task_createTask",
        "{\"title\": \"Call the dentist\"}",
    ),
    (
        "what's on today?",
        "[\"schedule\"]",
        "schedule_viewSchedule",
        "{}",
    ),
    (
        "plan my day, lunch at one",
        "[\"workflow\"]",
        "workflow_schedule",
        "{}",
    ),
    (
        "block two hours tomorrow for the report",
        "[\"schedule\", \"task\"]",
        "schedule_viewSchedule",
        "{}",
    ),
    ("any new mail?", "[\"email\"]", "email_viewEmails", "{}"),
    (
        "meet with Ben on tuesday at two",
        "[\"calendar\", \"user\"]",
        "user_lookup",
        "{\"query\": \"Ben\"}",
    ),
    (
        "tell Ben I'm late",
        "[\"slack\", \"user\"]",
        "user_lookup",
        "{\"query\": \"Ben\"}",
    ),
    ("I work from 9 to 5", "[\"preference\"]", "time_now", "{}"),
    (
        "what waits for me?",
        "[\"approval\"]",
        "approval_list",
        "{}",
    ),
];

/// The tokens of a request as it is sent: what every message says, and the tools as JSON.
pub fn tokens(request: &TurnRequest) -> usize {
    let count = |text: &str| bpe_openai::o200k_base().count(text);
    let messages = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => {
            count(text)
        }
        Message::Assistant { text, tool_calls } => {
            let calls = tool_calls
                .iter()
                .map(|call| count(&call.name) + count(&call.arguments));
            count(text) + calls.sum::<usize>()
        }
        Message::Files { .. } => 0,
    });
    let tools = request.tools.iter().map(|tool| {
        let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
        count(&json!({"type": "function", "function": function}).to_string())
    });
    let schema = match &request.output {
        Output::Json { schema, .. } => count(&schema.to_string()),
        Output::Text => 0,
    };
    messages.sum::<usize>() + tools.sum::<usize>() + schema
}

#[tokio::test]
async fn a_simple_request_is_small() {
    let (mut lines, mut turns) = (Vec::new(), Vec::<usize>::new());
    for &(said, toolsets, tool, arguments) in REQUESTS {
        let model = ScriptedModel::answering(move |request| match &request.output {
            Output::Json { .. } => Ok(says(&format!(
                "{{\"result\": false, \"toolsets\": {toolsets}}}"
            ))),
            Output::Text if turns_taken(request) == 0 && !tool.is_empty() => {
                Ok(calls(&[("c1", tool, arguments)]))
            }
            Output::Text => Ok(says("There it is.")),
        });
        let mut world = World::new(model).await;
        // A proposal waits for its owner: nothing more happens then.
        let asked = dm("U1", "1.1", said);
        world.deliver_until_done(QueueName::Ingress, asked).await;
        world.drain().await;
        let sent = world.model.requests();
        let each: Vec<usize> = sent.iter().map(tokens).collect();
        lines.push(format!("{said}: {each:?}"));
        let mail = toolsets.contains("email");
        assert!(!mail || each.iter().all(|size| *size <= 2_450), "{each:?}");
        turns.extend(&each[1..]);
    }
    turns.sort_unstable();
    let median = turns[turns.len() / 2];
    lines.push(format!(
        "a turn: median {median}, at most {}",
        turns[turns.len() - 1]
    ));
    insta::assert_snapshot!(lines.join("\n"), @"
good morning!: [480, 636]
what time is it in Tokyo?: [484, 1078, 1150]
who is Ben?: [481, 777, 849]
what's on my list?: [483, 1756, 1772]
remind me to call the dentist by friday: [486, 1759, 1862]
what's on today?: [482, 1900, 1960]
plan my day, lunch at one: [484, 2062]
block two hours tomorrow for the report: [484, 3019, 3079]
any new mail?: [481, 2331, 2360]
meet with Ben on tuesday at two: [485, 1746, 1818]
tell Ben I'm late: [481, 897, 969]
I work from 9 to 5: [485, 968, 1035]
what waits for me?: [482, 776, 792]
a turn: median 1756, at most 3079
");
    assert!(median <= 3_500, "{median}");
}
