//! Request variants of an endpoint, learned from its refusals.

use alfred_core::ports::{Output, TurnRequest};

use super::super::connection::Refusal;
use super::super::error_body::ErrorBody;

/// Starts as a guess and adapts to refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// `max_completion_tokens` instead of `max_tokens`.
    pub(super) completion_cap: bool,
    /// Whether to stream.
    pub(super) stream: bool,
    /// Whether the endpoint accepts `stream_options`.
    pub(super) stream_options: bool,
    pub(super) json: JsonMode,
    /// Whether call ids must be nine letters and digits (Mistral).
    pub(super) short_ids: bool,
    pub(super) echoes: Echoes,
}

/// Ways to request JSON, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonMode {
    /// `response_format: json_schema`.
    Schema,
    /// `response_format: json_object`, with the schema in the prompt.
    Object,
    /// Only the schema in the prompt.
    Words,
}

/// Fields sent back with the calls of earlier turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echoes {
    /// The fields that the endpoint sent.
    Given,
    /// Also Google's placeholder signature for calls of other models
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
    Signed,
    /// Also empty reasoning for calls of other models (<https://api-docs.deepseek.com/guides/thinking_mode>).
    Reasoned,
    Never,
}

impl Dialect {
    pub(super) fn of(base_url: &str, stream: bool) -> Self {
        let openai = [".openai.com/", ".openai.azure.com/"];
        Self {
            completion_cap: openai.iter().any(|host| base_url.contains(host)),
            stream,
            stream_options: true,
            json: JsonMode::Schema,
            short_ids: false,
            echoes: Echoes::Given,
        }
    }

    /// The next variant, if the refusal is about the variant. Each step away from `start` is taken once, so
    /// this ends.
    pub(super) fn after(
        self,
        start: Self,
        refusal: &Refusal,
        request: &TurnRequest,
    ) -> Option<Self> {
        if let Some(other) = self.with_other_fields(start, refusal) {
            return Some(other);
        }
        let asks_json = matches!(request.output, Output::Json { .. });
        if !asks_json || !refusal.may_be_about_the_shape() {
            return None;
        }
        let json = match self.json {
            // A server error may be an outage, so it gets one more try and not two.
            JsonMode::Schema if !refusal.status.is_server_error() => JsonMode::Object,
            JsonMode::Schema | JsonMode::Object => JsonMode::Words,
            JsonMode::Words => return None,
        };
        Some(Self { json, ..self })
    }

    /// The variant without the field that the refusal is about.
    fn with_other_fields(self, start: Self, refusal: &Refusal) -> Option<Self> {
        let error = &refusal.body;
        if !matches!(refusal.status.as_u16(), 400 | 422) || error.is_context_length() {
            return None;
        }
        let cap = match self.completion_cap {
            true => "max_completion_tokens",
            false => "max_tokens",
        };
        let completion_cap = !self.completion_cap;
        if self.completion_cap == start.completion_cap && error.is_about(cap) {
            return Some(Self {
                completion_cap,
                ..self
            });
        }
        if self.stream_options && error.is_about("stream_options") {
            return Some(Self {
                stream_options: false,
                ..self
            });
        }
        if !self.short_ids && error.is_about("tool call id") {
            return Some(Self {
                short_ids: true,
                ..self
            });
        }
        if self.echoes != Echoes::Given {
            return None;
        }
        let echoes = echoes(error)?;
        Some(Self { echoes, ..self })
    }
}

/// The change that a refusal about missing or unwanted fields calls for.
fn echoes(error: &ErrorBody) -> Option<Echoes> {
    let fields = ["extra_content", "reasoning_content", "reasoning_details"];
    if error.is_about("thought_signature") {
        return Some(Echoes::Signed);
    }
    let about = fields.iter().any(|field| error.is_about(field));
    about.then(
        || match error.is_about("missing") || error.is_about("passed back") {
            true => Echoes::Reasoned,
            false => Echoes::Never,
        },
    )
}
