//! What this process serves: the page, the local Slack behind it, Slack's
//! request URL, and `ask` for other processes of the same person.

use alfred_core::digest::sha256_hex;
use alfred_loopback::Guard;
use alfred_slack_receiver::RawRequest;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::approvals;
use crate::ask;
use crate::audit;
use crate::exit::{self, Exit};
use crate::local_api::{
    APPROVALS_PATH, ASK_PATH, AUDIT_PATH, Answer, Approvals, Ask, Audit, DECIDE_PATH, Decide,
    PAGE_PATH, PEOPLE_PATH, People, Report, SLACK_PATH, START_PATH, Start, TRACE_PATH, Trace,
};
use crate::local_app::LocalApp;
use crate::page;
use crate::people;
use crate::start;
use crate::trace;

/// More than the receiver takes, so that it is the one to refuse.
const MAX_BODY: usize = 2_000_000;

/// All routes, behind their guard.
pub fn router(app: Arc<LocalApp>, port: u16) -> Router {
    let guard = Guard::new(port);
    // Something that people reach from outside forwards to this machine, under its own name.
    let guard = match &app.slack {
        None => guard.forwarding(SLACK_PATH),
        Some(_) => guard,
    };
    guard.around(routes(app))
}

fn routes(app: Arc<LocalApp>) -> Router {
    let own = Router::new()
        .route(ASK_PATH, post(ask_here))
        .route(START_PATH, post(start_here))
        .route(PEOPLE_PATH, post(people_here))
        .route(TRACE_PATH, post(trace_here))
        .route(APPROVALS_PATH, post(approvals_here))
        .route(DECIDE_PATH, post(decide_here))
        .route(AUDIT_PATH, post(audit_here))
        .route(PAGE_PATH, post(page_here))
        .route_layer(from_fn_with_state(app.clone(), only_the_owner));
    let mut router = Router::new()
        .route(SLACK_PATH, post(slack))
        .merge(own)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(app.clone());
    if let Some(local) = &app.slack {
        router = router
            .merge(local.router())
            .merge(page::only_let_in(app.clone(), local.person_routes()))
            .merge(page::router(app));
    }
    router
}

async fn slack(State(app): State<Arc<LocalApp>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MAX_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let headers = parts.headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    });
    let reply = app.receiver.handle(RawRequest::new(headers, body)).await;
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (
        status,
        [(header::CONTENT_TYPE, reply.content_type)],
        reply.body,
    )
        .into_response()
}

type Refusal = (StatusCode, String);

/// What stands behind `Authorization: Bearer`.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ")
}

/// Only who can read the data folder knows the token. Digests are compared: how long that takes tells nothing of it.
pub fn is_owner(app: &LocalApp, headers: &HeaderMap) -> bool {
    let digest = |token: &str| sha256_hex(token.as_bytes());
    bearer(headers).is_some_and(|given| digest(given) == digest(&app.token))
}

async fn only_the_owner(
    State(app): State<Arc<LocalApp>>,
    request: Request,
    next: Next,
) -> Response {
    match is_owner(&app, request.headers()) {
        true => next.run(request).await,
        false => (StatusCode::UNAUTHORIZED, "not the token of this process").into_response(),
    }
}

fn refused(error: anyhow::Error) -> Refusal {
    let status = match exit::of(&error) {
        Exit::Usage => StatusCode::BAD_REQUEST,
        Exit::Done | Exit::Failed | Exit::Waiting => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, format!("{error:#}"))
}

async fn ask_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<Ask>,
) -> Result<Json<Answer>, Refusal> {
    app.guests.fetch_add(1, Ordering::SeqCst);
    let answer = ask::here(&app, &asked.user, &asked.request, &asked.id).await;
    app.guests.fetch_sub(1, Ordering::SeqCst);
    answer.map(Json).map_err(refused)
}

async fn start_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<Start>,
) -> Result<Json<Answer>, Refusal> {
    app.guests.fetch_add(1, Ordering::SeqCst);
    let answer = start::here(&app, &asked).await;
    app.guests.fetch_sub(1, Ordering::SeqCst);
    answer.map(Json).map_err(refused)
}

async fn people_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<People>,
) -> Result<String, Refusal> {
    people::here(&app, &asked).await.map_err(refused)
}

async fn trace_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<Trace>,
) -> Result<String, Refusal> {
    trace::render(app.ports.store.clone(), &asked)
        .await
        .map_err(refused)
}

async fn approvals_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<Approvals>,
) -> Result<String, Refusal> {
    approvals::list_here(&app, &asked).await.map_err(refused)
}

async fn decide_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<Decide>,
) -> Result<Json<Answer>, Refusal> {
    app.guests.fetch_add(1, Ordering::SeqCst);
    let answer = approvals::decide_here(&app, &asked).await;
    app.guests.fetch_sub(1, Ordering::SeqCst);
    answer.map(Json).map_err(refused)
}

async fn audit_here(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<Audit>,
) -> Result<Json<Report>, Refusal> {
    let report = audit::here(&app, &asked).await;
    report.map(Json).map_err(refused)
}

async fn page_here(State(app): State<Arc<LocalApp>>) -> Result<String, Refusal> {
    match app.page_link() {
        Some(link) => Ok(link),
        None => Err(refused(anyhow::anyhow!(
            "a real Slack is configured, so there is no page that plays it"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Chosen;
    use std::collections::BTreeSet;

    /// The tests of the real process walk this list.
    #[tokio::test]
    async fn every_route_is_in_the_list() {
        // Already installed is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let data = tempfile::tempdir().unwrap();
        let folder = crate::local_app::open_folder(data.path()).unwrap();
        let chosen = Chosen {
            folder: None,
            user: "ana",
        };
        let app = crate::local_app::furnish(folder, 0, chosen).await.unwrap();
        // Nothing but this tells what a router has.
        let shown = format!("{:?}", routes(Arc::new(app)));
        let (_, paths) = shown.split_once("Node { paths: {").unwrap();
        let (paths, _) = paths.split_once("} }").unwrap();
        let quoted = paths.split('"').skip(1).step_by(2);
        let routed: BTreeSet<&str> = quoted.collect();
        let listed = include_str!("../routes.txt").lines();
        let listed: BTreeSet<&str> = listed.filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(routed, listed);
    }
}
