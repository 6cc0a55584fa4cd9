//! The Web API under `/api/METHOD` (docs.slack.dev/reference/methods).

mod args;
mod assistant;
mod chat;
mod conversations;
mod files;
mod stream;
mod users;
mod views;

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

use crate::state::{SlackLocal, lock};
use alfred_loopback::outlive;
use args::Args;

const CONNECTIONS_OPEN: &str = "apps.connections.open";

pub(crate) type Answer = Result<Value, ApiError>;

pub(crate) enum ApiError {
    Code(Cow<'static, str>),
    /// With `response_metadata.messages`.
    Explained(&'static str, Vec<String>),
    RateLimited(u64),
    Storage(rusqlite::Error),
}

impl From<&'static str> for ApiError {
    fn from(code: &'static str) -> Self {
        Self::Code(code.into())
    }
}

impl ApiError {
    fn invalid(why: impl Into<String>) -> Self {
        Self::Explained("invalid_arguments", vec![why.into()])
    }
}

impl From<rusqlite::Error> for ApiError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Storage(error)
    }
}

pub(crate) async fn call(
    State(slack): State<SlackLocal>,
    Path(method): Path<String>,
    verb: Method,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let query = match verb {
        Method::POST => String::new(),
        // An image or a link must not be able to write.
        _ if !args::is_read(&method) => return StatusCode::METHOD_NOT_ALLOWED.into_response(),
        // Slack's own from February 2027 on (docs.slack.dev/changelog/2026-11-get-head-requests-with-body).
        _ if !body.is_empty() => return StatusCode::FORBIDDEN.into_response(),
        _ => query.unwrap_or_default(),
    };
    let args = match Args::read(&method, &query, &headers, &body) {
        Ok(args) => args,
        Err(error) => return respond(Err(error)),
    };
    let token = bearer(&headers);
    let scopes = slack.seed().scopes.join(",");
    let answer = outlive(async move {
        let effect = || {
            let allowed = authorise(&slack, &method, token.as_deref());
            respond(allowed.and_then(|()| dispatch(&slack, &method, &args)))
        };
        slack.serve_call(&method, args.to_value(), effect).await
    });
    ([("x-oauth-scopes", scopes)], answer.await).into_response()
}

pub(crate) fn respond(answer: Answer) -> Response {
    let body = match answer {
        Ok(mut body) => {
            body["ok"] = true.into();
            body
        }
        Err(ApiError::Code(code)) => json!({"ok": false, "error": code}),
        Err(ApiError::Explained(code, messages)) => {
            json!({"ok": false, "error": code, "response_metadata": {"messages": messages}})
        }
        Err(ApiError::RateLimited(seconds)) => {
            let headers = [(header::RETRY_AFTER, seconds.to_string())];
            let body = axum::Json(json!({"ok": false, "error": "ratelimited"}));
            return (StatusCode::TOO_MANY_REQUESTS, headers, body).into_response();
        }
        Err(ApiError::Storage(error)) => {
            tracing::error!(error = %error, "the local Slack can't store");
            json!({"ok": false, "error": "fatal_error"})
        }
    };
    axum::Json(body).into_response()
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(str::to_owned)
}

/// Compares in a time that doesn't depend on the secret.
fn is_secret(given: &str, secret: &str) -> bool {
    Sha256::digest(given) == Sha256::digest(secret)
}

pub(crate) fn authorise(
    slack: &SlackLocal,
    method: &str,
    token: Option<&str>,
) -> Result<(), ApiError> {
    let token = token
        .filter(|token| !token.is_empty())
        .ok_or("not_authed")?;
    let is_bot = is_secret(token, &lock(&slack.0.bot_token));
    let is_app = is_secret(token, &slack.seed().app_token);
    match method {
        _ if !is_bot && !is_app => Err("invalid_auth".into()),
        CONNECTIONS_OPEN if is_app => Ok(()),
        CONNECTIONS_OPEN => Err("not_allowed_token_type".into()),
        _ if is_bot => Ok(()),
        _ => Err("not_allowed_token_type".into()),
    }
}

/// Opens a connection of Socket Mode (tier 3: 50 a minute).
fn open_connection(slack: &SlackLocal) -> Answer {
    chat::pace(slack, CONNECTIONS_OPEN, 1_200_000, 50)?;
    let url = slack.socket_url().ok_or("internal_error")?;
    Ok(json!({"url": url}))
}

fn dispatch(slack: &SlackLocal, method: &str, args: &Args) -> Answer {
    match method {
        CONNECTIONS_OPEN => open_connection(slack),
        "auth.test" => Ok(users::auth_test(slack)),
        "chat.postMessage" => chat::post_message(slack, args),
        "chat.postEphemeral" => chat::post_ephemeral(slack, args),
        "chat.update" => chat::update(slack, args),
        "chat.delete" => chat::delete(slack, args),
        "chat.startStream" => stream::start(slack, args),
        "chat.appendStream" => stream::append(slack, args),
        "chat.stopStream" => stream::stop(slack, args),
        "files.getUploadURLExternal" => files::upload_url(slack, args),
        "files.completeUploadExternal" => files::complete(slack, args),
        "files.info" => files::info(slack, args),
        "conversations.history" => conversations::history(slack, args),
        "conversations.replies" => conversations::replies(slack, args),
        "conversations.open" => conversations::open(slack, args),
        "conversations.list" => conversations::list(slack, args),
        "users.conversations" => conversations::of_user(slack, args),
        "users.info" => users::info(slack, args),
        "views.open" => views::open(slack, args),
        "views.publish" => views::publish(slack, args),
        "views.update" => views::update(slack, args),
        "agents.sessions.setStatus" => assistant::set_session(slack, args),
        "assistant.threads.setStatus" => assistant::set_status(slack, args),
        _ => Err("unknown_method".into()),
    }
}

pub(crate) use assistant::StoredStatus;
pub(crate) use chat::TEXT_CHARACTERS;
pub use stream::Stream;
