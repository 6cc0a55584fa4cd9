//! Tokens of a simple request, counted with OpenAI's tokenizer, with every tool registered.

use alfred_core::ports::{Message, Output, ToolSpec, Turn, TurnRequest};
use alfred_testkit::{ScriptedModel, calls, says};
use serde_json::json;
use std::collections::BTreeMap;

use crate::in_memory::world::{World, dm, turns_taken};

/// A request, the toolsets a model names for it, and the call it makes: tool and arguments.
pub type Everyday = [&'static str; 4];

pub fn requests() -> impl Iterator<Item = Everyday> {
    let lines = include_str!("everyday_requests.txt").lines();
    let fields = lines.map(|line| line.split('|').collect::<Vec<_>>());
    fields.map(|fields| Everyday::try_from(fields).unwrap())
}

/// A model's classification of a simple request.
pub fn classified(toolsets: &str) -> Turn {
    says(&format!("{{\"result\": false, \"toolsets\": {toolsets}}}"))
}

fn count(text: &str) -> usize {
    let encoding = tiktoken_rs::o200k_base_singleton();
    encoding.encode_ordinary(text).len()
}

fn tool_tokens(tool: &ToolSpec) -> usize {
    let function =
        json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
    count(&json!({"type": "function", "function": function}).to_string())
}

/// Tokens of all messages, and of the tools as JSON.
pub fn tokens(request: &TurnRequest) -> usize {
    let messages = request.messages.iter().map(|message| match message {
        Message::System { text } | Message::User { text } | Message::Tool { text, .. } => {
            count(text)
        }
        Message::Assistant { text, tool_calls } => {
            let calls = tool_calls.iter();
            let calls = calls.map(|call| count(&call.name) + count(&call.arguments));
            count(text) + calls.sum::<usize>()
        }
        Message::Files { .. } => 0,
    });
    let tools = request.tools.iter().map(tool_tokens);
    let schema = match &request.output {
        Output::Json { schema, .. } => count(&schema.to_string()),
        Output::Text => 0,
    };
    messages.sum::<usize>() + tools.sum::<usize>() + schema
}

/// The limits in docs/costs.md, with the words of its table.
const CLASSIFICATION: (&str, usize) = ("the classification", 550);
const SMALL_TALK: (&str, usize) = ("small talk, one turn", 750);
const MEDIAN: (&str, usize) = ("a turn, median of thirteen everyday requests", 2_000);
const LARGEST: (&str, usize) = ("a turn, the largest of them", 3_500);
/// A turn about mail, which must fit a context of 4,096 tokens.
const MAIL: usize = 2_450;
/// A toolset's schemas, sent with each turn that uses it.
const TOOLSET: usize = 1_800;

#[tokio::test]
async fn a_simple_request_is_small() {
    let mut turns = Vec::<usize>::new();
    for [said, toolsets, tool, arguments] in requests() {
        let model = ScriptedModel::answering(move |request| match &request.output {
            Output::Json { .. } => Ok(classified(toolsets)),
            Output::Text if turns_taken(request) == 0 && !tool.is_empty() => {
                Ok(calls(&[("c1", tool, arguments)]))
            }
            Output::Text => Ok(says("There it is.")),
        });
        let mut world = World::new(model).await;
        world.ask(dm("U1", "1.1", said)).await;
        let sent = world.model.requests();
        let each: Vec<usize> = sent.iter().map(tokens).collect();
        let largest = match toolsets {
            "[]" => SMALL_TALK.1,
            toolsets if toolsets.contains("email") => MAIL,
            _ => LARGEST.1,
        };
        assert!(each.len() > 1, "{said}: {each:?}");
        assert!(each[0] <= CLASSIFICATION.1, "{said}: {each:?}");
        assert!(each.iter().all(|size| *size <= largest), "{said}: {each:?}");
        turns.extend(&each[1..]);
    }
    turns.sort_unstable();
    assert!(turns[turns.len() / 2] <= MEDIAN.1, "{turns:?}");
}

#[test]
fn no_toolset_is_large() {
    let mut sizes = BTreeMap::<String, usize>::new();
    for tool in alfred_tools::catalogue() {
        let name = tool.def().toolset.name.to_string();
        *sizes.entry(name).or_default() += tool_tokens(&tool.spec());
    }
    assert!(sizes.values().all(|sum| *sum <= TOOLSET), "{sizes:?}");
}

#[test]
fn the_costs_document_states_the_bounds() {
    let document = include_str!("../../../../docs/costs.md");
    for (what, most) in [CLASSIFICATION, SMALL_TALK, MEDIAN, LARGEST] {
        let row = format!("| {what} | {most} |");
        assert!(document.contains(&row), "docs/costs.md has no row {row}");
    }
}
