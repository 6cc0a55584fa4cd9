//! The URLs to which a file's bytes are sent. They answer with an HTTP status and need no token.

use alfred_loopback::outlive;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::json;

use crate::files::FILE_BYTES;
use crate::state::SlackLocal;

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
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    outlive(async move {
        let arguments = json!({"bytes": body.len()});
        let effect = || {
            // Slack ignores a token here. The stand-in refuses it, so that tests find the leak.
            if headers.contains_key(header::AUTHORIZATION) {
                return (StatusCode::BAD_REQUEST, "unwanted_token").into_response();
            }
            match slack.take_bytes(&ticket, &body) {
                Ok(true) => format!("OK - {}", body.len()).into_response(),
                Ok(false) => (StatusCode::NOT_FOUND, "unknown_address").into_response(),
                Err(error) => {
                    tracing::error!(error = %error, "the local Slack can't store");
                    StatusCode::INTERNAL_SERVER_ERROR.into_response()
                }
            }
        };
        slack.serve_call(UPLOAD, arguments, effect).await
    })
    .await
}
