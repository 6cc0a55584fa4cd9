//! The page that plays Slack: files built into the binary, served to this
//! machine only. It talks to the local Slack's routes under `/client/`.

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::json;
use std::net::IpAddr;

/// What the page is told when it is served.
#[derive(Clone)]
pub struct PageInfo {
    /// What the local Slack's routes under `/client/` are called with.
    pub token: String,
    /// The model, `provider:model`.
    pub model: String,
    /// Whether that is the offline demo model, which the page then says.
    pub demo: bool,
    /// Where everything is stored.
    pub data_folder: String,
}

const INDEX: &str = include_str!("../page/index.html");
/// Where the page's facts go.
const SLOT: &str = "{{page-info}}";

const JS: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

macro_rules! file {
    ($name:literal, $kind:expr) => {
        ($name, $kind, include_str!(concat!("../page/", $name)))
    };
}

/// Name, content type and text of everything under `/page/`.
const FILES: &[(&str, &str, &str)] = &[
    file!("app.css", CSS),
    file!("blocks.css", CSS),
    file!("icon.svg", "image/svg+xml"),
    file!("api.js", JS),
    file!("app.js", JS),
    file!("arrive.js", JS),
    file!("blocks.js", JS),
    file!("composer.js", JS),
    file!("dom.js", JS),
    file!("elements.js", JS),
    file!("emoji.js", JS),
    file!("inputs.js", JS),
    file!("messages.js", JS),
    file!("modal.js", JS),
    file!("mrkdwn.js", JS),
    file!("picture.js", JS),
    file!("rich_text.js", JS),
    file!("scroll.js", JS),
    file!("state.js", JS),
];

/// Everything from here, nothing from elsewhere, no inline code, no frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// `/` and `/page/…`, to be merged with the local Slack's router. Requests whose
/// `Host` isn't this machine get 403: another site's name that was rebound to
/// 127.0.0.1 must not read the token.
pub fn router(info: PageInfo) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/page/{name}", get(file))
        .with_state(fill(&info))
        .layer(axum::middleware::from_fn(guard))
}

/// The index with its facts. `<` is escaped: no text ends the script element.
fn fill(info: &PageInfo) -> String {
    let facts = json!({
        "token": info.token,
        "model": info.model,
        "demo": info.demo,
        "data_folder": info.data_folder,
    });
    let facts = facts.to_string().replace('<', "\\u003c");
    INDEX.replace(SLOT, &facts)
}

async fn index(State(page): State<String>) -> Html<String> {
    Html(page)
}

async fn file(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => ([(header::CONTENT_TYPE, *kind)], *text).into_response(),
        None => (StatusCode::NOT_FOUND, "no such file").into_response(),
    }
}

async fn guard(request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST);
    let mut response = if host.is_some_and(is_loopback) {
        next.run(request).await
    } else {
        let why = "This page is only served to the machine it runs on: open it at the address Alfred printed.\n";
        (StatusCode::FORBIDDEN, why).into_response()
    };
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// `localhost` or a loopback address, with or without a port.
fn is_loopback(host: &HeaderValue) -> bool {
    let Ok(host) = host.to_str() else {
        return false;
    };
    let (name, port) = match host.rsplit_once(':') {
        // The colons of an IPv6 address stand in brackets.
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (host, "80"),
    };
    if port.parse::<u16>().is_err() {
        return false;
    }
    let bare = name.strip_prefix('[').and_then(|n| n.strip_suffix(']'));
    name.eq_ignore_ascii_case("localhost")
        || bare
            .unwrap_or(name)
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::IntoFuture;

    fn info() -> PageInfo {
        PageInfo {
            token: "secret-token".into(),
            model: "</script><script>alert(1)//:{{page-info}}".into(),
            demo: true,
            data_folder: "/data/\"ana\"".into(),
        }
    }

    async fn fetch(path: &str, host: Option<&str>) -> (u16, reqwest::header::HeaderMap, String) {
        drop(rustls::crypto::ring::default_provider().install_default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(axum::serve(listener, router(info())).into_future());
        let mut request = reqwest::Client::new().get(format!("http://{address}{path}"));
        if let Some(host) = host {
            request = request.header("host", host);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text().await.unwrap();
        served.abort();
        (status, headers, body)
    }

    #[tokio::test]
    async fn the_index_carries_its_facts_and_nothing_breaks_out_of_them() {
        let (status, headers, body) = fetch("/", None).await;
        assert_eq!(status, 200);
        let (_, rest) = body.split_once("id=\"page-info\">").unwrap();
        let (facts, _) = rest.split_once("</script>").unwrap();
        let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
        assert_eq!(facts["token"], "secret-token");
        assert_eq!(facts["model"], info().model);
        assert_eq!(facts["data_folder"], info().data_folder);
        assert_eq!(facts["demo"], true);
        assert!(!body.contains("<script>alert"));
        assert_eq!(headers["content-type"], "text/html; charset=utf-8");
        assert_eq!(headers["cache-control"], "no-store");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
        assert!(
            policy.contains("img-src 'self';"),
            "pictures come from here"
        );
    }

    #[tokio::test]
    async fn only_this_machine_is_served() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:1",
            "[::1]:8080",
            "127.8.8.8",
        ] {
            assert_eq!(fetch("/", Some(host)).await.0, 200, "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:80",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1:80",
            "localhost:evil",
            "[::2]",
            "",
        ] {
            for path in ["/", "/page/app.js"] {
                let (status, _, body) = fetch(path, Some(host)).await;
                assert_eq!(status, 403, "{host}");
                assert!(!body.contains("secret-token"));
            }
        }
    }

    #[tokio::test]
    async fn files_come_with_their_type() {
        let (status, headers, _) = fetch("/page/app.js", None).await;
        assert_eq!(
            (status, &headers["content-type"]),
            (200, &HeaderValue::from_static(JS))
        );
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert_eq!(fetch("/page/nothing.js", None).await.0, 404);
        assert_eq!(fetch("/page/..%2findex.html", None).await.0, 404);
    }

    /// Every quoted name in the text that starts so.
    fn named<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
        text.split('"')
            .filter_map(move |part| part.strip_prefix(start))
    }

    #[test]
    fn all_that_is_named_is_built_in_and_comes_from_here() {
        let known = |name: &str| FILES.iter().any(|(known, ..)| *known == name);
        let wanted: Vec<&str> = named(INDEX, "/page/").collect();
        assert!(wanted.contains(&"app.js") && wanted.contains(&"app.css"));
        for name in wanted {
            assert!(known(name), "{name}");
        }
        for (file, kind, text) in FILES {
            if *kind == JS {
                for name in named(text, "./") {
                    assert!(known(name), "{file} imports {name}");
                }
            }
            for outside in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "@import",
                "url(",
            ] {
                assert!(!text.contains(outside), "{file}: {outside}");
            }
        }
    }
}
