//! The page that acts as Slack: embedded files, for browsers that opened a link of this process or of `alfred
//! page`. It uses the local Slack's routes under `/client/`.

use alfred_demo_model::NAME as DEMO;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use std::sync::Arc;

use super::access::{bearer, is_owner};
use crate::app::LocalApp;
use crate::app::sessions::{Admitted, LINK_MINUTES};
use crate::terminal::started_as;

/// Images are loaded by URL, which can't carry the key. Their ids can't be guessed.
const PICTURE_PATH: &str = "/client/file";

const INDEX: &str = include_str!("../../page/index.html");
/// Shown to browsers without a session.
const CLOSED: &str = include_str!("../../page/closed.html");
/// Placeholder for the page's facts.
const SLOT: &str = "{{page-info}}";

const JS: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($kind:ident: $($name:literal)*;)*) => {
        &[$($(($name, $kind, include_str!(concat!("../../page/", $name)))),*),*]
    };
}

/// Name, content type and text of everything under `/page/`.
const FILES: &[(&str, &str, &str)] = files! {
    CSS: "app.css" "blocks.css";
    SVG: "icon.svg";
    JS: "api.js" "app.js" "arrive.js" "avatar.js" "blocks.js" "complete.js" "composer.js" "dom.js"
        "elements.js" "emoji.js" "home.js" "inputs.js" "menu.js" "messages.js" "modal.js" "mrkdwn.js" "picture.js"
        "rich_text.js" "scroll.js" "settings.js" "state.js";
};

/// Everything from this origin, no inline code, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 1] = [(header::CONTENT_SECURITY_POLICY, POLICY)];

pub fn router(app: Arc<LocalApp>) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/open/{link}", get(open).head(preview))
        .route("/page/{name}", get(file))
        .with_state(app)
}

/// Restricts the local Slack's client routes to admitted browsers and this account's programs.
pub fn only_let_in(app: Arc<LocalApp>, routes: Router) -> Router {
    routes.route_layer(from_fn_with_state(app, check))
}

async fn check(State(app): State<Arc<LocalApp>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if is_owner(&app, headers) {
        return next.run(request).await;
    }
    let session = match app.sessions.session(headers).await {
        Ok(session) => session,
        Err(error) => return unavailable(&error),
    };
    let is_picture = request.uri().path() == PICTURE_PATH;
    let has_key = session.is_some_and(|session| {
        is_picture || bearer(headers).is_some_and(|key| session.has_key(key))
    });
    if !has_key {
        let body = Json(json!({"ok": false, "error": "invalid_page_token"}));
        return (StatusCode::UNAUTHORIZED, body).into_response();
    }
    next.run(request).await
}

async fn index(State(app): State<Arc<LocalApp>>, request: Request) -> Response {
    let why = "It shows your conversations, so it only opens in a browser that used its link.";
    if let Some(refusal) = refusal(&app, request.headers(), why).await {
        return refusal;
    }
    let index = fill(&app.model, &app.folder.path().to_string_lossy());
    (HEADERS, Html(index)).into_response()
}

/// The answer to a browser that has no session.
pub async fn refusal(app: &LocalApp, headers: &HeaderMap, why: &str) -> Option<Response> {
    match app.sessions.session(headers).await {
        Ok(Some(_)) => None,
        Ok(None) => Some(closed(why)),
        Err(error) => Some(unavailable(&error)),
    }
}

/// Admits a browser. The key is in the URL fragment, which is never sent to a server.
async fn open(
    State(app): State<Arc<LocalApp>>,
    Path(link): Path<String>,
    request: Request,
) -> Response {
    match app.sessions.open(&link).await {
        Ok(Some(Admitted { cookie, key })) => {
            let home = Redirect::to(&format!("/#{key}"));
            ([(header::SET_COOKIE, cookie)], home).into_response()
        }
        Ok(None) => {
            let why = format!(
                "This link was opened before, is older than {LINK_MINUTES} minutes, or Alfred was restarted since."
            );
            let refusal = refusal(&app, request.headers(), &why).await;
            refusal.unwrap_or_else(|| Redirect::to("/").into_response())
        }
        Err(error) => unavailable(&error),
    }
}

/// Answers HEAD, which previews of links send. Without this, axum would do what GET does.
pub async fn preview() -> StatusCode {
    StatusCode::OK
}

pub fn closed(why: &str) -> Response {
    let page = CLOSED.replace(SLOT, why);
    let page = Html(page.replace("{{program}}", &started_as()));
    (StatusCode::UNAUTHORIZED, HEADERS, page).into_response()
}

pub fn unavailable(error: &dyn std::fmt::Display) -> Response {
    tracing::error!(error = %error, "the page's sessions can't be read or stored");
    let words = "Alfred's data can't be read or written right now; its log says why.\n";
    (StatusCode::SERVICE_UNAVAILABLE, words).into_response()
}

/// The index with its facts. `<` is escaped, so no text can end the script element.
fn fill(model: &str, data_folder: &str) -> String {
    let facts = json!({
        "model": model,
        "demo": model == DEMO,
        "data_folder": data_folder,
        "program": started_as(),
    });
    let facts = facts.to_string().replace('<', "\\u003c");
    INDEX.replace(SLOT, &facts)
}

async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => (HEADERS, [(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => (StatusCode::NOT_FOUND, "no such file").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_carries_its_facts_and_nothing_breaks_out_of_them() {
        let model = "</script><script>alert(1)//:{{page-info}}";
        let page = fill(model, "/data/\"ana\"");
        let (_, rest) = page.split_once("id=\"page-info\">").unwrap();
        let (facts, _) = rest.split_once("</script>").unwrap();
        let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
        let wanted = json!({"model": model, "demo": false, "data_folder": "/data/\"ana\"", "program": started_as()});
        assert_eq!(facts, wanted);
        assert!(!page.contains("<script>alert"));
        assert!(fill(DEMO, "").contains("\"demo\":true"));
        assert!(!POLICY.contains("unsafe") && !POLICY.contains("http"));
    }
}
