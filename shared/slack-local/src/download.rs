//! The URLs from which a file's bytes are read with the bot's token. Without it Slack redirects to a sign-in page.

use axum::Router;
use axum::extract::{ConnectInfo, Extension, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use serde_json::json;

use crate::api::{Answer, ApiError, authorise, bearer, through};
use crate::state::SlackLocal;
use alfred_loopback::CutSwitch;
use alfred_loopback::outlive;

/// Name of the download in faults, gates and counts.
pub const DOWNLOAD: &str = "url_private_download";

pub(crate) fn routes() -> Router<SlackLocal> {
    Router::new().route("/files-pri/{file}/download", get(give))
}

async fn give(
    State(slack): State<SlackLocal>,
    Path(file): Path<String>,
    connection: Option<Extension<ConnectInfo<CutSwitch>>>,
    headers: HeaderMap,
) -> Response {
    let work = async move {
        let id = file.rsplit('-').next().unwrap_or_default().to_owned();
        let effect = || {
            authorise(&slack, bearer(&headers).as_deref())?;
            Ok(json!({}))
        };
        let respond = |answer| respond(&slack, &id, answer);
        through(&slack, DOWNLOAD, json!({"file": id}), respond, effect).await
    };
    outlive(work, connection).await
}

fn respond(slack: &SlackLocal, id: &str, answer: Answer) -> Response {
    match answer {
        Ok(_) => match slack.db().read().content(id) {
            Ok(Some(bytes)) => bytes.into_response(),
            Ok(None) => StatusCode::NOT_FOUND.into_response(),
            Err(error) => {
                tracing::error!(error = %error, "the local Slack can't read");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        },
        Err(ApiError::RateLimited(seconds)) => {
            let headers = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, headers).into_response()
        }
        Err(_) => Redirect::temporary("/signin").into_response(),
    }
}
