//! Collects a model's answer, independently of the provider's format, and turns it into a [`Turn`].

use serde_json::{Map, Value};
use std::collections::HashSet;

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
    calls: Vec<ToolCall>,
    /// Reasoning after the last call.
    pending: Vec<Value>,
    /// Other fields to send back with the message.
    pub message: Map<String, Value>,
    /// Why it ended early. `None` if the model finished.
    pub cut: Option<Finish>,
    /// Whether the model declined; the text says why.
    pub refused: bool,
    /// Token usage, if the provider reported it.
    pub usage: Option<Usage>,
    /// Why it is no answer, if the provider says so.
    pub unusable: Option<&'static str>,
}

impl Said {
    pub fn says(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds reasoning, in the form in which the provider wants it back.
    pub fn reasons(&mut self, reasoning: Value) {
        if self.text.is_empty() && self.calls.is_empty() {
            self.before.push(reasoning)
        } else {
            self.pending.push(reasoning)
        }
    }

    /// Adds a tool call; its id may be empty.
    pub fn calls(&mut self, id: String, name: String, arguments: String) {
        let echo = Echo {
            call: fields(std::mem::take(&mut self.pending)),
            ..Echo::default()
        };
        self.calls.push(ToolCall {
            id,
            name,
            arguments,
            echo: Some(Box::new(echo)),
        });
    }

    /// Adds a field to send back with the last call.
    pub fn keeps(&mut self, field: &str, value: Value) {
        let last = self.calls.last_mut();
        if let Some(echo) = last.and_then(|call| call.echo.as_mut()) {
            echo.call.insert(field.to_owned(), value);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.usage.is_none() && self.written() == 0
    }

    /// The reported usage, or an estimate. `sent` is the request's weight.
    pub fn used(&self, sent: usize) -> Usage {
        self.usage
            .unwrap_or_else(|| Usage::estimated(sent, self.written()))
    }

    /// Bytes of text and calls.
    fn written(&self) -> usize {
        let calls = self.calls.iter().map(|call| call.arguments.len());
        self.text.len() + calls.sum::<usize>()
    }

    /// Makes the turn of `model` (`provider:model`). `sent` is the request's weight, for estimating usage.
    /// `turns` is its number of messages, which makes generated call ids unique in a run. Fails if the answer
    /// is empty, or a call has no name.
    pub fn turn(mut self, model: String, sent: usize, turns: usize) -> Result<Turn, Unusable> {
        if let Some(why) = self.unusable {
            return Err(Unusable(why));
        }
        if self.calls.iter().any(|call| call.name.is_empty()) {
            return Err(Unusable("a tool call without a name"));
        }
        let finish = self.cut.unwrap_or(if self.calls.is_empty() {
            Finish::Stop
        } else {
            Finish::ToolCalls
        });
        // A model may spend its whole output limit on reasoning. That is `Length` and not an error.
        if finish == Finish::Stop && self.text.trim().is_empty() {
            return Err(Unusable("neither text nor tool calls"));
        }
        let usage = self.used(sent);
        self.finish_calls(&model, turns);
        Ok(Turn {
            tool_calls: self.calls,
            text: self.text,
            finish,
            refused: self.refused,
            usage,
            model,
        })
    }

    /// Gives each call an id of its own and the fields to send back, those of the message with the first call.
    fn finish_calls(&mut self, model: &str, turns: usize) {
        let mut message = fields(std::mem::take(&mut self.before));
        message.append(&mut self.message);
        let mut taken = HashSet::new();
        for (place, call) in self.calls.iter_mut().enumerate() {
            if call.id.is_empty() || !taken.insert(call.id.clone()) {
                call.id = format!("call_{turns}_{place}");
            }
            if let Some(echo) = &mut call.echo {
                model.clone_into(&mut echo.model);
                echo.message = std::mem::take(&mut message);
            }
            call.echo
                .take_if(|echo| echo.call.is_empty() && echo.message.is_empty());
        }
    }
}

/// The fields that keep this reasoning.
fn fields(before: Vec<Value>) -> Map<String, Value> {
    let kept = (!before.is_empty()).then(|| (BEFORE.to_owned(), before.into()));
    kept.into_iter().collect()
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
        let read = (turn.finish, turn.usage.input_tokens);
        assert_eq!(read, (Finish::Length, 100));
        let mut said = Said::default();
        said.calls("a".into(), String::new(), "{}".into());
        assert!(said.turn("p:m".into(), 0, 1).is_err());
    }
}
