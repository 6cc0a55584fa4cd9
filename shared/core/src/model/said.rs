//! Collects a model's answer, independently of the provider's format, and turns it into a [`Turn`].

use serde_json::{Map, Value};

use crate::ports::{Echo, Finish, ToolCall, Turn, Usage};

/// Field of an `Echo` with the reasoning before a call, or before the whole message.
const BEFORE: &str = "before";

#[derive(Debug, PartialEq, Eq)]
pub struct Unusable(pub &'static str);

/// An answer as read so far.
#[derive(Default)]
pub struct Said {
    /// Reasoning before any text or call.
    before: Vec<Value>,
    text: String,
    calls: Vec<SaidCall>,
    /// Reasoning after the last call.
    pending: Vec<Value>,
    /// Why it ended early. `None` if the model finished.
    pub cut: Option<Finish>,
    /// Whether the model declined; the text says why.
    pub refused: bool,
    /// Token usage, if the provider reported it.
    pub usage: Option<Usage>,
}

struct SaidCall {
    id: String,
    name: String,
    arguments: String,
    /// Reasoning between the previous call and this one.
    before: Vec<Value>,
}

impl Said {
    pub fn says(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds reasoning, in the form in which the provider wants it back.
    pub fn reasons(&mut self, reasoning: Value) {
        match self.text.is_empty() && self.calls.is_empty() {
            true => self.before.push(reasoning),
            false => self.pending.push(reasoning),
        }
    }

    /// Adds a tool call; its id may be empty.
    pub fn calls(&mut self, id: String, name: String, arguments: String) {
        let before = std::mem::take(&mut self.pending);
        self.calls.push(SaidCall {
            id,
            name,
            arguments,
            before,
        });
    }

    /// Makes the turn of `model` (`provider:model`). `sent` is the request's weight, for estimating usage.
    /// `turns` is its number of messages, which makes generated call ids unique in a run. Fails if the answer
    /// is empty, or a call has no name.
    pub fn turn(self, model: String, sent: usize, turns: usize) -> Result<Turn, Unusable> {
        if self.calls.iter().any(|call| call.name.is_empty()) {
            return Err(Unusable("a tool call without a name"));
        }
        let finish = self.cut.unwrap_or(match self.calls.is_empty() {
            true => Finish::Stop,
            false => Finish::ToolCalls,
        });
        // A model may spend its whole output limit on reasoning. That is `Length` and not an error.
        if finish == Finish::Stop && self.text.trim().is_empty() {
            return Err(Unusable("neither text nor tool calls"));
        }
        let written = self.calls.iter().map(|call| call.arguments.len());
        let written = self.text.len() + written.sum::<usize>();
        Ok(Turn {
            tool_calls: calls(self.calls, self.before, &model, turns),
            text: self.text,
            finish,
            refused: self.refused,
            usage: self
                .usage
                .unwrap_or_else(|| Usage::estimated(sent, written)),
            model,
        })
    }
}

/// The calls, with the reasoning to send back.
fn calls(said: Vec<SaidCall>, mut message: Vec<Value>, model: &str, turns: usize) -> Vec<ToolCall> {
    let kept = |list: Vec<Value>| match list.is_empty() {
        true => Map::new(),
        false => Map::from_iter([(BEFORE.to_owned(), Value::Array(list))]),
    };
    let mut calls: Vec<ToolCall> = Vec::with_capacity(said.len());
    for (place, call) in said.into_iter().enumerate() {
        let taken = call.id.is_empty() || calls.iter().any(|other| other.id == call.id);
        let echo = Echo {
            model: model.to_owned(),
            call: kept(call.before),
            message: kept(std::mem::take(&mut message)),
        };
        let wanted = !echo.call.is_empty() || !echo.message.is_empty();
        calls.push(ToolCall {
            id: match taken {
                true => format!("call_{turns}_{place}"),
                false => call.id,
            },
            name: call.name,
            arguments: call.arguments,
            echo: wanted.then(|| Box::new(echo)),
        });
    }
    calls
}

/// The echo of a call, if this model made it. Other models refuse unknown fields.
pub fn given<'a>(call: &'a ToolCall, provider: &str, model: &str) -> Option<&'a Echo> {
    let echo = call.echo.as_deref()?;
    (echo.model.split_once(':') == Some((provider, model))).then_some(echo)
}

/// The reasoning before a message, stored with its first call.
pub fn before_message<'a>(calls: &'a [ToolCall], provider: &str, model: &str) -> &'a [Value] {
    let first = calls.first().and_then(|call| given(call, provider, model));
    first.map_or(&[], |echo| before(&echo.message))
}

/// The reasoning between a call and the previous one.
pub fn before_call<'a>(call: &'a ToolCall, provider: &str, model: &str) -> &'a [Value] {
    given(call, provider, model).map_or(&[], |echo| before(&echo.call))
}

fn before(fields: &Map<String, Value>) -> &[Value] {
    let list = fields.get(BEFORE).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn called(ids: &[&str]) -> Said {
        let mut said = Said::default();
        for id in ids {
            said.reasons(json!(format!("before {id}")));
            said.calls((*id).into(), "time_now".into(), "{}".into());
        }
        said
    }

    #[test]
    fn reasoning_stays_where_it_was() {
        let turn = called(&["a", "b"]).turn("p:m".into(), 0, 3).unwrap();
        let calls = &turn.tool_calls;
        assert_eq!(before_message(calls, "p", "m"), [json!("before a")]);
        assert!(before_call(&calls[0], "p", "m").is_empty());
        assert_eq!(before_call(&calls[1], "p", "m"), [json!("before b")]);
        assert!(before_call(&calls[1], "p", "other").is_empty());
    }

    #[test]
    fn missing_ids_and_those_of_others_are_given() {
        let turn = called(&["", "a", "a"]).turn("p:m".into(), 0, 3).unwrap();
        let ids: Vec<&str> = turn.tool_calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["call_3_0", "a", "call_3_2"]);
    }

    #[test]
    fn what_says_nothing_is_no_turn_unless_it_was_cut() {
        let mut said = Said::default();
        said.says(" ");
        assert!(said.turn("p:m".into(), 0, 1).is_err());
        let said = Said {
            cut: Some(Finish::Length),
            ..Said::default()
        };
        let turn = said.turn("p:m".into(), 400, 1).unwrap();
        assert_eq!(
            (turn.finish, turn.usage.input_tokens),
            (Finish::Length, 100)
        );
        let mut said = Said::default();
        said.calls("a".into(), String::new(), "{}".into());
        assert!(said.turn("p:m".into(), 0, 1).is_err());
    }
}
