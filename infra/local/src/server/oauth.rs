//! The redirect of a consent, and the local Google's consent page.

use alfred_agent::slack::home;
use alfred_agent::store::users;
use alfred_core::TraceId;
use alfred_core::ports::{Account, ConnectError, Connection, Provider};
use alfred_google_local::GoogleLocal;
use alfred_oauth_callback::{PATH, Page, Visit};
use axum::body::Bytes;
use axum::extract::{Path, Query, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
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

/// The accounts that a person of the page has connected.
pub fn accounts(app: Arc<LocalApp>) -> Router {
    Router::new()
        .route("/client/accounts", get(connected))
        .route("/client/disconnect", post(disconnect))
        .with_state(app)
}

#[derive(Deserialize)]
struct OfPerson {
    user: String,
    provider: Option<Provider>,
}

async fn connected(State(app): State<Arc<LocalApp>>, Query(of): Query<OfPerson>) -> Response {
    let connect = &app.ports.accounts.connect;
    let one = |it: &Connection| json!({"provider": it.provider, "name": it.provider.shown(), "email": it.email, "ended": it.ended});
    let all = connect.connections(&account(&app, &of.user)).await;
    answered(all.map(|all| all.iter().map(one).collect()))
}

async fn disconnect(State(app): State<Arc<LocalApp>>, Json(of): Json<OfPerson>) -> Response {
    let connect = &app.ports.accounts.connect;
    let (account, provider) = (
        account(&app, &of.user),
        of.provider.unwrap_or(Provider::Google),
    );
    let ended = connect.disconnect(&account, provider).await;
    if ended.is_ok() {
        show_accounts(&app, &account).await;
    }
    answered(ended.map(|_| Value::Null))
}

fn answered(answer: Result<Value, ConnectError>) -> Response {
    match answer {
        Ok(accounts) => Json(json!({"ok": true, "accounts": accounts})).into_response(),
        Err(error) => {
            let body = json!({"ok": false, "error": error.to_string()});
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}

fn account(app: &LocalApp, user: &str) -> Account {
    let slack = app.slack.as_ref();
    let team = slack.map(|slack| slack.seed().team_id.as_str());
    Account::of(&team.unwrap_or_default().into(), &user.into())
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
    let (account, provider) = (account(&app, &user), Provider::Google);
    let connect = &app.ports.accounts.connect;
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
        Ok(Some(_)) => {
            let mut page = callback.handle(&visit.by_the_owner()).await;
            let back = "<p><a href=\"/\">Back to Alfred</a></p></main>";
            page.body = page.body.replace("</main>", back);
            shown(&app, page).await
        }
        Ok(None) => shown(&app, callback.handle(&visit).await).await,
        Err(error) => unavailable(&error),
    }
}

async fn confirm(State(app): State<Arc<LocalApp>>, form: Bytes) -> Response {
    match &app.callback {
        Some(callback) => shown(&app, callback.handle(&Visit::confirming(&form)).await).await,
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn shown(app: &LocalApp, page: Page) -> Response {
    if let Some(account) = &page.connected {
        show_accounts(app, account).await;
    }
    let status = StatusCode::from_u16(page.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = Page::HEADERS.map(|(name, value)| (HeaderName::from_static(name), value));
    (status, headers, Html(page.body)).into_response()
}

/// Publishes the Home tab of a person whose accounts changed, if they have opened it before.
async fn show_accounts(app: &LocalApp, of: &Account) {
    match users::get(&*app.ports.store, &of.team, &of.user).await {
        Ok(Some(known)) if known.user.opened_home => {
            let change = format!("accounts:{}", app.ports.clock.now());
            let trace = TraceId::derive(&of.team, &change);
            home::changed_for(&app.ports, of, &trace, &change).await;
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "a Home tab doesn't show an account's change"),
    }
}
