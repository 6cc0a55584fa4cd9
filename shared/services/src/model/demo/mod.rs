//! The model for when there is none: it parses. It understands a fixed set of
//! requests, however they are put, answers only by asking tools through the
//! loop, and puts their results into words. It never makes up an answer: what it
//! doesn't understand gets a list of what it does.

mod clock;
mod dates;
mod help;
mod holidays;
mod intent;
mod length;
mod lex;
mod phrase;
mod places;
mod regions;

use alfred_core::ports::{
    Delta, Finish, Message, Model, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest, Usage,
};
use async_trait::async_trait;
use serde_json::Value;

use alfred_core::Role;
use dates::Now;
use intent::{Call, Understood};
use phrase::Outcome;

/// Its name, as `ALFRED_MODEL` names it.
pub const NAME: &str = "demo:offline";

/// A parser behind the model port. Costs nothing and needs no network.
///
/// A request for JSON is answered with `{"result": false}`, since the only one
/// it knows is the question whether a request needs a team, and it can't lead one.
#[derive(Clone, Copy, Debug, Default)]
pub struct DemoModel;

impl DemoModel {
    /// There is nothing to set.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

#[async_trait]
impl Model for DemoModel {
    async fn turn(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, ModelError> {
        let Reply {
            text,
            tool_calls,
            refused,
        } = match &request.output {
            Output::Json { name, schema } => Reply::says(json(name, schema)?),
            Output::Text => answer(request),
        };
        if !text.is_empty() {
            deltas(Delta::Text(text.clone()));
        }
        for call in &tool_calls {
            deltas(Delta::ToolCall(call.name.clone()));
        }
        let finish = if tool_calls.is_empty() {
            Finish::Stop
        } else {
            Finish::ToolCalls
        };
        Ok(Turn {
            usage: usage(request, &text, &tool_calls),
            text,
            tool_calls,
            finish,
            refused,
            model: NAME.into(),
        })
    }

    fn name(&self) -> String {
        NAME.into()
    }
}

/// The one schema it knows: a predicate.
fn json(name: &str, schema: &Value) -> Result<String, ModelError> {
    let is_predicate = schema
        .pointer("/properties/result/type")
        .is_some_and(|kind| kind == "boolean");
    if is_predicate {
        Ok("{\"result\": false}".into())
    } else {
        Err(ModelError::Refused {
            detail: format!("{NAME} can't fill in \"{name}\": set ALFRED_MODEL"),
        })
    }
}

/// What it says or asks for.
struct Reply {
    text: String,
    tool_calls: Vec<ToolCall>,
    /// Whether nothing of the request could be done.
    refused: bool,
}

impl Reply {
    fn says(text: String) -> Self {
        Self {
            text,
            tool_calls: Vec::new(),
            refused: false,
        }
    }

    fn refuses(text: String) -> Self {
        Self {
            refused: true,
            ..Self::says(text)
        }
    }

    fn calls(tool_calls: Vec<ToolCall>) -> Self {
        Self {
            tool_calls,
            ..Self::says(String::new())
        }
    }
}

fn answer(request: &TurnRequest) -> Reply {
    let messages = &request.messages;
    // Words that were sent back ask for nothing new: the same results are all there is to say.
    let asked = messages.iter().rposition(|message| {
        matches!(message, Message::User { text } if text.as_ref() != alfred_core::text::claim_without_receipt())
    });
    let Some((place, Message::User { text })) = asked.map(|place| (place, &messages[place])) else {
        return Reply::says(help::help(&request.tools));
    };
    if let (Some(words), [tool]) = (about_a_proposal(text), &request.tools[..]) {
        return Reply::calls(vec![ToolCall {
            id: format!("call_{place}_0"),
            name: tool.name.clone(),
            arguments: serde_json::json!({"changes": {"unmet": [words]}}).to_string(),
        }]);
    }
    let understood = intent::understand(text, &now(messages), &request.tools);
    let left = left_over(&understood, request);
    let results = phrase::results(&messages[place + 1..], &understood.calls);
    if !results.is_empty() {
        let changes = phrase::pending(&results);
        if !changes.is_empty() {
            let calls = changes.into_iter().enumerate();
            return Reply::calls(
                calls
                    .map(|(n, (tool, arguments))| ToolCall {
                        id: format!("call_{place}_{}", results.len() + n),
                        name: tool.into(),
                        arguments: arguments.to_string(),
                    })
                    .collect(),
            );
        }
        let text = phrase::answer(&results, &left);
        // A look at what is there is no success of the change.
        let did = |outcome: &Outcome| outcome.succeeded() && !outcome.wanted.only_looks();
        return if results.iter().any(did) {
            Reply::says(text)
        } else {
            Reply::refuses(text)
        };
    }
    let calls: Vec<ToolCall> = understood
        .calls
        .iter()
        .filter(|call| is_offered(call, &request.tools))
        .enumerate()
        .map(|(n, call)| ToolCall {
            id: format!("call_{place}_{n}"),
            name: call.tool.into(),
            arguments: Value::Object(call.arguments.clone()).to_string(),
        })
        .collect();
    if !calls.is_empty() {
        return Reply::calls(calls);
    }
    if !left.is_empty() {
        // What isn't understood gets a list of what is.
        let mut text = left.join("\n");
        if !understood.unclear.is_empty() {
            text = format!("{text}\n\n{}", help::help(&request.tools));
        }
        return Reply::refuses(text);
    }
    Reply::says(if understood.help {
        help::help(&request.tools)
    } else {
        help::greeting(text)
    })
}

/// What the person wants of a proposal that this message is about.
fn about_a_proposal(text: &str) -> Option<&str> {
    let about = text.strip_prefix("About the open proposal ")?;
    let (_, words) = about.rsplit_once("The person wants: \"")?;
    words.strip_suffix('"')
}

fn is_offered(call: &Call, tools: &[ToolSpec]) -> bool {
    let offered = |name: &str| tools.iter().any(|tool| tool.name == name);
    offered(call.tool) && offered(call.purpose())
}

/// What of the message the tool calls didn't cover, and why.
fn left_over(understood: &Understood, request: &TurnRequest) -> Vec<String> {
    let unclear = understood
        .unclear
        .iter()
        .map(|part| help::not_understood(part));
    let refused = understood.refused.iter().map(|refusal| refusal.0.clone());
    let mut left: Vec<String> = unclear.chain(refused).collect();
    let missing: Vec<Call> = understood
        .calls
        .iter()
        .filter(|call| !is_offered(call, &request.tools))
        .cloned()
        .collect();
    if !missing.is_empty() {
        left.push(help::not_offered(&missing, role(&request.messages)));
    }
    left
}

/// The person's role as the system prompt has it.
fn role(messages: &[Message]) -> Option<Role> {
    let line = messages.iter().find_map(|message| match message {
        Message::System { text } => text.lines().find_map(|line| line.strip_prefix("Role: ")),
        _ => None,
    })?;
    match line.split_whitespace().next()? {
        "guest" => Some(Role::Guest),
        "member" => Some(Role::Member),
        "admin" => Some(Role::Admin),
        _ => None,
    }
}

fn now(messages: &[Message]) -> Now {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::System { text } => Some(Now::read(text)),
            _ => None,
        })
        .find(|now| *now != Now::default())
        .unwrap_or_default()
}

/// Counted at 4 bytes a token, so that token budgets work; free.
fn usage(request: &TurnRequest, text: &str, calls: &[ToolCall]) -> Usage {
    let read: usize = request
        .messages
        .iter()
        .map(|message| match message {
            Message::System { text } | Message::User { text } | Message::Tool { text, .. } => {
                text.len()
            }
            Message::Assistant { text, tool_calls } => {
                let calls: usize = tool_calls.iter().map(|call| call.arguments.len()).sum();
                text.len() + calls
            }
        })
        .sum();
    let written: usize = calls.iter().map(|call| call.arguments.len()).sum();
    Usage {
        input_tokens: read.div_ceil(4) as u64,
        cached_tokens: 0,
        output_tokens: (text.len() + written).div_ceil(4) as u64,
        cost_micros: Some(0),
    }
}
