//! The routes of this process: page, local Slack, Slack's request URL, and requests of other processes.

use alfred_loopback::Guard;
use alfred_slack_receiver::RawRequest;
use anyhow::Context;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use std::sync::Arc;

use super::{access, oauth, page};
use crate::api::{
    Anew, Approvals, Ask, Audit, Decide, Dlq, HowFar, PageLink, People, Request, Start, Trace,
    Trust,
};
use crate::app::{LocalApp, SLACK_PATH};
use crate::exit::Exit;

/// Larger than the receiver's limit, so the receiver refuses.
const MAX_BODY: usize = 2_000_000;
/// For `Start` requests, which contain files in base64.
const MAX_START: usize = 60_000_000;

pub fn router(app: Arc<LocalApp>, port: u16) -> Router {
    // Requests that come back from a provider's page.
    let guard = Guard::new(port).landing(alfred_oauth_callback::PATH);
    // A tunnel from the internet forwards to this machine under its own host name.
    let guard = match (&app.slack, &app.socket) {
        (None, None) => guard.forwarding(SLACK_PATH),
        _ => guard,
    };
    guard.around(routes(app))
}

fn routes(app: Arc<LocalApp>) -> Router {
    let own = Router::new()
        .route(Ask::PATH, post(answer::<Ask>))
        .route(
            Start::PATH,
            post(answer::<Start>).layer(DefaultBodyLimit::max(MAX_START)),
        )
        .route(Anew::PATH, post(answer::<Anew>))
        .route(Trust::PATH, post(answer::<Trust>))
        .route(People::PATH, post(answer::<People>))
        .route(Trace::PATH, post(answer::<Trace>))
        .route(Approvals::PATH, post(answer::<Approvals>))
        .route(Decide::PATH, post(answer::<Decide>))
        .route(Audit::PATH, post(answer::<Audit>))
        .route(Dlq::PATH, post(answer::<Dlq>))
        .route(PageLink::PATH, post(answer::<PageLink>))
        .route(HowFar::PATH, post(answer::<HowFar>))
        .route_layer(from_fn_with_state(app.clone(), access::only_the_owner));
    let mut router = Router::new()
        .route(SLACK_PATH, post(slack))
        .merge(own)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .with_state(app.clone());
    if let Some(local) = &app.slack {
        router = router
            .merge(local.router())
            .merge(page::only_let_in(app.clone(), local.person_routes()))
            .merge(page::router(app.clone()))
            .merge(page::only_let_in(app.clone(), oauth::accounts(app.clone())))
            .merge(oauth::from_page(app.clone()));
    }
    if let Some(google) = &app.google {
        router = router.merge(oauth::google(app.clone(), google));
    }
    router.merge(oauth::router(app))
}

async fn slack(State(app): State<Arc<LocalApp>>, request: axum::extract::Request) -> Response {
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
    let kind = [(header::CONTENT_TYPE, reply.content_type)];
    (status, kind, reply.body).into_response()
}

type Refusal = (StatusCode, String);

async fn answer<R: Request>(
    State(app): State<Arc<LocalApp>>,
    Json(asked): Json<R>,
) -> Result<Json<R::Answer>, Refusal> {
    let _under_way = app.questions.clone();
    asked.answer(&app).await.map(Json).map_err(|error| {
        let status = match Exit::from(&error) {
            Exit::Usage => StatusCode::BAD_REQUEST,
            Exit::Done | Exit::Failed | Exit::Waiting => StatusCode::UNPROCESSABLE_ENTITY,
        };
        (status, format!("{error:#}"))
    })
}

impl Request for PageLink {
    const PATH: &'static str = "/local/page";
    type Answer = String;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<String> {
        let link = app.page_link();
        link.context("a real Slack is configured, so there is no page that plays it")
    }
}

impl Request for HowFar {
    const PATH: &'static str = "/local/how-far";
    type Answer = Option<String>;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<Option<String>> {
        Ok(app.how_far())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::workspace::Chosen;
    use crate::app::{Absent, open_folder};
    use std::collections::BTreeSet;

    /// The end-to-end tests use this list.
    #[tokio::test]
    async fn every_route_is_in_the_list() {
        // Fails if it is already installed.
        drop(rustls::crypto::ring::default_provider().install_default());
        let data = tempfile::tempdir().unwrap();
        let folder = open_folder(data.path(), Absent::Begun).unwrap();
        let user = "ana";
        let chosen = Chosen { folder: None, user };
        let app = LocalApp::open(folder, 0, chosen).await.unwrap();
        // Only the debug output lists a router's routes.
        let shown = format!("{:?}", routes(Arc::new(app)));
        let (_, paths) = shown.split_once("Node { paths: {").unwrap();
        let (paths, _) = paths.split_once("} }").unwrap();
        let quoted = paths.split('"').skip(1).step_by(2);
        let routed: BTreeSet<&str> = quoted.collect();
        let listed = include_str!("../../routes.txt").lines();
        let listed: BTreeSet<&str> = listed.filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(routed, listed);
    }
}
