//! Errors of Google's APIs with the `errors[]` of Gmail and Calendar
//! (<https://developers.google.com/workspace/gmail/api/guides/handle-errors>).

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    code: u16,
    /// The `errors[].reason`.
    reason: &'static str,
    message: String,
    /// Seconds.
    retry_after: Option<u64>,
}

impl ApiError {
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            retry_after: None,
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalidArgument", message)
    }

    pub fn not_found() -> Self {
        Self::new(404, "notFound", "Requested entity was not found.")
    }

    pub fn unauthenticated() -> Self {
        let message = "Request had invalid authentication credentials.";
        Self::new(401, "authError", message)
    }

    pub fn insufficient_scopes() -> Self {
        let message = "Request had insufficient authentication scopes.";
        Self::new(403, "insufficientPermissions", message)
    }

    /// Puts a place before the message.
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    pub fn retry_after(mut self, seconds: Option<u64>) -> Self {
        self.retry_after = seconds;
        self
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self { code, reason, .. } = self;
        let message = &self.message;
        let error = json!({
            "code": code,
            "message": message,
            "errors": [{"message": message, "domain": "global", "reason": reason}],
        });
        let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let after = self.retry_after;
        let after = after.map(|seconds| [(header::RETRY_AFTER, seconds.to_string())]);
        (status, after, Json(json!({"error": error}))).into_response()
    }
}
