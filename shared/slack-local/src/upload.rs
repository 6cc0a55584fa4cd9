//! The URLs to which a file's bytes are sent. They answer with an HTTP status and need no token.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, DefaultBodyLimit, Extension, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::json;

use crate::api::{Answer, ApiError, through};
use crate::files::{FILE_BYTES, NotTaken};
use crate::state::SlackLocal;
use alfred_loopback::CutSwitch;
use alfred_loopback::outlive;

/// Name of the upload of bytes in faults, gates and counts.
pub const UPLOAD: &str = "upload_url";

pub(crate) fn address(base: &str, ticket: &str) -> String {
    format!("{base}/upload/v1/{ticket}")
}

pub(crate) fn routes() -> Router<SlackLocal> {
    let most = usize::try_from(FILE_BYTES).unwrap_or(usize::MAX);
    Router::new()
        .route("/upload/v1/{ticket}", post(take))
        .layer(DefaultBodyLimit::max(most))
}

async fn take(
    State(slack): State<SlackLocal>,
    Path(ticket): Path<String>,
    connection: Option<Extension<ConnectInfo<CutSwitch>>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let work = async move {
        let arguments = json!({"bytes": body.len()});
        let effect = || {
            refuse_token(&headers)?;
            match slack.take_bytes(&ticket, &body)? {
                Ok(file) => Ok(json!({"size": file.size})),
                Err(NotTaken::UnknownAddress) => Err("unknown_address".into()),
                Err(NotTaken::WrongLength) => Err("wrong_length".into()),
            }
        };
        through(&slack, UPLOAD, arguments, respond, effect).await
    };
    outlive(work, connection).await
}

/// Slack ignores a token here. The stand-in refuses it, so that tests find the leak.
fn refuse_token(headers: &HeaderMap) -> Result<(), ApiError> {
    if headers.contains_key(header::AUTHORIZATION) {
        Err("unwanted_token".into())
    } else {
        Ok(())
    }
}

fn respond(answer: Answer) -> Response {
    let (status, why) = match answer {
        Ok(taken) => {
            return format!("OK - {}", taken["size"]).into_response();
        }
        Err(ApiError::RateLimited(seconds)) => {
            let headers = [(header::RETRY_AFTER, seconds.to_string())];
            return (StatusCode::TOO_MANY_REQUESTS, headers).into_response();
        }
        Err(ApiError::Code(code)) if code == "unknown_address" => {
            (StatusCode::NOT_FOUND, code.into_owned())
        }
        Err(ApiError::Code(code)) => (StatusCode::BAD_REQUEST, code.into_owned()),
        Err(ApiError::Explained(code, _)) => (StatusCode::BAD_REQUEST, code.to_owned()),
        Err(ApiError::Storage(error)) => {
            tracing::error!(error = %error, "the local Slack can't store");
            (StatusCode::INTERNAL_SERVER_ERROR, "storage".to_owned())
        }
    };
    (status, why).into_response()
}
