//! Assembles an answer from stream chunks or from one object. Lenient where endpoints deviate from
//! <https://platform.openai.com/docs/api-reference/chat-streaming>.

use alfred_core::model::{Said, Unusable};
use alfred_core::ports::{Finish, Usage};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::super::reading::{Incoming, Reader, Taken};
use super::super::refusal::Fault;
use super::calls::{Calls, Piece};

/// A chunk of a stream or a whole answer: `delta` and `message` have the same shape.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    #[serde(deserialize_with = "counted")]
    usage: Option<WireUsage>,
    /// Some gateways report an error after a 200.
    error: Option<Value>,
    /// `error` for servers that report errors without an `error` field.
    object: Option<String>,
}

/// Invalid counts are ignored, since the answer is still usable.
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
    tool_calls: Option<Vec<Piece>>,
    /// Reasoning, which DeepSeek requires back with the calls that followed it.
    reasoning_content: Option<String>,
    /// OpenRouter's form of it.
    reasoning_details: Option<Vec<Value>>,
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

#[derive(Default)]
pub(in super::super) struct Answer {
    text: String,
    calls: Calls,
    reasoning: String,
    reasoning_details: Vec<Value>,
    refused: bool,
    reason: Option<String>,
    usage: Option<WireUsage>,
    choices_seen: bool,
}

impl Answer {
    fn take(&mut self, chunk: Chunk) -> Result<(), Unusable> {
        if chunk.usage.is_some() {
            self.usage = chunk.usage;
        }
        // Only one choice is requested; others are alternatives.
        let Some(choice) = chunk.choices.and_then(|choices| choices.into_iter().next()) else {
            return Ok(());
        };
        self.choices_seen = true;
        // Some servers send an empty one in every chunk.
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.reason = Some(reason.to_ascii_lowercase());
        }
        let Some(part) = choice.delta else {
            return Ok(());
        };
        let mut text = part.content.map(plain_text).unwrap_or_default();
        if text.is_empty() {
            text = part.refusal.unwrap_or_default();
            self.refused |= !text.is_empty();
        }
        self.text.push_str(&text);
        self.reasoning
            .push_str(&part.reasoning_content.unwrap_or_default());
        self.reasoning_details
            .extend(part.reasoning_details.unwrap_or_default());
        for piece in part.tool_calls.unwrap_or_default() {
            self.calls.take(piece)?;
        }
        Ok(())
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        let mut said = Self::default();
        said.refused = answer.refused;
        said.usage = answer.usage.and_then(WireUsage::counted);
        said.says(spoken(&answer.text));
        answer.calls.add_to(&mut said);
        if !answer.reasoning.is_empty() {
            let reasoning = answer.reasoning.into();
            said.message.insert("reasoning_content".into(), reasoning);
        }
        if !answer.reasoning_details.is_empty() {
            let details = answer.reasoning_details.into();
            said.message.insert("reasoning_details".into(), details);
        }
        match answer.reason.as_deref() {
            Some("length" | "max_tokens" | "model_length") => said.cut = Some(Finish::Length),
            Some("content_filter" | "safety" | "recitation" | "prohibited_content") => {
                said.cut = Some(Finish::Filtered);
            }
            Some("error" | "insufficient_system_resource") => {
                said.unusable = Some("the provider ended it with an error");
            }
            _ if !answer.choices_seen => said.unusable = Some("no choices"),
            _ => {}
        }
        said
    }
}

impl WireUsage {
    fn counted(self) -> Option<Usage> {
        if self.prompt_tokens.is_none() && self.completion_tokens.is_none() {
            return None;
        }
        let details = self.prompt_tokens_details.unwrap_or_default();
        let cached = details.cached_tokens.or(self.prompt_cache_hit_tokens);
        Some(Usage {
            input_tokens: self.prompt_tokens.unwrap_or_default(),
            cached_tokens: cached.unwrap_or_default(),
            output_tokens: self.completion_tokens.unwrap_or_default(),
            cost_micros: self.cost.map(|dollars| (dollars * 1e6).ceil() as u64),
            ..Usage::default()
        })
    }
}

impl Incoming for Answer {
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<Taken, Fault> {
        if data.trim_ascii() == b"[DONE]" {
            return Ok(Taken::Last);
        }
        self.whole(data, reader).map(|()| Taken::Open)
    }

    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault> {
        let chunk: Chunk = reader.parse(object)?;
        let refused = chunk.error.as_ref().is_some_and(|error| !error.is_null());
        if refused || chunk.object.as_deref() == Some("error") {
            return Err(reader.told(object));
        }
        let taken = self.take(chunk);
        taken.map_err(|unusable| reader.unusable(unusable.0))
    }

    fn is_finished(&self) -> bool {
        self.reason.is_some()
    }
}

/// Removes the reasoning that some servers leave in the text. Some prompts open the block themselves, so only
/// its end is left.
fn spoken(text: &str) -> &str {
    const BEGIN: &str = "<think>";
    let began = text.trim_start().strip_prefix(BEGIN);
    match text.split_once("</think>") {
        Some((before, after)) if began.is_some() || before.ends_with('\n') => after.trim_start(),
        None if began.is_some() => "",
        _ => text,
    }
}

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
