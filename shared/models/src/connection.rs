//! The HTTP requests that all wire forms share.

use alfred_core::ports::{Clock, ModelError, SecretError};
use alfred_http::{LazyClient, retry_after};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, ClientBuilder, RequestBuilder, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use std::time::Duration;

use super::error_body::ErrorBody;
use super::provider::{Endpoint, Wire};
use super::reading::Reader;
use super::refusal::{self, Fault};

/// <https://platform.claude.com/docs/en/api/versioning>
const ANTHROPIC_VERSION: &str = "2023-06-01";

const MAX_ERROR_BYTES: usize = 64 * 1024;

pub(super) struct Connection {
    pub(super) endpoint: Endpoint,
    pub(super) http: LazyClient,
    pub(super) clock: Arc<dyn Clock>,
}

/// An answer other than 200.
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) body: ErrorBody,
    after: Option<Duration>,
    /// Whether it came from a known provider's own API.
    hosted: bool,
}

impl Refusal {
    pub(super) fn fault(&self, endpoint: &str) -> Fault {
        refusal::fault(self.status, &self.body, self.after, endpoint)
    }

    /// Whether the refusal may be caused by the requested output shape, whatever its words. Some servers answer
    /// 500 to a shape that they don't know. Known providers answer 400, and their 500 is an outage.
    pub(super) fn may_be_about_the_shape(&self) -> bool {
        let may_be = match self.status.as_u16() {
            401..=404 | 408 | 409 | 413 | 425 | 429 => false,
            500 | 501 => !self.hosted,
            status => (400..500).contains(&status),
        };
        may_be
            && !self.body.is_context_length()
            && !self.body.is_about_the_key()
            && !self.body.is_out_of_credit(self.status.as_u16())
            && !self.body.is_unknown_model()
    }
}

impl Connection {
    /// Without a timeout of its own: the turn has one.
    fn client(&self, reader: &Reader) -> Result<&Client, Fault> {
        let settings = |builder: ClientBuilder| {
            builder
                .connect_timeout(Duration::from_secs(10))
                .user_agent(concat!("alfred/", env!("CARGO_PKG_VERSION")))
        };
        let client = self.http.get(&self.endpoint.base_url, settings);
        client.map_err(|error| reader.refused(&format!("no HTTP client: {error}")))
    }

    /// The key, which is empty if none is needed.
    async fn key(&self, reader: &Reader) -> Result<SecretString, Fault> {
        let key = match &self.endpoint.key {
            Some(key) if self.endpoint.is_hosted() => key.required().await,
            Some(key) => key.get().await,
            None => return Ok(SecretString::default()),
        };
        key.or_else(|error| {
            let detail = format!("{}: {error}", reader.0);
            match error {
                SecretError::Unavailable { .. } => {
                    Err(Fault::again(ModelError::Unavailable { detail }))
                }
                // Without the right to look for a key that isn't needed there is none.
                _ if !self.endpoint.is_hosted() => Ok(SecretString::default()),
                _ => Err(Fault::Next(ModelError::NotConfigured { detail })),
            }
        })
    }

    /// Sends a POST with this body, or a GET without one.
    pub(super) async fn send(
        &self,
        path: &str,
        body: Option<String>,
        reader: &Reader,
    ) -> Result<Response, Fault> {
        let mut key = self.key(reader).await?;
        loop {
            let sent = self.request(path, body.clone(), &key, reader)?.send().await;
            let response = sent.map_err(|error| reader.transport(&error))?;
            let is_refused = response.status() == StatusCode::UNAUTHORIZED;
            match &self.endpoint.key {
                Some(secret) if is_refused && secret.renew(&mut key).await => {}
                _ => return Ok(response),
            }
        }
    }

    fn request(
        &self,
        path: &str,
        body: Option<String>,
        key: &SecretString,
        reader: &Reader,
    ) -> Result<RequestBuilder, Fault> {
        let url = format!("{}{path}", self.endpoint.base_url);
        let client = self.client(reader)?;
        let request = match body {
            None => client.get(url),
            Some(body) => client
                .post(url)
                .header(ACCEPT, "text/event-stream, application/json")
                .header(CONTENT_TYPE, "application/json")
                .body(body),
        };
        Ok(match (self.endpoint.wire, key.expose_secret()) {
            (Wire::Messages, key) => request
                .header("anthropic-version", ANTHROPIC_VERSION)
                .header("x-api-key", key),
            (_, "") => request,
            (_, key) => request.bearer_auth(key),
        })
    }

    pub(super) async fn refusal(&self, mut response: Response) -> Refusal {
        let status = response.status();
        let after = retry_after(response.headers(), self.clock.now());
        let mut body = Vec::new();
        // A body that breaks off may still have said what is wrong.
        while body.len() < MAX_ERROR_BYTES
            && let Ok(Some(chunk)) = response.chunk().await
        {
            body.extend_from_slice(&chunk);
        }
        Refusal {
            status,
            after,
            body: ErrorBody::parse(&body),
            hosted: self.endpoint.is_hosted(),
        }
    }
}
