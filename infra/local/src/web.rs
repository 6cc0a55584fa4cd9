//! What this process serves: the page, the local Slack behind it, Slack's
//! request URL, and `ask` for other processes of the same person.

use alfred_slack_receiver::RawRequest;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::approvals;
use crate::ask;
use crate::audit;
use crate::exit::{self, Exit};
use crate::house::{DEMO, House};
use crate::local_api::{
    APPROVALS_PATH, ASK_PATH, AUDIT_PATH, Answer, Approvals, Ask, Audit, DECIDE_PATH, Decide,
    PEOPLE_PATH, People, Report, SLACK_PATH, START_PATH, Start, TRACE_PATH, Trace,
};
use crate::page::{self, PageInfo};
use crate::people;
use crate::start;
use crate::trace;

/// More than the receiver takes, so that it is the one to refuse.
const MAX_BODY: usize = 2_000_000;

/// All routes.
pub fn router(house: Arc<House>) -> Router {
    let mut router = Router::new()
        .route(SLACK_PATH, post(slack))
        .route(ASK_PATH, post(ask_here))
        .route(START_PATH, post(start_here))
        .route(PEOPLE_PATH, post(people_here))
        .route(TRACE_PATH, post(trace_here))
        .route(APPROVALS_PATH, post(approvals_here))
        .route(DECIDE_PATH, post(decide_here))
        .route(AUDIT_PATH, post(audit_here))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(house.clone());
    if let Some(local) = &house.slack {
        router = router.merge(local.router()).merge(page::router(PageInfo {
            token: house.token.clone(),
            model: house.model.clone(),
            demo: house.model == DEMO,
            data_folder: house.folder.path().display().to_string(),
        }));
    }
    router
}

async fn slack(State(house): State<Arc<House>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MAX_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let headers = parts.headers.iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some((name.as_str().to_owned(), value.to_owned()))
    });
    let reply = house.receiver.handle(RawRequest::new(headers, body)).await;
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (
        status,
        [(header::CONTENT_TYPE, reply.content_type)],
        reply.body,
    )
        .into_response()
}

type Refusal = (StatusCode, String);

/// Only who can read the data folder knows the token.
fn guard(house: &House, headers: &HeaderMap) -> Result<(), Refusal> {
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    if given == Some(&format!("Bearer {}", house.token)) {
        return Ok(());
    }
    Err((
        StatusCode::UNAUTHORIZED,
        "not the token of this process".into(),
    ))
}

fn refused(error: anyhow::Error) -> Refusal {
    let status = match exit::of(&error) {
        Exit::Usage => StatusCode::BAD_REQUEST,
        Exit::Done | Exit::Failed | Exit::Waiting => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, format!("{error:#}"))
}

async fn ask_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<Ask>,
) -> Result<Json<Answer>, Refusal> {
    guard(&house, &headers)?;
    house.guests.fetch_add(1, Ordering::SeqCst);
    let answer = ask::here(&house, &asked.user, &asked.request, &asked.id).await;
    house.guests.fetch_sub(1, Ordering::SeqCst);
    answer.map(Json).map_err(refused)
}

async fn start_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<Start>,
) -> Result<Json<Answer>, Refusal> {
    guard(&house, &headers)?;
    house.guests.fetch_add(1, Ordering::SeqCst);
    let answer = start::here(&house, &asked).await;
    house.guests.fetch_sub(1, Ordering::SeqCst);
    answer.map(Json).map_err(refused)
}

async fn people_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<People>,
) -> Result<String, Refusal> {
    guard(&house, &headers)?;
    people::here(&house, &asked).await.map_err(refused)
}

async fn trace_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<Trace>,
) -> Result<String, Refusal> {
    guard(&house, &headers)?;
    trace::render(house.ports.store.clone(), &asked)
        .await
        .map_err(refused)
}

async fn approvals_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<Approvals>,
) -> Result<String, Refusal> {
    guard(&house, &headers)?;
    approvals::list_here(&house, &asked).await.map_err(refused)
}

async fn decide_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<Decide>,
) -> Result<Json<Answer>, Refusal> {
    guard(&house, &headers)?;
    house.guests.fetch_add(1, Ordering::SeqCst);
    let answer = approvals::decide_here(&house, &asked).await;
    house.guests.fetch_sub(1, Ordering::SeqCst);
    answer.map(Json).map_err(refused)
}

async fn audit_here(
    State(house): State<Arc<House>>,
    headers: HeaderMap,
    Json(asked): Json<Audit>,
) -> Result<Json<Report>, Refusal> {
    guard(&house, &headers)?;
    let report = audit::here(&house, &asked).await;
    report.map(Json).map_err(refused)
}
