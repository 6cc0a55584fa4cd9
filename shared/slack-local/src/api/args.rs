//! A call's arguments, from a GET's query, a form or JSON.

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use serde_json::{Map, Value};

use super::ApiError;
use crate::ts;

/// Slack ignores a JSON body of these.
const FORM_ONLY: [&str; 6] = [
    "files.info",
    "conversations.history",
    "conversations.replies",
    "conversations.list",
    "users.conversations",
    "users.info",
];

/// Whether a GET calls it, with its arguments in the query.
pub(super) fn is_read(method: &str) -> bool {
    FORM_ONLY.contains(&method) || ["auth.test", "files.getUploadURLExternal"].contains(&method)
}

fn pairs(encoded: &[u8]) -> Result<Map<String, Value>, ApiError> {
    serde_urlencoded::from_bytes(encoded).map_err(|_| "invalid_form_data".into())
}

pub(crate) struct Args(Map<String, Value>);

impl Args {
    pub fn read(name: &str, query: &str, head: &HeaderMap, body: &Bytes) -> Result<Self, ApiError> {
        let mut args = pairs(query.as_bytes())?;
        let kind = head.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|it| it.to_str().ok()).unwrap_or_default();
        match kind.split(';').next().unwrap_or_default().trim() {
            _ if body.is_empty() => {}
            "application/x-www-form-urlencoded" => args.extend(pairs(body)?),
            "application/json" if FORM_ONLY.contains(&name) => {}
            "application/json" => match serde_json::from_slice(body) {
                Ok(Value::Object(object)) => args.extend(object),
                Ok(_) => return Err("json_not_object".into()),
                Err(_) => return Err("invalid_json".into()),
            },
            _ => return Err("invalid_post_type".into()),
        }
        Ok(Self(args))
    }

    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    pub fn text(&self, name: &str) -> Result<Option<&str>, ApiError> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(ApiError::invalid(format!(
                "[ERROR] must be a string: {name}"
            ))),
        }
    }

    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        self.text(name)?
            .ok_or_else(|| ApiError::invalid(format!("[ERROR] missing required field: {name}")))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    pub fn flag(&self, name: &str) -> bool {
        match self.0.get(name) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => matches!(text.as_str(), "1" | "true"),
            _ => false,
        }
    }

    /// An object or list, in JSON or as a string of JSON.
    pub fn json(&self, name: &str, error: &'static str) -> Result<Option<Value>, ApiError> {
        match self.0.get(name) {
            Some(value) if !value.is_null() && !value.is_string() => Ok(Some(value.clone())),
            _ => {
                let read = |text| serde_json::from_str(text).map_err(|_| error.into());
                self.text(name)?.map(read).transpose()
            }
        }
    }

    pub fn number(&self, name: &str) -> Result<u64, ApiError> {
        let number = match self.0.get(name) {
            Some(Value::Number(number)) => number.as_u64(),
            Some(Value::String(text)) => text.parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| ApiError::invalid(format!("[ERROR] must be an integer: {name}")))
    }

    pub fn limit(&self, default: usize, most: usize) -> Result<usize, ApiError> {
        if !self.has("limit") {
            return Ok(default);
        }
        match self.number("limit").map(usize::try_from) {
            Ok(Ok(limit)) if (1..=most).contains(&limit) => Ok(limit),
            _ => Err("invalid_limit".into()),
        }
    }

    pub fn ts(&self, name: &str, error: &'static str) -> Result<Option<String>, ApiError> {
        let read = |text| ts::normalise(text).ok_or_else(|| error.into());
        self.text(name)?.map(read).transpose()
    }
}
