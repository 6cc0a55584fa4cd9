//! A language model: one turn at a time.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Of English and JSON.
const BYTES_A_TOKEN: usize = 4;
/// What a picture, or a page of a PDF, costs at most models.
const FILE_TOKENS: usize = 2_000;
/// Of a PDF's base64, about 80 kB a page.
const PDF_BYTES_A_TOKEN: usize = 40;

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Who the model is and what it must keep to.
    System {
        /// The text.
        text: Arc<str>,
    },
    /// What a person said.
    User {
        /// The text.
        text: Arc<str>,
    },
    /// Pictures and PDFs that came with what a person said, for a model to look at.
    Files {
        /// In their order.
        files: Arc<[InputFile]>,
    },
    /// What the model said or asked for.
    Assistant {
        /// Its text, may be empty beside tool calls.
        text: Arc<str>,
        /// The tools it asked for.
        tool_calls: Arc<[ToolCall]>,
    },
    /// What a tool gave back.
    Tool {
        /// The call it answers.
        call_id: Arc<str>,
        /// The result, as JSON text.
        text: Arc<str>,
    },
}

impl Message {
    /// Who the model is and what it must keep to.
    pub fn system(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self::System { text }
    }

    /// What a person said, or what the model is told in their place.
    pub fn user(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self::User { text }
    }
}

/// A picture or a PDF as a model is shown it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// As people call it.
    pub name: String,
    /// `image/png`, `application/pdf`.
    pub media_type: String,
    /// Its content in base64, as every endpoint takes it.
    pub base64: Arc<str>,
}

impl InputFile {
    /// As a `data:` address.
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }

    /// About as many tokens as models count it for: a picture at its usual size, a PDF by its length.
    fn tokens(&self) -> usize {
        match self.is_image() {
            true => FILE_TOKENS,
            false => FILE_TOKENS.max(self.base64.len() / PDF_BYTES_A_TOKEN),
        }
    }

    /// Whether it is a picture.
    pub fn is_image(&self) -> bool {
        self.media_type.starts_with("image/")
    }
}

impl fmt::Debug for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            media_type,
            base64,
        } = self;
        write!(
            f,
            "InputFile({name:?}, {media_type}, {} of base64)",
            base64.len()
        )
    }
}

/// A tool as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON schema of its arguments.
    pub parameters: Value,
}

/// A tool call the model asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The model's id for it, unique within the turn.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as the model wrote them; may not be JSON.
    pub arguments: String,
    /// What its provider wants back with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<Box<Echo>>,
}

/// What a provider refuses a call's result without: its reasoning before the call, or a signature of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    /// Who gave it, `provider:model`; others refuse it.
    pub model: String,
    /// Fields beside the call, as they came.
    #[serde(default)]
    pub call: Map<String, Value>,
    /// Fields of the message, on its first call alone.
    #[serde(default)]
    pub message: Map<String, Value>,
}

/// What shape the answer must have.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Text or tool calls.
    Text,
    /// One JSON object after a schema.
    Json {
        /// A name for the schema.
        name: &'static str,
        /// The schema.
        schema: Value,
    },
}

/// One turn to take.
#[derive(Clone, Debug)]
pub struct TurnRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// The tools it may ask for.
    pub tools: Arc<[ToolSpec]>,
    /// The answer's shape.
    pub output: Output,
    /// The most tokens to write.
    pub max_output_tokens: u32,
    /// Time for everything, retries and fallbacks included.
    pub timeout: Duration,
}

impl TurnRequest {
    /// How much of a body of so many bytes is words: its files aren't read as their base64.
    pub fn words(&self, body: usize) -> usize {
        let files = self.files().map(|file| file.base64.len());
        body.saturating_sub(files.sum())
    }

    /// The bytes of words that would cost about what a body of so many bytes does, its files included.
    pub fn weight(&self, body: usize) -> usize {
        let files = self.files().map(InputFile::tokens);
        self.words(body) + files.sum::<usize>() * BYTES_A_TOKEN
    }

    fn files(&self) -> impl Iterator<Item = &InputFile> {
        self.messages
            .iter()
            .filter_map(|message| match message {
                Message::Files { files } => Some(&**files),
                _ => None,
            })
            .flatten()
    }
}

/// How a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// The model was done.
    Stop,
    /// It wants tools.
    ToolCalls,
    /// It ran into the output limit; the text is cut.
    Length,
    /// The provider withheld the answer.
    Filtered,
}

/// What a turn used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input_tokens: u64,
    /// Of those, read from the provider's cache.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Of those, put into it; told by those who take more for that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Millionths of a US dollar; `None` when the model's price isn't known.
    pub cost_micros: Option<u64>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Usage {
    /// 4 bytes a token at no known cost, so that token budgets still hold where nothing is counted. What was sent is
    /// [`TurnRequest::weight`].
    pub fn estimated(sent_bytes: usize, written_bytes: usize) -> Self {
        Self {
            input_tokens: sent_bytes.div_ceil(BYTES_A_TOKEN) as u64,
            output_tokens: written_bytes.div_ceil(BYTES_A_TOKEN) as u64,
            ..Self::default()
        }
    }

    /// The cost in US dollars, for logs.
    #[allow(
        clippy::cast_precision_loss,
        reason = "a cost of 2^53 micro-dollars isn't met"
    )]
    pub fn cost_dollars(&self) -> Option<f64> {
        self.cost_micros.map(|micros| micros as f64 / 1e6)
    }

    /// Both together. A cost that is known for one of them only is a lower bound.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            cached_tokens: self.cached_tokens + other.cached_tokens,
            cache_write_tokens: self.cache_write_tokens + other.cache_write_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            cost_micros: match (self.cost_micros, other.cost_micros) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            },
        }
    }
}

/// One finished turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// What it said, may be empty beside tool calls.
    pub text: String,
    /// The tools it asked for.
    pub tool_calls: Vec<ToolCall>,
    /// How it ended.
    pub finish: Finish,
    /// Whether it declines the request: the text says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// What it used.
    pub usage: Usage,
    /// Who answered, `provider:model`.
    pub model: String,
}

/// A piece of a turn as it arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// More text.
    Text(String),
    /// A tool call has begun.
    ToolCall(String),
}

/// Why there is no turn, after the adapter's retries and fallbacks.
#[derive(Debug, Error)]
pub enum ModelError {
    /// No answer in time.
    #[error("model timed out: {detail}")]
    Timeout {
        /// For the log.
        detail: String,
    },
    /// Too many requests.
    #[error("model rate limited: {detail}")]
    RateLimited {
        /// When to come back, if the provider said.
        retry_after: Option<Duration>,
        /// For the log.
        detail: String,
    },
    /// The provider is down or out of reach.
    #[error("model unavailable: {detail}")]
    Unavailable {
        /// For the log.
        detail: String,
    },
    /// The conversation is longer than the model takes.
    #[error("the conversation is longer than the model takes: {detail}")]
    TooLong {
        /// For the log.
        detail: String,
    },
    /// The provider won't take this request: key, credit, model name.
    #[error("model refused the request: {detail}")]
    Refused {
        /// For the log.
        detail: String,
    },
    /// The answer can't be used: no choices, broken JSON.
    #[error("model gave an unusable answer: {detail}")]
    Unusable {
        /// For the log.
        detail: String,
    },
}

/// A language model, or an ordered list of them.
#[async_trait]
pub trait Model: Send + Sync {
    /// Takes one turn, handing pieces to `deltas` as they arrive. After a
    /// retry the pieces start anew; only the returned turn counts.
    async fn turn(
        &self,
        request: &TurnRequest,
        deltas: &mut (dyn FnMut(Delta) + Send),
    ) -> Result<Turn, ModelError>;

    /// What answers, for banners and logs: `provider:model`.
    fn name(&self) -> String;

    /// Millionths of a US dollar that so much costs at the most, whichever of its models answers; `None` where a
    /// price isn't known.
    fn costs_at_most(&self, _: &Usage) -> Option<u64> {
        None
    }

    /// Another one by its name, `provider:model`, under the same settings. Nothing is opened before its first turn,
    /// which fails where there is none of this name. `None` where no other one can be asked.
    fn named(&self, _: &str) -> Option<Arc<dyn Model>> {
        None
    }
}

/// Models that the platform hosts on which Alfred runs, such as Bedrock's on AWS.
pub trait ModelHost: Send + Sync {
    /// One of them by its id there: a single attempt each turn. Nothing is sent or set up here, so that a
    /// model behind others costs a start nothing.
    fn model(&self, id: &str) -> Arc<dyn Model>;
}
