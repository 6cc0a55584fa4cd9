//! Assembles an answer (<https://platform.claude.com/docs/en/build-with-claude/streaming>).

use alfred_core::model::Said;
use alfred_core::ports::{Finish, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::super::reading::{Incoming, Reader, Taken};
use super::super::refusal::Fault;

/// Most blocks in one answer, since each piece searches through them.
const MAX_BLOCKS: usize = 1_000;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Whole,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: BlockDelta,
    },
    MessageDelta {
        delta: Ending,
        #[serde(default)]
        usage: WireUsage,
    },
    MessageStop,
    Error,
    /// `ping`, the end of a block, and future types.
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Whole {
    content: Vec<Value>,
    stop_reason: Option<String>,
    usage: WireUsage,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Ending {
    stop_reason: Option<String>,
}

/// Each later count replaces the earlier one.
#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl WireUsage {
    fn take(&mut self, later: Self) {
        self.input_tokens = later.input_tokens.or(self.input_tokens);
        self.output_tokens = later.output_tokens.or(self.output_tokens);
        let created = later.cache_creation_input_tokens;
        self.cache_creation_input_tokens = created.or(self.cache_creation_input_tokens);
        let read = later.cache_read_input_tokens;
        self.cache_read_input_tokens = read.or(self.cache_read_input_tokens);
    }

    /// Anthropic's input count excludes cached tokens, so they are added.
    fn counted(&self) -> Option<Usage> {
        let read = self.cache_read_input_tokens.unwrap_or_default();
        let created = self.cache_creation_input_tokens.unwrap_or_default();
        Some(Usage {
            input_tokens: self.input_tokens? + read + created,
            cached_tokens: read,
            cache_write_tokens: created,
            output_tokens: self.output_tokens.unwrap_or_default(),
            cost_micros: None,
        })
    }
}

enum Block {
    Text(String),
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    /// Thinking with its signature, which is sent back unchanged.
    Thinking(Value),
    Unknown,
}

#[derive(Default)]
pub(in super::super) struct Answer {
    blocks: Vec<(u64, Block)>,
    stop_reason: Option<String>,
    usage: WireUsage,
}

impl Answer {
    fn start(&mut self, index: u64, mut block: Value, reader: &Reader) -> Result<(), Fault> {
        if self.blocks.len() == MAX_BLOCKS {
            return Err(reader.unusable("too many blocks"));
        }
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let begun = match block["type"].as_str() {
            Some("text") => Block::Text(text("text")),
            Some("tool_use") => {
                let (id, name) = (text("id"), text("name"));
                // Empty at the start of a stream, complete in an answer that isn't streamed.
                let input = block["input"].as_object().filter(|input| !input.is_empty());
                let arguments = input.map(|_| block["input"].to_string());
                Block::Call {
                    id,
                    name,
                    arguments: arguments.unwrap_or_default(),
                }
            }
            Some("thinking" | "redacted_thinking") => Block::Thinking(block.take()),
            _ => Block::Unknown,
        };
        self.blocks.push((index, begun));
        Ok(())
    }

    fn piece(&mut self, index: u64, piece: BlockDelta) {
        let block = self.blocks.iter_mut().rev().find(|(at, _)| *at == index);
        match (block.map(|(_, block)| block), piece) {
            (Some(Block::Text(text)), BlockDelta::TextDelta { text: more }) => {
                text.push_str(&more);
            }
            (Some(Block::Call { arguments, .. }), BlockDelta::InputJsonDelta { partial_json }) => {
                arguments.push_str(&partial_json);
            }
            (Some(Block::Thinking(block)), BlockDelta::ThinkingDelta { thinking }) => {
                add(block, "thinking", &thinking);
            }
            (Some(Block::Thinking(block)), BlockDelta::SignatureDelta { signature }) => {
                add(block, "signature", &signature);
            }
            _ => {}
        }
    }
}

fn add(block: &mut Value, field: &str, more: &str) {
    let known = block[field].as_str().unwrap_or_default();
    block[field] = format!("{known}{more}").into();
}

impl Incoming for Answer {
    fn event(&mut self, data: &[u8], reader: &Reader) -> Result<Taken, Fault> {
        match reader.parse(data)? {
            Event::MessageStart { message } => self.usage.take(message.usage),
            Event::ContentBlockStart {
                index,
                content_block,
            } => self.start(index, content_block, reader)?,
            Event::ContentBlockDelta { index, delta } => self.piece(index, delta),
            Event::MessageDelta { delta, usage } => {
                self.stop_reason = delta.stop_reason.or(self.stop_reason.take());
                self.usage.take(usage);
            }
            Event::MessageStop => return Ok(Taken::Last),
            Event::Error => return Err(reader.told(data)),
            Event::Other => {}
        }
        Ok(Taken::Open)
    }

    fn whole(&mut self, object: &[u8], reader: &Reader) -> Result<(), Fault> {
        let whole: Whole = reader.parse(object)?;
        for (index, block) in (0..).zip(whole.content) {
            self.start(index, block, reader)?;
        }
        self.stop_reason = whole.stop_reason;
        self.usage.take(whole.usage);
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.stop_reason.is_some()
    }
}

impl From<Answer> for Said {
    fn from(answer: Answer) -> Self {
        let mut said = Self::default();
        for (_, block) in answer.blocks {
            match block {
                Block::Thinking(block) => said.reasons(block),
                Block::Text(text) => said.says(&text),
                Block::Call {
                    id,
                    name,
                    arguments,
                } => said.calls(id, name, arguments),
                Block::Unknown => {}
            }
        }
        said.usage = answer.usage.counted();
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
