//! Serving, with an end to everything that a caller could draw out.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use axum::serve::Listener;
use futures_util::{Stream, StreamExt, stream};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
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

/// Serves on this listener until it is dropped; connections that are open then go on. Each gets the router
/// that `router` makes for it.
pub async fn serve<L: Listener>(mut listener: L, router: impl Fn(&L::Io) -> Router) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN);
    // Never closed, so there always is a next one.
    while let Ok(slot) = slots.clone().acquire_owned().await {
        let (stream, _) = listener.accept().await;
        let router = router(&stream);
        let service = router.map_request(|request: Request<Incoming>| request.map(in_time));
        let connection =
            http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(error = %error, "a connection ended early");
            }
            drop(slot);
        });
    }
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
