//! Assembles an answer (<https://platform.claude.com/docs/en/build-with-claude/streaming>).

use alfred_core::model::Said;
use alfred_core::ports::{Finish, Usage};
use serde_json::{Map, Value};

use super::super::reading::{Incoming, Reader};
use super::super::refusal::Fault;

/// Most blocks in one answer, since each piece searches through them.
const MAX_BLOCKS: usize = 1_000;

/// Each field of a delta extends the block's field of the same name.
const PIECES: [&str; 4] = ["text", "partial_json", "thinking", "signature"];

#[derive(Default)]
pub(in super::super) struct Answer {
    /// By their index in the answer.
    blocks: Vec<(Option<u64>, Value)>,
    stop_reason: Option<String>,
    usage: Map<String, Value>,
}

impl Answer {
    /// Each later count replaces the earlier one.
    fn count(&mut self, later: &Value) {
        let later = later.as_object().into_iter().flatten();
        for (name, count) in later.filter(|(_, count)| !count.is_null()) {
            self.usage.insert(name.clone(), count.clone());
        }
    }

    fn stop(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str() {
            self.stop_reason = Some(reason.to_owned());
        }
    }

    /// Anthropic's input count excludes cached tokens, so they are added.
    fn counted(&self) -> Option<Usage> {
        let count = |name: &str| self.usage.get(name).and_then(Value::as_u64);
        let cached = count("cache_read_input_tokens").unwrap_or_default();
        let created = count("cache_creation_input_tokens").unwrap_or_default();
        Some(Usage {
            input_tokens: count("input_tokens")? + cached + created,
            cached_tokens: cached,
            cache_write_tokens: created,
            output_tokens: count("output_tokens").unwrap_or_default(),
            cost_micros: None,
        })
    }

    fn start(&mut self, index: Option<u64>, block: &Value, reader: &Reader) -> Result<(), Fault> {
        let (is_call, input) = (block["type"] == "tool_use", &block["input"]);
        if is_call && !input.is_object() && !input.is_null() {
            return Err(reader.unusable("arguments that are no object"));
        }
        if self.blocks.len() == MAX_BLOCKS {
            return Err(reader.unusable("too many blocks"));
        }
        self.blocks.push((index, block.clone()));
        Ok(())
    }

    fn piece(&mut self, index: Option<u64>, piece: &Value, reader: &Reader) -> Result<(), Fault> {
        if piece["type"] == "input_json_delta" && !piece["partial_json"].is_string() {
            return Err(reader.unusable("arguments that are no text"));
        }
        let block = self.blocks.iter_mut().rev().find(|(at, _)| *at == index);
        let Some((_, Value::Object(block))) = block else {
            return Ok(());
        };
        for field in PIECES {
            let Some(more) = piece[field].as_str() else {
                continue;
            };
            match block.get_mut(field) {
                Some(Value::String(known)) => known.push_str(more),
                _ => {
                    block.insert(field.into(), more.into());
                }
            }
        }
        Ok(())
    }
}

impl Incoming for Answer {
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<bool, Fault> {
        let event = reader.parse(data)?;
        let index = event["index"].as_u64();
        match event["type"].as_str() {
            Some("message_start") => self.count(&event["message"]["usage"]),
            Some("content_block_start") => self.start(index, &event["content_block"], reader)?,
            Some("content_block_delta") => self.piece(index, &event["delta"], reader)?,
            Some("message_delta") => {
                self.stop(&event["delta"]["stop_reason"]);
                self.count(&event["usage"]);
            }
            Some("message_stop") => return Ok(true),
            Some("error") => return Err(reader.told(data)),
            // `ping`, the end of a block, and future types.
            _ => {}
        }
        Ok(false)
    }

    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault> {
        let whole = reader.parse(object)?;
        self.stop(&whole["stop_reason"]);
        self.count(&whole["usage"]);
        for (index, block) in (0..).zip(whole["content"].as_array().into_iter().flatten()) {
            self.start(Some(index), block, reader)?;
        }
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.stop_reason.is_some()
    }

    fn text(&self) -> String {
        let blocks = self.blocks.iter().map(|(_, block)| block);
        let texts = blocks.filter(|block| block["type"] == "text");
        texts.filter_map(|block| block["text"].as_str()).collect()
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        let mut said = Self::default();
        said.usage = answer.counted();
        for (_, block) in answer.blocks {
            let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
            match block["type"].as_str() {
                Some("text") => said.says(&text("text")),
                Some("tool_use") => {
                    // Empty in a stream, complete in an answer that isn't streamed.
                    let input = block["input"].as_object().filter(|input| !input.is_empty());
                    let whole = input.map(|_| block["input"].to_string());
                    let arguments = whole.unwrap_or_else(|| text("partial_json"));
                    said.calls(text("id"), text("name"), arguments);
                }
                // Thinking with its signature, which is sent back unchanged.
                Some("thinking" | "redacted_thinking") => said.reasons(block),
                _ => {}
            }
        }
        said.cut = match answer.stop_reason.as_deref() {
            Some("max_tokens" | "model_context_window_exceeded") => Some(Finish::Length),
            Some("refusal") => Some(Finish::Filtered),
            _ => None,
        };
        // Only for tools that run at the provider, which are never offered.
        let paused = answer.stop_reason.as_deref() == Some("pause_turn");
        said.unusable = paused.then_some("the turn was paused");
        said
    }
}
