//! The redirect of a consent, and the local Google's consent page.

use alfred_core::ports::{Account, Provider};
use alfred_google_local::GoogleLocal;
use alfred_oauth_callback::{PATH, Page, Visit};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use std::sync::Arc;

use super::page::{preview, refusal, unavailable};
use crate::app::LocalApp;

pub fn router(app: Arc<LocalApp>) -> Router {
    Router::new()
        .route(PATH, get(arrive).head(preview).post(confirm))
        .with_state(app)
}

/// The route from the page to a provider's consent.
pub fn from_page(app: Arc<LocalApp>) -> Router {
    Router::new()
        .route("/connect/{user}", get(begin).head(preview))
        .with_state(app)
}

/// The local Google's APIs for Alfred, and its consent page for admitted browsers.
pub fn google(app: Arc<LocalApp>, google: &GoogleLocal) -> Router {
    let page = google.consent_router();
    let page = page.route_layer(from_fn_with_state(app, only_let_in));
    google.api_router().merge(page)
}

async fn only_let_in(State(app): State<Arc<LocalApp>>, request: Request, next: Next) -> Response {
    let why = "This is Alfred's local Google. Open Alfred's page by its link first.";
    match refusal(&app, request.headers(), why).await {
        None => next.run(request).await,
        Some(refusal) => refusal,
    }
}

/// The page's shortcut to a provider's consent, for the person selected on the page.
async fn begin(
    State(app): State<Arc<LocalApp>>,
    Path(user): Path<String>,
    headers: HeaderMap,
) -> Response {
    let why = "Accounts are connected on Alfred's page. Open that by its link first.";
    if let Some(refusal) = refusal(&app, &headers, why).await {
        return refusal;
    }
    let Some(slack) = &app.slack else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let account = Account {
        team: slack.seed().team_id.as_str().into(),
        user: user.as_str().into(),
    };
    let connect = &app.ports.accounts.connect;
    let provider = Provider::Google;
    match connect.begin(&account, provider, provider.services()).await {
        Ok(url) => Redirect::to(&url).into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

/// A browser with a session belongs to the owner, so no confirmation is needed.
async fn arrive(
    State(app): State<Arc<LocalApp>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(callback) = &app.callback else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let visit = Visit::arriving(&query.unwrap_or_default());
    match app.sessions.session(&headers).await {
        Ok(Some(_)) => shown(callback.handle(&visit.by_the_owner()).await),
        Ok(None) => shown(callback.handle(&visit).await),
        Err(error) => unavailable(&error),
    }
}

async fn confirm(State(app): State<Arc<LocalApp>>, form: Bytes) -> Response {
    match &app.callback {
        Some(callback) => shown(callback.handle(&Visit::confirming(&form)).await),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn shown(page: Page) -> Response {
    let status = StatusCode::from_u16(page.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, Html(page.body)).into_response();
    for (name, value) in Page::HEADERS {
        let name = HeaderName::from_static(name);
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
