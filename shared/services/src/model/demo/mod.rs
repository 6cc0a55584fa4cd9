//! The model for when there is none: it parses. It understands a fixed set of
//! requests, however they are put, answers only by asking tools through the
//! loop, and puts their results into words. It never makes up an answer: what it
//! doesn't understand gets a list of what it does.

mod clock;
mod dates;
mod help;
mod intent;
mod lex;
mod phrase;
mod places;

use alfred_core::ports::{
    Delta, Finish, Message, Model, ModelError, Output, ToolCall, ToolSpec, Turn, TurnRequest, Usage,
};
use async_trait::async_trait;
use serde_json::Value;

use dates::Now;
use intent::{Call, Understood};

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
        let (text, tool_calls) = match &request.output {
            Output::Json { name, schema } => (json(name, schema)?, Vec::new()),
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

fn answer(request: &TurnRequest) -> (String, Vec<ToolCall>) {
    let messages = &request.messages;
    let asked = messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }));
    let Some((place, Message::User { text })) = asked.map(|place| (place, &messages[place])) else {
        return (help::help(&request.tools), Vec::new());
    };
    let now = now(messages);
    let understood = intent::understand(text, &now);
    let results = phrase::results(&messages[place + 1..]);
    if !results.is_empty() {
        let left = left_over(&understood, &request.tools);
        return (phrase::answer(&results, &left), Vec::new());
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
        return (String::new(), calls);
    }
    let text = if !understood.calls.is_empty() {
        help::not_offered(&understood.calls)
    } else if understood.help || !understood.unclear.is_empty() {
        help::without_a_tool(&understood, &request.tools)
    } else {
        help::greeting(text)
    };
    (text, Vec::new())
}

fn is_offered(call: &Call, tools: &[ToolSpec]) -> bool {
    tools.iter().any(|tool| tool.name == call.tool)
}

/// What of the message the tool calls didn't cover.
fn left_over(understood: &Understood, tools: &[ToolSpec]) -> Vec<String> {
    let mut left: Vec<String> = understood
        .unclear
        .iter()
        .map(|part| help::not_understood(part))
        .collect();
    let missing: Vec<Call> = understood
        .calls
        .iter()
        .filter(|call| !is_offered(call, tools))
        .cloned()
        .collect();
    if !missing.is_empty() {
        left.push(help::not_offered(&missing));
    }
    left
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
