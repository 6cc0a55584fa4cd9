//! Authenticates this account's programs by the token of the data folder.

use alfred_core::digest::sha256_hex;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

use crate::app::LocalApp;

pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ")
}

/// Compares digests, so the timing reveals nothing about the token.
pub fn is_owner(app: &LocalApp, headers: &HeaderMap) -> bool {
    let digest = |token: &str| sha256_hex(token.as_bytes());
    bearer(headers).is_some_and(|given| digest(given) == digest(&app.token))
}

pub async fn only_the_owner(
    State(app): State<Arc<LocalApp>>,
    request: Request,
    next: Next,
) -> Response {
    if !is_owner(&app, request.headers()) {
        return (StatusCode::UNAUTHORIZED, "not the token of this process").into_response();
    }
    next.run(request).await
}
