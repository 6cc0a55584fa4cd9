//! What an answer says, or what its absence does.

use alfred_core::ports::ChatError;
use reqwest::StatusCode;
use serde_json::{Map, Value};
use std::time::Duration;

/// What a status alone says, whatever came with it.
pub(super) fn failed_by_status(
    method: &'static str,
    status: StatusCode,
    retry_after: Duration,
) -> Result<(), ChatError> {
    if status == StatusCode::TOO_MANY_REQUESTS {
        return Err(ChatError::RateLimited { retry_after });
    }
    if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT {
        return Err(ChatError::Unknown {
            detail: format!("{method}: HTTP {}", status.as_u16()),
        });
    }
    Ok(())
}

pub(super) fn refused_by_status(method: &'static str, status: StatusCode) -> ChatError {
    ChatError::Refused {
        method,
        code: format!("http_{}", status.as_u16()),
    }
}

/// Only a connection that never stood is certain to have carried nothing.
pub(super) fn lost(error: reqwest::Error) -> ChatError {
    let never_left = error.is_connect() || error.is_builder();
    let detail = describe(&error.without_url());
    match never_left {
        true => ChatError::NotSent { detail },
        false => ChatError::Unknown { detail },
    }
}

/// An error with its causes; reqwest's own text names none.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// An answer with `ok: true`.
pub(super) struct Reply {
    pub method: &'static str,
    pub body: Map<String, Value>,
}

impl Reply {
    pub fn checked(self, retry_after: Duration) -> Result<Self, ChatError> {
        let method = self.method;
        match (self.body.get("ok"), self.body.get("error")) {
            (Some(Value::Bool(true)), _) => Ok(self),
            (Some(Value::Bool(false)), Some(Value::String(code))) => Err(match code.as_str() {
                "ratelimited" | "rate_limited" => ChatError::RateLimited { retry_after },
                // Slack's own words for these two: some aspect of the operation may have succeeded.
                "internal_error" | "fatal_error" | "service_unavailable" => ChatError::Unknown {
                    detail: format!("{method}: {code}"),
                },
                code => ChatError::Refused {
                    method,
                    code: code.to_owned(),
                },
            }),
            _ => Err(ChatError::Unknown {
                detail: format!("{method}: an answer without ok"),
            }),
        }
    }

    /// The answer's fields that matter.
    pub fn parse<T: serde::de::DeserializeOwned>(self) -> Result<T, ChatError> {
        serde_json::from_value(Value::Object(self.body)).map_err(|error| ChatError::Unknown {
            detail: format!("{}: unexpected answer: {error}", self.method),
        })
    }
}
