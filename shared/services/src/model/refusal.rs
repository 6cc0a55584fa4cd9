//! What an answer other than 200 means.

use alfred_core::ports::ModelError;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use std::time::Duration;

/// What to do about an attempt that gave no turn.
#[derive(Debug)]
pub(super) enum Fault {
    /// Try the same endpoint again, not before `after` if it said so.
    Again {
        error: ModelError,
        after: Option<Duration>,
    },
    /// This endpoint won't answer; another one may.
    Next(ModelError),
    /// No endpoint will take this request.
    Stop(ModelError),
}

impl Fault {
    pub(super) fn again(error: ModelError) -> Self {
        Self::Again { error, after: None }
    }
}

/// An error body, as far as it is used. Its message may repeat the prompt or
/// the key, so it is only searched, never kept.
#[derive(Debug, Default)]
pub(super) struct ErrorBody {
    code: String,
    kind: String,
    param: String,
    message: String,
    /// Google says in the body when to come back.
    retry_delay: Option<Duration>,
}

impl ErrorBody {
    /// Reads it in each shape there is: within `error`, beside it, as the first of a list, as bare text.
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
        let either = |first: String, or: &str| match first.is_empty() {
            true => text(or),
            false => first,
        };
        let mut message = text("message");
        if message.is_empty() {
            message = error.to_string().to_lowercase();
        }
        let delay = error["details"].as_array().into_iter().flatten();
        let delay = delay.filter_map(|it| it["retryDelay"].as_str()).next();
        let seconds = delay.and_then(|it| it.strip_suffix('s')?.parse().ok());
        Self {
            code: text("code"),
            kind: either(text("type"), "status"),
            param: text("param"),
            message,
            retry_delay: seconds.and_then(|it| Duration::try_from_secs_f64(it).ok()),
        }
    }

    /// Whether it is about this field of the request, or says these words.
    pub(super) fn is_about(&self, words: &str) -> bool {
        self.param.starts_with(words) || self.message.contains(words)
    }

    fn says_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|words| self.message.contains(words))
    }

    /// The status a gateway passes on inside a 200.
    pub(super) fn status(&self) -> Option<StatusCode> {
        StatusCode::from_bytes(self.code.as_bytes())
            .ok()
            .filter(|status| status.is_client_error() || status.is_server_error())
    }

    /// The conversation is too long; a second endpoint of the list would be asked the same.
    pub(super) fn is_context_length(&self) -> bool {
        self.code.contains("context_length")
            || self.says_one_of(&[
                "context length",
                "context window",
                "context size",
                "context limit",
                "maximum number of tokens",
                "reduce the length",
                "input is too long",
                "too many tokens",
                "prompt is too long",
                // More than a minute's tokens in one request: no waiting helps.
                "request too large",
            ])
    }

    /// The provider withheld the answer for what was asked.
    pub(super) fn is_filtered(&self, status: StatusCode) -> bool {
        self.code.contains("content_filter")
            || self.code.contains("content_policy")
            || (status == StatusCode::FORBIDDEN && self.message.contains("flagged"))
    }

    fn is_about_the_key(&self) -> bool {
        self.says_one_of(&["api key", "api_key", "apikey"])
    }

    /// No other way of saying it helps.
    pub(super) fn is_about_the_account(&self, status: StatusCode) -> bool {
        self.is_about_the_key() || self.is_out_of_credit(status.as_u16())
    }

    /// The model wrote a call that its server couldn't read: it may write another.
    fn is_failed_generation(&self) -> bool {
        ["tool_use_failed", "json_validate_failed"].contains(&self.code.as_str())
    }

    fn is_unknown_model(&self) -> bool {
        self.code.contains("model_not_found")
            || (self.message.contains("model")
                && self.says_one_of(&[
                    "not found",
                    "does not exist",
                    "not a valid model",
                    "unknown model",
                ]))
    }

    fn takes_no_tools(&self) -> bool {
        self.says_one_of(&[
            "not support tools",
            "tool choice requires",
            "support tool use",
            "not support function",
        ])
    }

    /// A 429 of words alone is a limit that passes: "check your billing" stands in those too.
    fn is_out_of_credit(&self, status: u16) -> bool {
        // As phrases: a message may quote the request.
        let money = [
            "credit balance",
            "insufficient balance",
            "insufficient credit",
            "any credits",
            "billing",
        ];
        match status {
            402 => true,
            400 | 403 => self.says_one_of(&money),
            429 => [&self.code, &self.kind].iter().any(|code| {
                code.contains("insufficient_quota") || code.contains("insufficient_balance")
            }),
            _ => false,
        }
    }

    /// For the log: status and the provider's codes, cut to what a code looks like.
    pub(super) fn detail(&self, status: StatusCode) -> String {
        let codes: Vec<&str> = [&self.code, &self.kind, &self.param]
            .into_iter()
            .map(String::as_str)
            .filter(|code| {
                (1..=64).contains(&code.len())
                    && code
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || b"_-.[]".contains(&b))
            })
            .collect();
        if codes.is_empty() {
            format!("status {}", status.as_u16())
        } else {
            format!("status {} ({})", status.as_u16(), codes.join(", "))
        }
    }
}

/// Sorts an error status.
pub(super) fn fault(
    status: StatusCode,
    body: &ErrorBody,
    after: Option<Duration>,
    endpoint: &str,
) -> Fault {
    let detail = format!("{endpoint}: {}", body.detail(status));
    let refused = |why: &str| {
        Fault::Next(ModelError::Refused {
            detail: format!("{detail}: {why}"),
        })
    };
    let code = status.as_u16();
    if code == 413 || body.is_context_length() {
        return Fault::Stop(ModelError::TooLong { detail });
    }
    if body.is_failed_generation() {
        return Fault::again(ModelError::Unusable { detail });
    }
    if body.is_out_of_credit(code) {
        return refused("the account has no credit left");
    }
    let after = after.or(body.retry_delay);
    match code {
        429 => Fault::Again {
            error: ModelError::RateLimited {
                retry_after: after,
                detail,
            },
            after,
        },
        408 | 409 | 425 | 500..=599 => Fault::Again {
            error: ModelError::Unavailable { detail },
            after,
        },
        401 | 403 => refused("check the provider's key"),
        400 if body.is_about_the_key() => refused("check the provider's key"),
        400 | 404 | 422 if body.takes_no_tools() => {
            refused("the model takes no tools: choose another")
        }
        404 => refused("check the model's name and the URL"),
        300..=399 => refused("the URL points elsewhere"),
        400 | 422 if body.is_unknown_model() => refused("check the model's name"),
        _ => Fault::Stop(ModelError::Refused { detail }),
    }
}

/// `Retry-After` in seconds or as an HTTP date (RFC 9110, 10.2.3), or `retry-after-ms`.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(millis) = text("retry-after-ms").and_then(|value| value.trim().parse::<f64>().ok())
    {
        return Duration::try_from_secs_f64(millis / 1e3).ok();
    }
    let value = text(RETRY_AFTER.as_str())?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now: Timestamp = "2026-11-21T09:00:00Z".parse().unwrap();
        let read = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers, now)
        };
        let seconds = |n| Some(Duration::from_secs(n));
        assert_eq!(read("retry-after", "7"), seconds(7));
        assert_eq!(
            read("retry-after", "1.5"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            read("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            read("retry-after", "Sat, 21 Nov 2026 09:00:12 GMT"),
            seconds(12)
        );
        assert_eq!(
            read("retry-after", "Sat, 21 Nov 2026 08:00:00 GMT"),
            seconds(0)
        );
        assert_eq!(read("retry-after", "soon"), None);
        assert_eq!(read("retry-after", "-3"), None);
    }

    #[test]
    fn the_message_of_a_provider_is_never_repeated() {
        let body = ErrorBody::parse(
            json!({
                "message": "Incorrect API key provided: sk-abc. You wrote: hello",
                "type": "invalid_request_error", "code": "invalid_api_key"
            })
            .to_string()
            .as_bytes(),
        );
        let Fault::Next(error) = fault(StatusCode::UNAUTHORIZED, &body, None, "openai:x") else {
            panic!("not for the next");
        };
        let text = error.to_string();
        assert!(
            !text.contains("sk-abc") && !text.contains("hello"),
            "{text}"
        );
        assert!(
            text.contains("invalid_api_key") && text.contains("401"),
            "{text}"
        );
    }
}
