//! Puts an answer together
//! (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html>).

use alfred_core::model::{Said, Unusable};
use alfred_core::ports::{Finish, Usage};
use aws_sdk_bedrockruntime::types::{
    ContentBlockDelta as Delta, ContentBlockStart, ConverseStreamOutput,
    ReasoningContentBlockDelta as Reasoning, StopReason, TokenUsage,
};
use aws_smithy_types::base64;
use serde_json::{Value, json};

/// The most blocks of one answer: each piece looks through them.
const MAX_BLOCKS: usize = 1_000;
/// The most bytes of one; more is no answer of a language model.
const MAX_BYTES: usize = 16 * 1024 * 1024;

enum Block {
    Text(String),
    Call {
        id: String,
        name: String,
        arguments: String,
    },
    Reasoning {
        text: String,
        signature: Option<String>,
    },
    /// Reasoning that nobody may read.
    Redacted(Vec<u8>),
}

#[derive(Default)]
pub(super) struct Answer {
    blocks: Vec<(i32, Block)>,
    bytes: usize,
    stop: Option<StopReason>,
    usage: Option<TokenUsage>,
}

impl Answer {
    pub(super) fn take(&mut self, event: ConverseStreamOutput) -> Result<(), Unusable> {
        match event {
            ConverseStreamOutput::ContentBlockStart(event) => {
                if let Some(ContentBlockStart::ToolUse(start)) = event.start {
                    let call = Block::Call {
                        id: start.tool_use_id,
                        name: start.name,
                        arguments: String::new(),
                    };
                    self.begin(event.content_block_index, call)?;
                }
            }
            ConverseStreamOutput::ContentBlockDelta(event) => {
                if let Some(piece) = event.delta {
                    self.piece(event.content_block_index, piece)?;
                }
            }
            ConverseStreamOutput::MessageStop(event) => self.stop = Some(event.stop_reason),
            ConverseStreamOutput::Metadata(event) => self.usage = event.usage,
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, index: i32, block: Block) -> Result<&mut Block, Unusable> {
        if self.blocks.len() == MAX_BLOCKS {
            return Err(Unusable("too many blocks"));
        }
        self.blocks.push((index, block));
        let last = self.blocks.len() - 1;
        Ok(&mut self.blocks[last].1)
    }

    /// Blocks of text and reasoning begin with their first piece.
    fn piece(&mut self, index: i32, piece: Delta) -> Result<(), Unusable> {
        let begun = self.blocks.iter().rposition(|(at, _)| *at == index);
        let block = match (begun, &piece) {
            (Some(at), _) => &mut self.blocks[at].1,
            (None, Delta::Text(_)) => self.begin(index, Block::Text(String::new()))?,
            (None, Delta::ReasoningContent(Reasoning::RedactedContent(_))) => {
                self.begin(index, Block::Redacted(Vec::new()))?
            }
            (None, Delta::ReasoningContent(_)) => {
                let (text, signature) = (String::new(), None);
                self.begin(index, Block::Reasoning { text, signature })?
            }
            (None, _) => return Ok(()),
        };
        let size = add(block, piece);
        self.bytes += size;
        if self.bytes > MAX_BYTES {
            return Err(Unusable("the answer is too large"));
        }
        Ok(())
    }

    /// The text so far, without reasoning.
    pub(super) fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|(_, block)| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    pub(super) fn is_finished(&self) -> bool {
        self.stop.is_some()
    }

    pub(super) fn said(self) -> Said {
        let mut said = Said::default();
        for (_, block) in self.blocks {
            match block {
                Block::Text(text) => said.says(&text),
                Block::Call {
                    id,
                    name,
                    arguments,
                } => said.calls(id, name, arguments),
                Block::Reasoning { text, signature } => said.reasons(reasoning(&text, signature)),
                Block::Redacted(bytes) => {
                    said.reasons(json!({"redactedContent": base64::encode(bytes)}));
                }
            }
        }
        said.cut = match self.stop {
            Some(StopReason::MaxTokens | StopReason::ModelContextWindowExceeded) => {
                Some(Finish::Length)
            }
            Some(StopReason::ContentFiltered | StopReason::GuardrailIntervened) => {
                Some(Finish::Filtered)
            }
            Some(StopReason::MalformedModelOutput | StopReason::MalformedToolUse) => {
                said.unusable = Some("the model wrote what its provider couldn't read");
                None
            }
            Some(other) if other.as_str() == "refusal" => Some(Finish::Filtered),
            _ => None,
        };
        said.usage = self.usage.as_ref().map(counted);
        said
    }
}

fn reasoning(text: &str, signature: Option<String>) -> Value {
    let mut whole = json!({"text": text});
    if let Some(signature) = signature {
        whole["signature"] = signature.into();
    }
    json!({ "reasoningText": whole })
}

/// Adds a piece to its block; how many bytes it was.
fn add(block: &mut Block, piece: Delta) -> usize {
    match (block, piece) {
        (Block::Text(text), Delta::Text(more))
        | (Block::Reasoning { text, .. }, Delta::ReasoningContent(Reasoning::Text(more))) => {
            text.push_str(&more);
            more.len()
        }
        (Block::Call { arguments, .. }, Delta::ToolUse(more)) => {
            arguments.push_str(&more.input);
            more.input.len()
        }
        (
            Block::Reasoning { signature, .. },
            Delta::ReasoningContent(Reasoning::Signature(more)),
        ) => {
            signature.get_or_insert_default().push_str(&more);
            more.len()
        }
        (Block::Redacted(bytes), Delta::ReasoningContent(Reasoning::RedactedContent(more))) => {
            bytes.extend_from_slice(more.as_ref());
            more.as_ref().len()
        }
        _ => 0,
    }
}

/// Here the cached tokens aren't among those that were read.
fn counted(usage: &TokenUsage) -> Usage {
    let count = |tokens: i32| u64::try_from(tokens).unwrap_or_default();
    let read = count(usage.cache_read_input_tokens.unwrap_or_default());
    let written = count(usage.cache_write_input_tokens.unwrap_or_default());
    Usage {
        input_tokens: count(usage.input_tokens) + read + written,
        cached_tokens: read,
        cache_write_tokens: written,
        output_tokens: count(usage.output_tokens),
        cost_micros: None,
    }
}
