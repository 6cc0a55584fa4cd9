use alfred_loopback::{Failure, Faults, cut};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::ops::Deref;

use crate::api::{ApiError, respond};
use crate::state::SlackLocal;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// `ok: false` with this code; nothing happens.
    Error { code: String },
    /// A bare HTTP status; nothing happens.
    Status { status: u16 },
    /// HTTP 429 with Retry-After; nothing happens.
    RateLimited { seconds: u64 },
    /// The connection is closed without an answer; nothing happens.
    DropBefore,
    /// It takes effect, then the connection is closed without an answer.
    DropAfter,
    /// It takes effect, then a bare HTTP status.
    StatusAfter { status: u16 },
    /// It takes effect, then half an answer.
    GarbledAfter,
}

fn bare(status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, "upstream error").into_response()
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Error { code } => Self::Before(respond(Err(ApiError::Code(code.into())))),
            Fault::Status { status } => Self::Before(bare(status)),
            Fault::RateLimited { seconds } => {
                Self::Before(respond(Err(ApiError::RateLimited(seconds))))
            }
            Fault::DropBefore => Self::Before(cut()),
            Fault::DropAfter => Self::After(cut()),
            Fault::StatusAfter { status } => Self::After(bare(status)),
            Fault::GarbledAfter => {
                let json = [(header::CONTENT_TYPE, "application/json")];
                Self::After((json, "{\"ok\":tr").into_response())
            }
        }
    }
}

impl Deref for SlackLocal {
    type Target = Faults<Fault>;

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
