//! Error bodies of all providers.

use alfred_core::model::is_about_length;
use reqwest::StatusCode;
use serde_json::Value;
use std::time::Duration;

/// The used parts of an error body. The message may repeat the prompt or the key, so it is searched but never stored.
#[derive(Debug, Default)]
pub(super) struct ErrorBody {
    code: String,
    kind: String,
    param: String,
    message: String,
    /// Google's reason, which is more precise than its status.
    reason: String,
    /// Google's retry delay, which is in the body.
    pub(super) retry_delay: Option<Duration>,
}

impl ErrorBody {
    /// Accepts every known shape: within `error`, at the top level, as the first of a list, as plain text.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
            return Self {
                message: String::from_utf8_lossy(bytes).to_lowercase(),
                ..Self::default()
            };
        };
        let body = body.get(0).unwrap_or(&body);
        let error = body.get("error").filter(|error| !error.is_null());
        Self::from_value(error.unwrap_or(body))
    }

    fn from_value(error: &Value) -> Self {
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => text.to_lowercase(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let mut message = text("message");
        if message.is_empty() {
            message = error.to_string().to_lowercase();
        }
        let detail = |name: &str| {
            let details = error["details"].as_array()?;
            details.iter().find_map(|it| it[name].as_str())
        };
        let mut kind = text("type");
        if kind.is_empty() {
            kind = text("status");
        }
        let seconds = detail("retryDelay").and_then(|it| it.strip_suffix('s')?.parse().ok());
        Self {
            code: text("code"),
            kind,
            param: text("param"),
            message,
            reason: detail("reason").unwrap_or_default().to_lowercase(),
            retry_delay: seconds.and_then(|it| Duration::try_from_secs_f64(it).ok()),
        }
    }

    /// Whether the error names this request field or contains these words.
    pub(super) fn is_about(&self, words: &str) -> bool {
        self.param.starts_with(words) || self.message.contains(words)
    }

    /// Only the start of a message is the provider's for certain: later parts may quote the prompt.
    fn starts_with_one_of(&self, words: &[&str]) -> bool {
        let message = self.message.trim_start_matches('"');
        words.iter().any(|words| message.starts_with(words))
    }

    fn has_code(&self, codes: &[&str]) -> bool {
        let names = [&self.code, &self.kind, &self.reason];
        let is_one = |name: &&String| codes.iter().any(|code| name.contains(code));
        names.iter().any(is_one)
    }

    /// The status for an error that was sent inside a 200.
    pub(super) fn status(&self) -> Option<StatusCode> {
        let passed_on = StatusCode::from_bytes(self.code.as_bytes()).ok();
        let known = || named(&self.code).or_else(|| named(&self.kind));
        let status = passed_on.or_else(known);
        status.filter(|status| status.is_client_error() || status.is_server_error())
    }

    /// The conversation is too long. Another endpoint would get the same conversation.
    pub(super) fn is_context_length(&self) -> bool {
        self.code.contains("context_length") || is_about_length(&self.message)
    }

    /// The provider withheld the answer because of the request.
    pub(super) fn is_filtered(&self, status: StatusCode) -> bool {
        let codes = ["content_filter", "content_policy", "invalid_prompt"];
        codes.iter().any(|code| self.code.contains(code))
            || (status == StatusCode::FORBIDDEN && self.message.contains("flagged"))
    }

    pub(super) fn is_about_the_key(&self) -> bool {
        self.has_code(&["invalid_api_key", "api_key_invalid", "authentication_error"])
            || self.starts_with_one_of(&["incorrect api key", "invalid api key", "no api key"])
    }

    /// The server couldn't parse the model's call. Another attempt may work.
    pub(super) fn is_failed_generation(&self) -> bool {
        ["tool_use_failed", "json_validate_failed"].contains(&self.code.as_str())
    }

    pub(super) fn is_unknown_model(&self) -> bool {
        let message = self.message.trim_end_matches(['.', '"']);
        let ends = |words: &[&str]| words.iter().any(|words| message.ends_with(words));
        self.has_code(&["model_not_found"])
            || self.starts_with_one_of(&["unknown model", "invalid model"])
            || (self.starts_with_one_of(&["model ", "the model "])
                && ends(&["not found", "does not exist"]))
            || ends(&["is not a valid model id"])
    }

    pub(super) fn takes_no_tools(&self) -> bool {
        let words = [
            "not support tools",
            "tool choice requires",
            "support tool use",
            "not support function",
        ];
        words.iter().any(|words| self.message.contains(words))
    }

    pub(super) fn is_out_of_credit(&self, status: u16) -> bool {
        let codes = [
            "billing",
            "insufficient_quota",
            "insufficient_balance",
            "insufficient_credit",
        ];
        match status {
            402 => true,
            400 | 403 | 429 if self.has_code(&codes) => true,
            // Anthropic and xAI have no code for it.
            400 | 403 => self.starts_with_one_of(&[
                "your credit balance",
                "insufficient balance",
                "insufficient credit",
                "your newly created team doesn't have any credits",
            ]),
            _ => false,
        }
    }

    /// For the log: the status and the provider's codes, limited to what looks like a code.
    pub(super) fn detail(&self, status: StatusCode) -> String {
        let is_code = |text: &&str| {
            let mut bytes = text.bytes();
            (1..=64).contains(&text.len())
                && bytes.all(|b| b.is_ascii_alphanumeric() || b"_-.[]".contains(&b))
        };
        let codes = [&*self.code, &self.kind, &self.param].into_iter();
        let codes: Vec<&str> = codes.filter(is_code).collect();
        if codes.is_empty() {
            format!("status {}", status.as_u16())
        } else {
            format!("status {} ({})", status.as_u16(), codes.join(", "))
        }
    }
}

/// Statuses for errors in the middle of a stream, by Anthropic and OpenAI
/// (<https://platform.claude.com/docs/en/api/errors>).
fn named(kind: &str) -> Option<StatusCode> {
    let code = match kind {
        "rate_limit_error" | "rate_limit_exceeded" => 429,
        "overloaded_error" | "api_error" | "server_error" => 503,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        _ => return None,
    };
    StatusCode::from_u16(code).ok()
}
