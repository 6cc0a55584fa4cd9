//! Errors as Graph answers them (<https://learn.microsoft.com/graph/errors>).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Why a call was refused.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub status: u16,
    code: &'static str,
    message: String,
    /// Seconds, in a `Retry-After`.
    pub retry_after: Option<u64>,
}

impl ApiError {
    pub fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            retry_after: None,
        }
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    pub fn not_found() -> Self {
        Self::new(
            404,
            "ErrorItemNotFound",
            "The specified object was not found in the store.",
        )
    }

    pub fn no_mailbox() -> Self {
        Self::new(404, "MailboxNotEnabledForRESTAPI", "There is no mailbox.")
    }

    pub fn throttled(message: &str, retry_after: u64) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..Self::new(429, "ApplicationThrottled", message)
        }
    }

    pub fn retrying(self, retry_after: Option<u64>) -> Self {
        Self {
            retry_after,
            ..self
        }
    }

    pub fn body(&self) -> Value {
        json!({"error": {"code": self.code, "message": self.message}})
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = (status, axum::Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
