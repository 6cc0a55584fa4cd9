//! How an endpoint wants things said, which it tells by what it refuses.

use alfred_core::ports::{Output, TurnRequest};
use reqwest::StatusCode;

use super::super::error_body::ErrorBody;

/// It starts as a guess and follows what the endpoint refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// `max_completion_tokens` instead of `max_tokens`.
    pub(super) completion_cap: bool,
    /// Whether answers are asked for in pieces.
    pub(super) stream: bool,
    /// Whether it takes `stream_options`.
    pub(super) stream_options: bool,
    /// How it is asked for JSON.
    pub(super) json: JsonMode,
    /// Whether ids of calls are nine letters and digits (Mistral), whoever gave them.
    pub(super) short_ids: bool,
    /// What goes back beside calls.
    pub(super) echoes: Echoes,
}

/// How JSON is asked for, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonMode {
    /// `response_format: json_schema`.
    Schema,
    /// `response_format: json_object`, the schema in words.
    Object,
    /// The schema in words alone.
    Words,
}

/// What goes back beside the calls of earlier turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Echoes {
    /// What it gave.
    Given,
    /// For calls that it didn't make also Google's mark for a missing signature
    /// (<https://ai.google.dev/gemini-api/docs/thought-signatures>).
    Signed,
    /// For those also reasoning, which is empty (<https://api-docs.deepseek.com/guides/thinking_mode>).
    Reasoned,
    /// Nothing.
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

    /// Another way to say it, if a refusal is about the way. Each step away from `start` is taken once, so
    /// this ends.
    pub(super) fn after(
        self,
        start: Self,
        status: StatusCode,
        error: &ErrorBody,
        request: &TurnRequest,
    ) -> Option<Self> {
        if !matches!(status.as_u16(), 400 | 422) || error.is_context_length() {
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
        if self.echoes == Echoes::Given
            && let Some(echoes) = echoes(error)
        {
            return Some(Self { echoes, ..self });
        }
        if !matches!(request.output, Output::Json { .. }) || error.is_about_the_account(status) {
            return None;
        }
        let json = match self.json {
            JsonMode::Schema => JsonMode::Object,
            JsonMode::Object => JsonMode::Words,
            JsonMode::Words => return None,
        };
        Some(Self { json, ..self })
    }
}

/// What is missing beside calls, or in the way.
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
