use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Average for English and JSON.
const BYTES_A_TOKEN: usize = 4;
/// Cost of a picture or PDF page with most models.
const FILE_TOKENS: usize = 2_000;
/// Bytes of base64 per token of a PDF, which has about 80 kB per page.
const PDF_BYTES_A_TOKEN: usize = 40;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    System {
        text: Arc<str>,
    },
    /// A message of the person, or a note in their place.
    User {
        text: Arc<str>,
    },
    /// Pictures and PDFs that belong to a message of the person.
    Files {
        /// In the order of the request.
        files: Arc<[InputFile]>,
    },
    Assistant {
        /// May be empty if there are tool calls.
        text: Arc<str>,
        tool_calls: Arc<[ToolCall]>,
    },
    Tool {
        call_id: Arc<str>,
        /// The result as JSON text.
        text: Arc<str>,
    },
}

impl Message {
    pub fn system(text: impl Into<Arc<str>>) -> Self {
        Self::System { text: text.into() }
    }

    /// A message of the person, or a note in their place.
    pub fn user(text: impl Into<Arc<str>>) -> Self {
        Self::User { text: text.into() }
    }
}

/// A picture or PDF for the model.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// The name that people know.
    pub name: String,
    /// Such as `image/png` or `application/pdf`.
    pub media_type: String,
    /// The content in base64, which every model API accepts.
    pub base64: Arc<str>,
}

impl InputFile {
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64)
    }

    /// Estimated tokens: a fixed number for a picture, by length for a PDF.
    fn tokens(&self) -> usize {
        if self.is_image() {
            return FILE_TOKENS;
        }
        FILE_TOKENS.max(self.base64.len() / PDF_BYTES_A_TOKEN)
    }

    pub fn is_image(&self) -> bool {
        self.media_type.starts_with("image/")
    }
}

impl fmt::Debug for InputFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kind, size) = (&self.name, &self.media_type, self.base64.len());
        write!(f, "InputFile({name:?}, {kind}, {size} of base64)")
    }
}

/// A tool as described to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    pub parameters: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Id from the model, unique within the turn.
    pub id: String,
    pub name: String,
    /// The arguments as the model wrote them; possibly invalid JSON.
    pub arguments: String,
    /// Data that the provider needs back with the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub echo: Option<Box<Echo>>,
}

/// Data without which a provider refuses a call's result: the reasoning before the call, or its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Echo {
    /// The model it came from, as `provider:model`. Other models refuse it.
    pub model: String,
    /// Extra fields of the call, unchanged.
    #[serde(default)]
    pub call: Map<String, Value>,
    /// Extra fields of the message; set only for its first call.
    #[serde(default)]
    pub message: Map<String, Value>,
}

/// The form of the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Text,
    /// A JSON object that fits a schema.
    Json {
        name: &'static str,
        schema: Value,
    },
}

/// Receives the text of a turn while the model writes it.
#[derive(Clone, Default)]
pub struct TextSink(Option<Arc<Receive>>);

type Receive = dyn Fn(&str) + Send + Sync;

impl TextSink {
    pub fn new(receive: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    /// Hands over the whole text so far. After a failed attempt it begins anew. `text` is only called if somebody
    /// receives it.
    pub fn write(&self, text: impl FnOnce() -> String) {
        if let Some(receive) = &self.0 {
            receive(&text());
        }
    }
}

impl fmt::Debug for TextSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextSink({})", self.0.is_some())
    }
}

#[derive(Clone, Debug)]
pub struct TurnRequest {
    pub messages: Vec<Message>,
    pub tools: Arc<[ToolSpec]>,
    pub output: Output,
    pub max_output_tokens: u32,
    /// Time for the whole turn, including retries and fallbacks.
    pub timeout: Duration,
    /// Where the text goes while it is written.
    pub sink: TextSink,
}

impl TurnRequest {
    /// Asks for a text, without tools.
    pub fn new(messages: Vec<Message>, max_output_tokens: u32, timeout: Duration) -> Self {
        Self {
            messages,
            tools: [].into(),
            output: Output::Text,
            max_output_tokens,
            timeout,
            sink: TextSink::default(),
        }
    }

    /// The bytes of a request body without the base64 of its files.
    pub fn words(&self, body: usize) -> usize {
        let files = self.files().map(|file| file.base64.len());
        body.saturating_sub(files.sum())
    }

    /// The estimated size of a request body in bytes of text, counting its files by their token cost.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Stop,
    ToolCalls,
    /// It reached the output limit, so the text is cut off.
    Length,
    /// The provider withheld the answer.
    Filtered,
}

/// Model usage of one or more turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Input tokens read from the provider's cache.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Input tokens written to the provider's cache. Only from providers that charge more for them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    pub output_tokens: u64,
    /// Millionths of a US dollar. `None` if the model's price is unknown.
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
    /// An estimate with 4 bytes per token and unknown cost, so that token budgets hold if the
    /// provider reports no usage. `sent_bytes` is [`TurnRequest::weight`].
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

    /// The sum. If only one cost is known, the sum's cost is a lower bound.
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// May be empty if there are tool calls.
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub finish: Finish,
    /// Whether the model declined the request; the text says why.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    pub usage: Usage,
    /// The model that answered, as `provider:model`.
    pub model: String,
}

/// Why a turn failed, after the adapter's retries and fallbacks.
#[derive(Debug, Error)]
pub enum ModelError {
    #[error("model timed out: {detail}")]
    Timeout { detail: String },
    #[error("model rate limited: {detail}")]
    RateLimited {
        /// When to retry, if the provider says so.
        retry_after: Option<Duration>,
        detail: String,
    },
    /// The provider is down or unreachable.
    #[error("model unavailable: {detail}")]
    Unavailable { detail: String },
    /// The conversation exceeds the model's context.
    #[error("the conversation is longer than the model takes: {detail}")]
    TooLong { detail: String },
    /// The provider refuses the request: key, credit, model name.
    #[error("model refused the request: {detail}")]
    Refused { detail: String },
    /// The model's key is missing, or its settings can't be used.
    #[error("model not configured: {detail}")]
    NotConfigured { detail: String },
    /// The answer can't be used: no choices, invalid JSON.
    #[error("model gave an unusable answer: {detail}")]
    Unusable { detail: String },
}

/// A language model, or several with fallback.
#[async_trait]
pub trait Model: Send + Sync {
    /// Takes a turn. Adds to `wasted` what attempts cost that gave no turn, also if all fail or the
    /// future is dropped.
    async fn turn(&self, request: &TurnRequest, wasted: &mut Usage) -> Result<Turn, ModelError>;

    /// Name for logs, as `provider:model`.
    fn name(&self) -> String;

    /// Maximum cost of this usage in millionths of a US dollar, over all fallback models. `None` if
    /// a price is unknown.
    fn costs_at_most(&self, _: &Usage) -> Option<u64> {
        None
    }

    /// Another model by name (`provider:model`), with the same settings. Connects at the first
    /// turn, which fails for an unknown name. `None` if no other model is available.
    fn named(&self, _: &str) -> Option<Arc<dyn Model>> {
        None
    }
}

/// Models hosted by the platform, such as Bedrock on AWS.
pub trait ModelHost: Send + Sync {
    /// A model by its id. It makes one attempt per turn. Creating it does nothing, so that unused
    /// fallback models don't slow the start.
    fn model(&self, id: &str) -> Arc<dyn Model>;
}
