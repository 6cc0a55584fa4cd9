//! Sends `libdav` requests with reqwest.

use crate::Result;
use alfred_core::config::is_loopback;
use alfred_core::ports::{AccountError, AccountService};
use bytes::Bytes;
use http_body_util::Full;
use libdav::HttpClient;
use libdav::dav::{RequestError, WebDavError};
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use thiserror::Error;

use super::CalDavServer;
use crate::port::CALENDAR_SERVER_LOGIN;

const CALENDAR_SERVER_REFUSES: &str =
    "The calendar server refuses this event, so nothing was changed.";

/// Largest answer, in bytes.
const LARGEST: usize = 50 * 1_024 * 1_024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A change takes three requests, and an effect has 30 s.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(9);

/// Signs in with each request. It follows no redirect, which would leak the password.
pub(super) struct Wire {
    client: Client,
    user: String,
    password: SecretString,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub(super) enum Failure {
    #[error("no way to the server")]
    NotSent,
    /// It may have been carried out.
    #[error("no answer")]
    NoAnswer,
    /// A read, or a change that was carried out.
    #[error("an answer of more than {LARGEST} bytes")]
    TooLarge,
}

impl Wire {
    pub fn new(server: &CalDavServer) -> Result<Self> {
        let mut client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none());
        if is_loopback(server.url.as_str()) {
            client = client.no_proxy();
        }
        if let (Some(host), false) = (server.url.host_str(), server.pinned.is_empty()) {
            // A proxy would resolve the name itself.
            client = client.no_proxy().resolve_to_addrs(host, &server.pinned);
        }
        Ok(Self {
            client: client.build().map_err(|error| not_reached(&error))?,
            user: server.user.clone(),
            password: server.password.clone(),
        })
    }
}

type Answer = http::Response<Full<Bytes>>;

impl HttpClient for Wire {
    type Error = Failure;
    type Body = Full<Bytes>;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<String>) -> Self::Future {
        let request = reqwest::Request::try_from(request).map(|request| {
            let request = RequestBuilder::from_parts(self.client.clone(), request);
            request.basic_auth(&self.user, Some(self.password.expose_secret()))
        });
        Box::pin(async move {
            let sent = request.map_err(|_| Failure::NotSent)?.send().await;
            let answer = sent.map_err(|error| {
                if error.is_connect() || error.is_builder() {
                    Failure::NotSent
                } else {
                    Failure::NoAnswer
                }
            })?;
            bounded(answer).await
        })
    }
}

async fn bounded(mut answer: reqwest::Response) -> Result<Answer, Failure> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|_| Failure::NoAnswer)? {
        if body.len() + piece.len() > LARGEST {
            return Err(Failure::TooLarge);
        }
        body.extend_from_slice(&piece);
    }
    let mut whole = http::Response::new(Full::new(Bytes::from(body)));
    *whole.status_mut() = answer.status();
    *whole.headers_mut() = answer.headers().clone();
    Ok(whole)
}

pub(super) fn not_reached(error: &dyn std::fmt::Display) -> AccountError {
    AccountError::not_reached(format!("the calendar server: {error}"))
}

/// The error of a read. The server's text may quote events, so it isn't logged.
pub(super) fn asked(error: WebDavError<Failure>) -> AccountError {
    match error {
        WebDavError::BadStatusCode(status) => {
            refused(status).unwrap_or_else(|| not_reached(&format!("it answered with {status}")))
        }
        WebDavError::Request(RequestError::Client(failure)) => not_reached(&failure),
        _ => not_reached(&"an answer that can't be read"),
    }
}

/// The error of a change. `None` if another version exists by now.
pub(super) fn changed(error: WebDavError<Failure>) -> Option<AccountError> {
    let unknown = |detail: &str| AccountError::unknown(format!("the calendar server: {detail}"));
    Some(match error {
        WebDavError::BadStatusCode(StatusCode::PRECONDITION_FAILED) => return None,
        WebDavError::BadStatusCode(status) if status.is_client_error() => {
            refused(status).unwrap_or_else(|| AccountError::refused(CALENDAR_SERVER_REFUSES))
        }
        WebDavError::PreconditionFailed(_) => AccountError::refused(CALENDAR_SERVER_REFUSES),
        WebDavError::Request(RequestError::Client(Failure::NotSent)) => {
            not_reached(&Failure::NotSent)
        }
        WebDavError::InvalidInput(_) => not_reached(&"no such path"),
        WebDavError::BadStatusCode(status) => unknown(&format!("it answered with {status}")),
        _ => unknown("an answer that can't be read"),
    })
}

fn refused(status: StatusCode) -> Option<AccountError> {
    match status {
        StatusCode::UNAUTHORIZED => {
            tracing::warn!("the calendar server won't let its user in");
            Some(AccountError::Expired(AccountService::Calendar))
        }
        StatusCode::FORBIDDEN => {
            tracing::warn!(%status, "the calendar server won't let its user in");
            Some(AccountError::refused(CALENDAR_SERVER_LOGIN))
        }
        _ => None,
    }
}
