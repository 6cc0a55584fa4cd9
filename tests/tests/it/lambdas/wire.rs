//! A proxy for all outgoing calls of the functions. It logs each call with its process, and can hold a call until
//! its caller is killed.

use alfred_loopback::HEAD_WITHIN;
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::serve::IncomingStream;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::lambdas::access::{AccessLog, Use};
use crate::lambdas::process::{self, Process};

const MAX_BODY: usize = 16 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub caller: Process,
    /// Such as `dynamodb.Query`, `slack.chat.postMessage`, `model.turn`.
    pub operation: String,
}

/// When a held call stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The call is never forwarded.
    BeforeEffect,
    /// The call took effect; its answer never arrives.
    AfterEffect,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub function: String,
    pub operation: String,
    /// Counted from now on, from 1.
    pub nth: usize,
    pub moment: Moment,
}

#[derive(Default)]
struct Log {
    calls: Vec<Call>,
    strangers: usize,
    access: AccessLog,
    held: Option<(Point, oneshot::Sender<Call>)>,
}

struct Inner {
    log: Mutex<Log>,
    http: reqwest::Client,
    endpoint: OnceLock<String>,
}

#[derive(Clone)]
pub struct Wire(Arc<Inner>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Aws,
    Slack,
    Model,
    Google,
}

#[derive(Clone)]
struct Tap {
    wire: Wire,
    way: Way,
    port: u16,
    upstream: Arc<OnceLock<String>>,
}

#[derive(Clone)]
struct Peer {
    address: SocketAddr,
    caller: Arc<OnceLock<Process>>,
}

impl Connected<IncomingStream<'_, TcpListener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, TcpListener>) -> Self {
        Self {
            address: *stream.remote_addr(),
            caller: Arc::default(),
        }
    }
}

impl Peer {
    /// Cached, because the search reads the system's socket tables.
    fn caller(&self, port: u16, endpoint: &str) -> Option<Process> {
        if let Some(known) = self.caller.get() {
            return Some(known.clone());
        }
        let found = process::caller(self.address, port, endpoint)?;
        Some(self.caller.get_or_init(|| found).clone())
    }
}

/// A listening proxy, which forwards once its upstream is set.
pub struct Listening {
    pub url: String,
    upstream: Arc<OnceLock<String>>,
}

impl Listening {
    /// Sets the upstream, `http://HOST:PORT`.
    pub fn lead_to(&self, upstream: &str) {
        self.upstream.set(upstream.to_owned()).unwrap();
    }
}

impl Wire {
    pub fn new() -> Self {
        let http = reqwest::Client::builder().no_proxy();
        // Shorter than the local Slack's timeout for idle connections.
        let http = http.pool_idle_timeout(HEAD_WITHIN / 2).build().unwrap();
        Self(Arc::new(Inner {
            log: Mutex::default(),
            http,
            endpoint: OnceLock::new(),
        }))
    }

    pub async fn listen(&self, way: Way) -> Listening {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}");
        if way == Way::Aws {
            // Each function has this URL in its environment, which identifies it among all processes.
            self.0.endpoint.set(url.clone()).unwrap();
        }
        let upstream = Arc::new(OnceLock::new());
        let tap = Tap {
            wire: self.clone(),
            way,
            port,
            upstream: upstream.clone(),
        };
        let router = Router::new().fallback(pass).with_state(tap);
        let app = router.into_make_service_with_connect_info::<Peer>();
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Listening { url, upstream }
    }

    /// The endpoint in each function's environment, which identifies its processes.
    pub fn endpoint(&self) -> &str {
        self.0.endpoint.get().unwrap()
    }

    pub fn calls(&self) -> Vec<Call> {
        self.0.log.lock().unwrap().calls.clone()
    }

    pub fn secret_uses(&self) -> Vec<Use> {
        self.0.log.lock().unwrap().access.uses()
    }

    /// The number of calls by other processes, which must be 0.
    pub fn strangers(&self) -> usize {
        self.0.log.lock().unwrap().strangers
    }

    /// Holds one call forever and returns it once it stops; its caller must be killed.
    pub fn hold(&self, point: Point) -> oneshot::Receiver<Call> {
        let (tell, told) = oneshot::channel();
        self.0.log.lock().unwrap().held = Some((point, tell));
        told
    }

    fn record(&self, call: &Call) -> Option<(Moment, oneshot::Sender<Call>)> {
        let mut log = self.0.log.lock().unwrap();
        log.calls.push(call.clone());
        let (point, _) = log.held.as_mut()?;
        if point.function != call.caller.function || point.operation != call.operation {
            return None;
        }
        point.nth -= 1;
        if point.nth > 0 {
            return None;
        }
        log.held.take().map(|(point, tell)| (point.moment, tell))
    }
}

async fn pass(
    State(tap): State<Tap>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    request: Request,
) -> Response {
    // A separate task, so that a caller that hangs up doesn't cancel its call.
    tokio::spawn(tap.forward(peer, request)).await.unwrap()
}

impl Tap {
    async fn forward(self, peer: Peer, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let Ok(body) = to_bytes(body, MAX_BODY).await else {
            return StatusCode::BAD_REQUEST.into_response();
        };
        let Some(caller) = peer.caller(self.port, self.wire.endpoint()) else {
            self.wire.0.log.lock().unwrap().strangers += 1;
            return StatusCode::FORBIDDEN.into_response();
        };
        let call = Call {
            caller,
            operation: self.operation(&parts, &body),
        };
        match self.wire.record(&call) {
            None => self.send(&call.operation, parts, body).await,
            Some((moment, tell)) => {
                if moment == Moment::AfterEffect {
                    self.send(&call.operation, parts, body).await;
                }
                // The holder may have given up.
                drop(tell.send(call));
                std::future::pending().await
            }
        }
    }

    fn operation(&self, parts: &Parts, body: &[u8]) -> String {
        match self.way {
            Way::Model => "model.turn".into(),
            Way::Google => google(parts),
            Way::Slack => {
                let method = parts.uri.path().rsplit('/').next().unwrap_or_default();
                format!("slack.{method}")
            }
            Way::Aws => match parts.headers.get("x-amz-target") {
                Some(target) => {
                    let target = target.to_str().unwrap();
                    let (service, operation) = target.split_once('.').unwrap();
                    let service = service.split('_').next().unwrap_or(service);
                    format!("{}.{operation}", service.to_lowercase())
                }
                None if body.starts_with(b"Action=AssumeRole&") => "sts.AssumeRole".into(),
                None => format!("s3.{}", parts.method),
            },
        }
    }

    async fn send(&self, operation: &str, parts: Parts, body: Bytes) -> Response {
        let signed = parts.headers.clone();
        let asked = body.clone();
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let url = format!("{}{path}", self.upstream.get().expect("it leads somewhere"));
        let request = self.wire.0.http.request(parts.method, url);
        let sent = request.headers(end_to_end(parts.headers)).body(body);
        let answer = sent.send().await.unwrap();
        let (status, headers) = (answer.status(), end_to_end(answer.headers().clone()));
        let body = answer.bytes().await.unwrap();
        if self.way == Way::Aws {
            let mut log = self.wire.0.log.lock().unwrap();
            log.access.note(operation, &signed, &asked, &body);
        }
        (status, headers, Body::from(body)).into_response()
    }
}

/// Names a Google call without its ids: `google.GET /gmail/v1/users/me/messages/*`.
fn google(parts: &Parts) -> String {
    let path = parts.uri.path().split('/');
    let is_id = |part: &&str| part.len() > 6 && part.contains(|c: char| c.is_ascii_digit());
    let path = path.map(|part| if is_id(&part) { "*" } else { part });
    let path: Vec<&str> = path.collect();
    format!("google.{} {}", parts.method, path.join("/"))
}

fn end_to_end(mut headers: HeaderMap) -> HeaderMap {
    for name in [
        header::HOST,
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::TRANSFER_ENCODING,
    ] {
        headers.remove(name);
    }
    headers
}
