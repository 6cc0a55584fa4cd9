//! Serves with bounds on all that a caller could draw out, and cuts connections as a dying network does.

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::serve::Listener;
use axum::{BoxError, Router};
use futures_util::{Stream, StreamExt, stream};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tower::ServiceExt;

/// Connections at once. More wait in the system's queue until one ends.
pub const CONNECTIONS: usize = 256;
/// How long a connection may take for the head of its first or next request, then it is closed. Our own clients
/// let go of idle connections sooner, so that none is closed under a request.
pub const HEAD_WITHIN: Duration = Duration::from_secs(20);
/// How long a request's body may take. How long its answer takes isn't bounded: some wait for a model.
pub const BODY_WITHIN: Duration = Duration::from_secs(30);

#[derive(Debug, thiserror::Error)]
#[error("the body took longer than {} s", BODY_WITHIN.as_secs())]
struct TooSlow;

/// Serves on this listener until it is dropped; connections that are open then go on.
pub async fn serve(mut listener: TcpListener, router: Router) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN);
    // Never closed, so there always is a next one.
    while let Ok(slot) = slots.clone().acquire_owned().await {
        let (stream, _) = Listener::accept(&mut listener).await;
        let service = router.clone();
        let service = service.map_request(|request: Request<Incoming>| request.map(in_time));
        let service = TowerToHyperService::new(service.map_result(or_cut));
        let connection = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %error, "a connection ended early");
            }
            drop(slot);
        });
    }
}

#[derive(Clone)]
struct Cut;

/// No answer: [`serve`] closes the connection without one. Any other server answers with HTTP 502.
pub fn cut() -> Response {
    let mut response = StatusCode::BAD_GATEWAY.into_response();
    response.extensions_mut().insert(Cut);
    response
}

/// An error of the service ends the connection before the head of the answer is sent.
fn or_cut(answer: Result<Response, Infallible>) -> Result<Response, BoxError> {
    let response = answer?;
    if response.extensions().get::<Cut>().is_some() {
        return Err("a cut was asked for".into());
    }
    Ok(response)
}

/// Runs a call in its own task: a caller that goes away must not undo it.
pub async fn outlive(work: impl Future<Output = Response> + Send + 'static) -> Response {
    tokio::spawn(work).await.unwrap_or_else(|error| {
        tracing::error!(error = %error, "a call of a stand-in failed");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

fn in_time(body: Incoming) -> Body {
    let deadline = Instant::now() + BODY_WITHIN;
    Body::from_stream(until(deadline, Body::new(body).into_data_stream()))
}

/// The stream, and an error in place of what isn't there in time.
fn until(
    deadline: Instant,
    body: impl Stream<Item = Result<Bytes, axum::Error>> + Unpin,
) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    stream::unfold(Some(body), move |body| async move {
        let mut body = body?;
        match timeout_at(deadline, body.next()).await {
            Ok(chunk) => Some((chunk?, Some(body))),
            Err(_) => Some((Err(axum::Error::new(TooSlow)), None)),
        }
    })
}
