//! Assembles an answer (<https://platform.openai.com/docs/api-reference/responses-streaming>). The
//! answer consists of the finished items.

use alfred_core::model::Said;
use alfred_core::ports::{Finish, Usage};
use serde_json::Value;

use super::super::reading::{Incoming, Reader};
use super::super::refusal::Fault;

const MAX_ITEMS: usize = 1_000;
/// Fields of reasoning that may be sent back.
const KEPT: [&str; 4] = ["type", "id", "summary", "encrypted_content"];

#[derive(Default)]
pub(in super::super) struct Answer {
    items: Vec<Value>,
    /// Text of the item that isn't finished, to estimate what a cut answer cost.
    unfinished: String,
    ended: Option<Value>,
}

impl Answer {
    fn end(&mut self, whole: Value, reader: &Reader) -> Result<(), Fault> {
        if !whole.is_object() {
            return Err(reader.unusable("truncated or invalid JSON"));
        }
        if !whole["error"].is_null() {
            return Err(reader.told(whole["error"].to_string().as_bytes()));
        }
        if let Some(output) = whole["output"].as_array()
            && output.len() > self.items.len()
        {
            self.items.clone_from(output);
        }
        self.unfinished.clear();
        self.ended = Some(whole);
        self.check_items(reader)
    }

    fn check_items(&self, reader: &Reader) -> Result<(), Fault> {
        if self.items.len() > MAX_ITEMS {
            return Err(reader.unusable("too many items"));
        }
        Ok(())
    }
}

impl Incoming for Answer {
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<bool, Fault> {
        let mut event = reader.parse(data)?;
        match event["type"].as_str() {
            Some("response.output_text.delta" | "response.refusal.delta") => {
                let delta = event["delta"].as_str().unwrap_or_default();
                self.unfinished.push_str(delta);
            }
            Some("response.output_item.done") => {
                self.unfinished.clear();
                self.items.push(event["item"].take());
                self.check_items(reader)?;
            }
            Some("response.completed" | "response.incomplete" | "response.failed") => {
                self.end(event["response"].take(), reader)?;
                return Ok(true);
            }
            Some("error") => return Err(reader.told(data)),
            _ => {}
        }
        Ok(false)
    }

    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault> {
        self.end(reader.parse(object)?, reader)
    }

    fn is_finished(&self) -> bool {
        self.ended.is_some()
    }

    fn text(&self) -> String {
        let items = self.items.iter();
        let contents = items.filter_map(|item| item["content"].as_array());
        let texts = contents.flatten().filter_map(|part| part["text"].as_str());
        texts.chain([&*self.unfinished]).collect()
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        let mut said = Self::default();
        for item in answer.items {
            add(&mut said, item);
        }
        let whole = answer.ended.unwrap_or_default();
        let why = whole["incomplete_details"]["reason"].as_str();
        said.cut = match (whole["status"].as_str(), why) {
            (_, Some("content_filter")) => Some(Finish::Filtered),
            (Some("incomplete"), _) => Some(Finish::Length),
            _ => None,
        };
        let usage = &whole["usage"];
        let read = usage["input_tokens"].as_u64();
        let counts = read.zip(usage["output_tokens"].as_u64());
        let cached = usage["input_tokens_details"]["cached_tokens"].as_u64();
        said.usage = counts.map(|(input_tokens, output_tokens)| Usage {
            input_tokens,
            cached_tokens: cached.unwrap_or_default(),
            output_tokens,
            ..Usage::default()
        });
        said.says(&answer.unfinished);
        said
    }
}

fn add(said: &mut Said, mut item: Value) {
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    match item["type"].as_str() {
        Some("message") => {
            for part in item["content"].as_array().into_iter().flatten() {
                said.refused |= part["type"] == "refusal";
                let words = match part["type"].as_str() {
                    Some("output_text") => &part["text"],
                    Some("refusal") => &part["refusal"],
                    _ => continue,
                };
                said.says(words.as_str().unwrap_or_default());
            }
        }
        Some("function_call") => {
            let arguments = match &item["arguments"] {
                Value::Null | Value::String(_) => text("arguments"),
                whole => whole.to_string(),
            };
            said.calls(text("call_id"), text("name"), arguments);
        }
        // Nothing is stored at OpenAI, so reasoning without its content can't be referenced.
        Some("reasoning") if item["encrypted_content"].is_string() => {
            if let Value::Object(fields) = &mut item {
                fields.retain(|field, _| KEPT.contains(&&**field));
            }
            said.reasons(item);
        }
        _ => {}
    }
}
