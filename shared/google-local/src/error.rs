//! Errors as Google's APIs answer them (<https://cloud.google.com/apis/design/errors>, and the older `errors[]`
//! that Gmail and Calendar carry beside it).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    code: u16,
    /// The `errors[].reason`.
    reason: &'static str,
    message: String,
    /// Seconds, in a `Retry-After`.
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
        Self::new(
            401,
            "authError",
            "Request had invalid authentication credentials.",
        )
    }

    pub fn insufficient_scopes() -> Self {
        Self::new(
            403,
            "insufficientPermissions",
            "Request had insufficient authentication scopes.",
        )
    }

    /// With where it is before its message.
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    pub fn retry_after(mut self, seconds: Option<u64>) -> Self {
        self.retry_after = seconds;
        self
    }

    /// The canonical name of the status.
    fn status(&self) -> &'static str {
        match self.code {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ALREADY_EXISTS",
            412 => "FAILED_PRECONDITION",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            _ => "INTERNAL",
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let domain = match self.reason {
            "rateLimitExceeded"
            | "userRateLimitExceeded"
            | "dailyLimitExceeded"
            | "quotaExceeded" => "usageLimits",
            _ => "global",
        };
        let Self {
            code,
            reason,
            ref message,
            retry_after,
        } = self;
        let mut error = json!({
            "code": code,
            "message": message,
            "errors": [{"message": message, "domain": domain, "reason": reason}],
            "status": self.status(),
        });
        if reason == "insufficientPermissions" {
            error["details"] = json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
                "domain": "googleapis.com",
            }]);
        }
        let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(json!({"error": error}))).into_response();
        if let Some(seconds) = retry_after {
            let headers = response.headers_mut();
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
