use alfred_loopback::Faults;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::ops::Deref;

use crate::api::{ApiError, respond};
use crate::state::SlackLocal;

pub type Fault = alfred_loopback::Fault<Refusal>;

/// An error that a failing call is answered with.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// `ok: false` with this code.
    Code(String),
    /// A bare HTTP status.
    Status(StatusCode),
    /// HTTP 429 with a Retry-After of so many seconds.
    RateLimited(u64),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Code(code) => respond(Err(ApiError::Code(code.into()))),
            Self::Status(status) => (status, "upstream error").into_response(),
            Self::RateLimited(seconds) => respond(Err(ApiError::RateLimited(seconds))),
        }
    }
}

impl Deref for SlackLocal {
    type Target = Faults<Refusal>;

    fn deref(&self) -> &Self::Target {
        &self.0.faults
    }
}

impl SlackLocal {
    /// Records a call, and runs its effect between its gates and faults.
    pub(crate) async fn serve_call(
        &self,
        method: &str,
        arguments: Value,
        effect: impl FnOnce() -> Response,
    ) -> Response {
        let call = self.record(method, arguments, self.now_ms());
        self.active();
        self.through(call, effect).await
    }
}
