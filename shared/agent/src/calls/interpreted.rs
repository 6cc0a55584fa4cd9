//! What a model made of words about a proposal.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::Turn;
use serde_json::{Value, json};

use crate::tool::SharedTool;
use crate::tool::agent::Agent;

/// The calls of a turn that are of this tool, as JSON.
pub(crate) fn wanted(turn: &Turn, tool: &str) -> Result<Vec<Value>, serde_json::Error> {
    let calls = turn.tool_calls.iter().filter(|call| call.name == tool);
    let read = calls.map(|call| serde_json::from_str(&call.arguments));
    read.collect()
}

/// A proposal's wish with what a model made of its owner's words; or why it stays as it was.
pub(crate) fn arguments(
    agent: &Agent,
    tool: &SharedTool,
    wish: &Value,
    turn: &Turn,
) -> Result<Value, String> {
    let name = &tool.def().name;
    let wanted = wanted(turn, name)
        .map_err(|error| format!("your words led to arguments that can't be read ({error})."))?;
    let with = |wish: Value, now: Value| {
        let revised = tool.revised(wish, now);
        revised.map_err(|error| error.to_string())
    };
    let before = with(wish.clone(), json!({}))?;
    let mut after = before.clone();
    for now in wanted {
        agent.tools.check(name, &now)?;
        after = with(after, now)?;
    }
    if after == before {
        Err(words_change_nothing(turn.text.trim()))
    } else {
        Ok(after)
    }
}

fn words_change_nothing(answer: &str) -> String {
    const MOST: usize = 300;
    match shown_on_one_line(answer) {
        answer if answer.is_empty() => "your words change nothing of it.".into(),
        answer => {
            let short: String = answer.chars().take(MOST).collect();
            format!("your words change nothing of it. The answer to them: \"{short}\"")
        }
    }
}
