//! Variants of a request. An endpoint's is a guess at first, and changes with its refusals.

use alfred_core::ports::{Output, TurnRequest};

use super::connection::Refusal;
use super::provider::Endpoint;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) json: JsonMode,
    pub(super) stream: bool,
    /// Whether encrypted reasoning is requested, to be sent back (Responses).
    pub(super) reasoning: bool,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub(super) completion_cap: bool,
    pub(super) stream_options: bool,
    /// Whether call ids must be nine letters and digits (Mistral).
    pub(super) short_ids: bool,
    pub(super) echoes: Echoes,
}

/// Ways to request JSON, strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonMode {
    /// The schema is a field of the request.
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

impl Variant {
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let openai = [".openai.com/", ".openai.azure.com/"];
        Self {
            json: JsonMode::Schema,
            stream: true,
            reasoning: true,
            completion_cap: openai.iter().any(|host| endpoint.base_url.contains(host)),
            stream_options: true,
            short_ids: false,
            echoes: Echoes::Given,
        }
    }

    /// The variant that requests JSON less strictly, if the refusal may be about that.
    pub(super) fn with_weaker_json(
        self,
        modes: &[JsonMode],
        refusal: &Refusal,
        request: &TurnRequest,
    ) -> Option<Self> {
        let asks_json = matches!(request.output, Output::Json { .. });
        if !asks_json || !refusal.may_be_about_the_shape() {
            return None;
        }
        let stricter = modes.iter().position(|mode| *mode == self.json)?;
        let mut weaker = modes.iter().skip(stricter + 1);
        // A server error may be an outage, so it gets one more try and not two.
        let json = if refusal.status.is_server_error() {
            weaker.last()
        } else {
            weaker.next()
        };
        Some(Self {
            json: *json?,
            ..self
        })
    }
}
