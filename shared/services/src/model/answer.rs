//! Puts an answer together, from a stream of chunks or from one object.
//! Lenient where endpoints deviate from
//! <https://platform.openai.com/docs/api-reference/chat-streaming>.

use alfred_core::ports::{Delta, Finish, ToolCall, Turn, Usage};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::price;

/// The most tool calls of one answer: each piece of one looks through all of them.
const MAX_CALLS: usize = 1_000;

/// A chunk of a stream, or a whole answer: `delta` and `message` read alike.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk {
    choices: Option<Vec<Choice>>,
    #[serde(deserialize_with = "counted")]
    usage: Option<WireUsage>,
    /// Some gateways report an error after they have said 200.
    pub(super) error: Option<Value>,
}

/// Counts that make no sense are none; the answer beside them is as good.
fn counted<'de, D: Deserializer<'de>>(from: D) -> Result<Option<WireUsage>, D::Error> {
    Ok(Deserialize::deserialize(Value::deserialize(from)?).unwrap_or_default())
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Part>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    /// Text, null, or an array of parts.
    content: Option<Value>,
    refusal: Option<String>,
    tool_calls: Option<Vec<WireCall>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireCall {
    index: Option<u64>,
    id: Option<String>,
    function: Option<WireFunction>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireFunction {
    name: Option<String>,
    /// A string, but an object from some.
    arguments: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<WireDetails>,
    /// DeepSeek's name for cached tokens.
    prompt_cache_hit_tokens: Option<u64>,
    cost: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireDetails {
    cached_tokens: Option<u64>,
}

struct Slot {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// An answer that is coming in.
#[derive(Default)]
pub(super) struct Answer {
    text: String,
    calls: Vec<Slot>,
    refused: bool,
    reason: Option<String>,
    usage: Option<WireUsage>,
    choices_seen: bool,
}

/// Why what came is no answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unusable(pub(super) &'static str);

impl Answer {
    /// Takes a chunk in and reports what is new in it.
    pub(super) fn take(
        &mut self,
        chunk: Chunk,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<(), Unusable> {
        if chunk.usage.is_some() {
            self.usage = chunk.usage;
        }
        // Only one choice is ever asked for; further ones are alternatives.
        let Some(choice) = chunk.choices.and_then(|choices| choices.into_iter().next()) else {
            return Ok(());
        };
        self.choices_seen = true;
        if choice.finish_reason.is_some() {
            self.reason = choice.finish_reason;
        }
        let Some(part) = choice.delta else {
            return Ok(());
        };
        let mut text = part.content.map(plain_text).unwrap_or_default();
        if text.is_empty() {
            text = part.refusal.unwrap_or_default();
            self.refused |= !text.is_empty();
        }
        if !text.is_empty() {
            self.text.push_str(&text);
            deltas(Delta::Text(text));
        }
        for call in part.tool_calls.unwrap_or_default() {
            self.take_call(call, deltas);
            if self.calls.len() > MAX_CALLS {
                return Err(Unusable("too many tool calls"));
            }
        }
        Ok(())
    }

    fn take_call(&mut self, call: WireCall, deltas: &mut (dyn FnMut(Delta) + Send)) {
        let function = call.function.unwrap_or_default();
        let id = call.id.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let place = self.slot(call.index, &id, &name);
        let Some(slot) = self.calls.get_mut(place) else {
            return;
        };
        if slot.id.is_empty() {
            slot.id = id;
        }
        if slot.name.is_empty() && !name.is_empty() {
            slot.name.clone_from(&name);
            deltas(Delta::ToolCall(name));
        }
        match function.arguments {
            None | Some(Value::Null) => {}
            Some(Value::String(piece)) => slot.arguments.push_str(&piece),
            Some(whole) => slot.arguments.push_str(&whole.to_string()),
        }
    }

    /// Which call a piece belongs to. By index; but some send no index, and some the same one for all.
    fn slot(&mut self, index: Option<u64>, id: &str, name: &str) -> usize {
        let begins_another = |slot: &Slot| {
            let other_id = !id.is_empty() && !slot.id.is_empty() && slot.id != id;
            other_id && !name.is_empty()
        };
        let found = match index {
            Some(_) => self
                .calls
                .iter()
                .rposition(|slot| slot.index == index)
                .filter(|&place| !begins_another(&self.calls[place])),
            None if !id.is_empty() => self.calls.iter().position(|slot| slot.id == id),
            None if !name.is_empty() => None,
            None => self.calls.len().checked_sub(1),
        };
        found.unwrap_or_else(|| {
            self.calls.push(Slot {
                index,
                id: String::new(),
                name: String::new(),
                arguments: String::new(),
            });
            self.calls.len() - 1
        })
    }

    /// Whether the model said that it was done.
    pub(super) fn is_finished(&self) -> bool {
        self.reason.is_some()
    }

    /// The turn. `sent` is the size of the request in bytes and `turns` the
    /// number of messages in it, which makes missing call ids unique in a run.
    pub(super) fn finish(
        self,
        provider: &str,
        model: &str,
        sent: usize,
        turns: usize,
    ) -> Result<Turn, Unusable> {
        if !self.choices_seen {
            return Err(Unusable("no choices"));
        }
        let usage = self.usage(provider, model, sent);
        let mut tool_calls: Vec<ToolCall> = Vec::with_capacity(self.calls.len());
        for (place, slot) in self.calls.into_iter().enumerate() {
            if slot.name.is_empty() {
                return Err(Unusable("a tool call without a name"));
            }
            let taken = tool_calls.iter().any(|call| call.id == slot.id);
            let id = if slot.id.is_empty() || taken {
                format!("call_{turns}_{place}")
            } else {
                slot.id
            };
            tool_calls.push(ToolCall {
                id,
                name: slot.name,
                arguments: slot.arguments,
            });
        }
        let finish = match self.reason.as_deref() {
            Some("length" | "max_tokens") => Finish::Length,
            Some("content_filter" | "safety") => Finish::Filtered,
            Some("error") => return Err(Unusable("the provider ended it with an error")),
            _ if !tool_calls.is_empty() => Finish::ToolCalls,
            _ => Finish::Stop,
        };
        // A reasoning model may spend its whole limit before the first word: that is `Length`, not a fault.
        if finish == Finish::Stop && self.text.trim().is_empty() {
            return Err(Unusable("neither text nor tool calls"));
        }
        Ok(Turn {
            text: self.text,
            tool_calls,
            finish,
            refused: self.refused,
            usage,
            model: format!("{provider}:{model}"),
        })
    }

    /// What the endpoint counted; without that an estimate of 4 bytes a token
    /// at no known cost, so that token budgets still hold.
    fn usage(&self, provider: &str, model: &str, sent: usize) -> Usage {
        let counted = self
            .usage
            .as_ref()
            .filter(|usage| usage.prompt_tokens.is_some() || usage.completion_tokens.is_some());
        let Some(counted) = counted else {
            let written: usize = self
                .calls
                .iter()
                .map(|slot| slot.name.len() + slot.arguments.len())
                .sum();
            return Usage {
                input_tokens: sent.div_ceil(4) as u64,
                cached_tokens: 0,
                output_tokens: (self.text.len() + written).div_ceil(4) as u64,
                cost_micros: None,
            };
        };
        let details = counted.prompt_tokens_details.as_ref();
        let mut usage = Usage {
            input_tokens: counted.prompt_tokens.unwrap_or_default(),
            cached_tokens: details
                .and_then(|details| details.cached_tokens)
                .or(counted.prompt_cache_hit_tokens)
                .unwrap_or_default(),
            output_tokens: counted.completion_tokens.unwrap_or_default(),
            cost_micros: None,
        };
        usage.cost_micros = match counted.cost {
            Some(dollars) if provider == "openrouter" => Some((dollars * 1e6).ceil() as u64),
            _ => price::cost_micros(provider, model, &usage),
        };
        usage
    }
}

/// The text of a content that is a string or an array of parts.
fn plain_text(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                _ => part.get("text").and_then(Value::as_str),
            })
            .collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
