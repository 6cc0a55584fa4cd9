//! Assembles an answer from stream chunks or from one object. Lenient where endpoints deviate from
//! <https://platform.openai.com/docs/api-reference/chat-streaming>.

use alfred_core::model::{Said, Unusable};
use alfred_core::ports::{Finish, Usage};
use serde_json::Value;

use super::super::reading::{Incoming, Reader};
use super::super::refusal::Fault;
use super::calls::Calls;

/// Begins the reasoning that some servers leave in the text.
const BEGIN: &str = "<think>";

#[derive(Default)]
pub(in super::super) struct Answer {
    text: String,
    calls: Calls,
    reasoning: String,
    reasoning_details: Vec<Value>,
    refused: bool,
    reason: Option<String>,
    usage: Option<Usage>,
    choices_seen: bool,
}

impl Answer {
    /// Adds a chunk of a stream, or a whole answer: `delta` and `message` have the same shape.
    fn take(&mut self, chunk: &Value) -> Result<(), Unusable> {
        self.usage = counted(&chunk["usage"]).or(self.usage);
        // Only one choice is requested; others are alternatives.
        let Some(choice) = chunk["choices"].get(0) else {
            return Ok(());
        };
        self.choices_seen = true;
        // Some servers send an empty one in every chunk.
        let reason = choice["finish_reason"].as_str();
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.reason = Some(reason.to_ascii_lowercase());
        }
        let part = choice.get("delta").unwrap_or(&choice["message"]);
        let refusal = part["refusal"].as_str().unwrap_or_default();
        let content = plain_text(&part["content"]);
        if content.is_empty() {
            self.refused |= !refusal.is_empty();
            self.text.push_str(refusal);
        }
        self.text.push_str(&content);
        // DeepSeek requires reasoning back with the calls that followed it.
        let reasoning = part["reasoning_content"].as_str();
        self.reasoning.push_str(reasoning.unwrap_or_default());
        // OpenRouter's name for reasoning.
        let details = part["reasoning_details"].as_array().into_iter().flatten();
        self.reasoning_details.extend(details.cloned());
        match &part["tool_calls"] {
            Value::Null => Ok(()),
            Value::Array(pieces) => pieces.iter().try_for_each(|piece| self.calls.take(piece)),
            _ => Err(Unusable("tool calls that are no list")),
        }
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        let mut said = Self::default();
        said.refused = answer.refused;
        said.usage = answer.usage;
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

/// Invalid counts are ignored, since the answer is still usable.
fn counted(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage[name].as_u64();
    let is_valid = |name: &str| usage[name].is_null() || usage[name].is_u64();
    if !is_valid("prompt_tokens") || !is_valid("completion_tokens") {
        return None;
    }
    let (read, written) = (count("prompt_tokens"), count("completion_tokens"));
    read.or(written)?;
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64();
    // DeepSeek's name for cached tokens.
    let cached = cached.or(count("prompt_cache_hit_tokens"));
    let dollars = usage["cost"].as_f64();
    Some(Usage {
        input_tokens: read.unwrap_or_default(),
        cached_tokens: cached.unwrap_or_default(),
        output_tokens: written.unwrap_or_default(),
        cost_micros: dollars.map(|dollars| (dollars * 1e6).ceil() as u64),
        ..Usage::default()
    })
}

impl Incoming for Answer {
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<bool, Fault> {
        if data.trim_ascii() == b"[DONE]" {
            return Ok(true);
        }
        self.whole(data, reader).map(|()| false)
    }

    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault> {
        let chunk = reader.parse(object)?;
        // Some gateways report an error after a 200, some without a field `error`.
        if !chunk["error"].is_null() || chunk["object"] == "error" {
            return Err(reader.told(object));
        }
        let taken = self.take(&chunk);
        taken.map_err(|unusable| reader.unusable(unusable.0))
    }

    fn is_finished(&self) -> bool {
        self.reason.is_some()
    }

    fn text(&self) -> String {
        // The beginning may become a block of reasoning.
        let is_tag = BEGIN.starts_with(self.text.trim());
        let text = if is_tag { "" } else { spoken(&self.text) };
        text.to_owned()
    }
}

/// Removes the reasoning that some servers leave in the text. Some prompts open the block themselves, so only
/// its end is left.
fn spoken(text: &str) -> &str {
    let began = text.trim_start().strip_prefix(BEGIN);
    match text.split_once("</think>") {
        Some((before, after)) if began.is_some() || before.ends_with('\n') => after.trim_start(),
        None if began.is_some() => "",
        _ => text,
    }
}

/// The words of a content: text, null, or an array of parts.
fn plain_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part.as_str().or(part["text"].as_str()))
            .collect(),
        _ => String::new(),
    }
}
