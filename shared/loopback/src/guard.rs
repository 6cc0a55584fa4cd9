//! What every request must look like, and what every answer says to a browser.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};

const NOT_THIS_MACHINE: &str = "This is only served to the machine it runs on, under its own address: \
    http://127.0.0.1, with the port that was printed.\n";
const FROM_ELSEWHERE: &str = "Another page asked for this, and only its own may. \
    To open it, copy its address into the address bar.\n";

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Of an answer that doesn't set them itself: nothing may run, load, send or frame.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (OPENER, "same-origin"),
    (RESOURCE, "same-origin"),
];

/// Stands before all routes of a server on this port of a loopback address, those that don't exist included.
///
/// `Host` must name this machine with this port, or a name that was bound to 127.0.0.1 anew would be taken for
/// ours. `Origin` and `Sec-Fetch-Site`, which browsers add and pages can't change, must name ourselves where
/// they are there: programs send neither.
#[derive(Clone, Debug)]
pub struct Guard {
    port: u16,
    forwarded: Option<&'static str>,
    landing: Option<&'static str>,
}

impl Guard {
    pub fn new(port: u16) -> Self {
        Self {
            port,
            forwarded: None,
            landing: None,
        }
    }

    /// One path takes any `Host`, since something before this machine forwards to it, and no browser at
    /// all. What it takes must prove itself, as by a signature.
    pub fn forwarding(self, path: &'static str) -> Self {
        Self {
            forwarded: Some(path),
            ..self
        }
    }

    /// A browser may be sent to this path by another page: it may look, as by a link, and nothing more. What it
    /// takes must prove itself.
    pub fn landing(self, path: &'static str) -> Self {
        Self {
            landing: Some(path),
            ..self
        }
    }

    /// Everything this router answers, from behind the guard. Routes added later are outside.
    pub fn around(self, router: Router) -> Router {
        router.layer(from_fn_with_state(self, check))
    }

    fn refusal(&self, request: &Request) -> Option<&'static str> {
        let headers = request.headers();
        if self.forwarded == Some(request.uri().path()) {
            let by_browser = headers.contains_key(header::ORIGIN) || !fetched_by_us(headers);
            return by_browser.then_some(FROM_ELSEWHERE);
        }
        let Some(host) = the_only(headers, &header::HOST).filter(|host| self.is_us(host)) else {
            return Some(NOT_THIS_MACHINE);
        };
        let named = request.uri().authority();
        if named.is_some_and(|named| !self.is_us(named.as_str())) {
            return Some(NOT_THIS_MACHINE);
        }
        let ours = !headers.contains_key(header::ORIGIN)
            || the_only(headers, &header::ORIGIN)
                .and_then(|origin| origin.strip_prefix("http://"))
                .is_some_and(|origin| origin.eq_ignore_ascii_case(host));
        let lands = self.landing == Some(request.uri().path())
            && request.method() == Method::GET
            && the_only(headers, &HeaderName::from_static("sec-fetch-mode")) == Some("navigate");
        (!ours || !(lands || fetched_by_us(headers))).then_some(FROM_ELSEWHERE)
    }

    fn is_us(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            // The colons of an IPv6 address stand in brackets.
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let names = ["127.0.0.1", "localhost", "[::1]"];
        port == Some(self.port) && names.iter().any(|known| name.eq_ignore_ascii_case(known))
    }
}

fn the_only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(first)
}

/// `none` is a person who typed the address or followed a link of another program.
fn fetched_by_us(headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    sites.all(|site| site == "same-origin" || site == "none")
}

async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let mut response = match guard.refusal(&request) {
        None => next.run(request).await,
        Some(why) => (StatusCode::FORBIDDEN, why).into_response(),
    };
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::routing::get;
    use tower::ServiceExt;

    type Headers<'a> = [(&'a str, &'a str)];

    async fn asked(uri: &str, headers: &Headers<'_>) -> Response {
        let router = Router::new()
            .route("/", get(async || "in"))
            .route("/own", get(async || ([("cache-control", "private")], "in")))
            .route("/signed", get(async || "in"));
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let guarded = Guard::new(4141).forwarding("/signed").around(router);
        let request = request.body(Body::empty()).unwrap();
        guarded.oneshot(request).await.unwrap()
    }

    async fn answers(uri: &str, headers: &Headers<'_>, status: u16) {
        let answer = asked(uri, headers).await;
        assert_eq!(answer.status(), status, "{uri} {headers:?}");
        let allowed = answer.headers().get("access-control-allow-origin");
        assert_eq!(allowed, None);
    }

    #[tokio::test]
    async fn only_our_own_names_with_our_port_are_served() {
        for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
            answers("/", &[("host", &format!("{host}:4141"))], 200).await;
        }
        let others = "127.0.0.1 127.0.0.1:4142 localhost:4141. evil.example:4141 \
            localhost.evil.example:4141 127.0.0.1.evil.example:4141 127.0.0.2:4141 10.0.0.1:4141 \
            0.0.0.0:4141 2130706433:4141 [::1]4141 [::2]:4141 localhost:evil user@localhost:4141 \
            localhost.:4141 :4141";
        for host in others.split(' ').chain(["", "localhost: 4141"]) {
            for uri in ["/", "/nowhere"] {
                answers(uri, &[("host", host)], 403).await;
            }
        }
        let ours = ("host", "127.0.0.1:4141");
        answers("/", &[], 403).await;
        answers("/", &[ours, ("host", "evil.example:4141")], 403).await;
        answers("http://evil.example/", &[ours], 403).await;
        answers("/nowhere", &[ours], 404).await;
    }

    #[tokio::test]
    async fn of_browsers_only_our_own_pages_are_heard() {
        let ours = ("host", "localhost:4141");
        let own = ("origin", "http://localhost:4141");
        for header in [
            own,
            ("sec-fetch-site", "same-origin"),
            ("sec-fetch-site", "none"),
        ] {
            answers("/", &[ours, header], 200).await;
        }
        for origin in [
            "http://evil.example",
            "http://evil.example:4141",
            "http://localhost:4142",
            "http://127.0.0.1:4141",
            "https://localhost:4141",
            "localhost:4141",
            "null",
            "",
        ] {
            answers("/", &[ours, ("origin", origin)], 403).await;
        }
        for site in ["cross-site", "same-site", ""] {
            answers("/", &[ours, ("sec-fetch-site", site)], 403).await;
        }
        answers("/", &[ours, own, ("origin", "null")], 403).await;
    }

    #[tokio::test]
    async fn what_is_forwarded_has_any_host_and_no_browser() {
        let forwarded = ("host", "alfred.example.com");
        let rebound = ("host", "evil.example:4141");
        let origin = ("origin", "http://evil.example:4141");
        let shown = ("sec-fetch-site", "cross-site");
        let cases: [(&str, &Headers<'_>, u16); 6] = [
            ("/signed", &[forwarded], 200),
            ("/signed", &[], 200),
            ("/", &[forwarded], 403),
            ("/signed/more", &[forwarded], 403),
            ("/signed", &[rebound, origin], 403),
            ("/signed", &[forwarded, shown], 403),
        ];
        for (uri, headers, status) in cases {
            answers(uri, headers, status).await;
        }
    }

    #[tokio::test]
    async fn every_answer_tells_browsers_to_keep_it_apart() {
        let ours = [("host", "127.0.0.1:4141")];
        for (uri, headers) in [("/", &ours[..]), ("/nowhere", &ours), ("/", &[])] {
            let response = asked(uri, headers).await;
            for (name, value) in HEADERS {
                assert_eq!(response.headers()[&name], value, "{uri}");
            }
        }
        let own = asked("/own", &ours).await;
        assert_eq!(own.headers()["cache-control"], "private");
        assert_eq!(own.headers()["x-frame-options"], "DENY");
    }
}
