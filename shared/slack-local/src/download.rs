//! The URLs from which a file's bytes are read with the bot's token. Without it Slack redirects to a sign-in page.

use alfred_loopback::outlive;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;

use crate::api::{authorise, bearer};
use crate::state::SlackLocal;

/// Name of the download in faults, gates and counts.
pub const DOWNLOAD: &str = "url_private_download";

pub(crate) fn routes() -> Router<SlackLocal> {
    Router::new().route("/files-pri/{file}/download", get(give))
}

async fn give(
    State(slack): State<SlackLocal>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Response {
    outlive(async move {
        let id = file.rsplit('-').next().unwrap_or_default();
        let effect = || {
            if authorise(&slack, DOWNLOAD, bearer(&headers).as_deref()).is_err() {
                return Redirect::temporary("/signin").into_response();
            }
            match slack.db().read().content(id) {
                Ok(Some(bytes)) => bytes.into_response(),
                _ => StatusCode::NOT_FOUND.into_response(),
            }
        };
        slack
            .serve_call(DOWNLOAD, json!({"file": id}), effect)
            .await
    })
    .await
}
