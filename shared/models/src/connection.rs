//! The HTTP requests that all wire forms share.

use alfred_core::ConfigError;
use alfred_core::config::ALFRED_MODEL_URL;
use alfred_core::ports::{Clock, Finish, ModelError, Turn, Usage};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use secrecy::ExposeSecret;
use std::sync::Arc;
use std::time::Duration;

use super::error_body::ErrorBody;
use super::provider::{Endpoint, Wire};
use super::reading::{Reader, error_body};
use super::refusal::{self, Fault};

/// <https://platform.claude.com/docs/en/api/versioning>
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The client that all endpoints share: one connection pool, no timeout of its own, no redirects (a
/// redirected POST would lose its body). `Invalid` if TLS can't be set up, for example without root
/// certificates.
pub fn http_client() -> Result<Client, ConfigError> {
    Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .tcp_nodelay(true)
        .user_agent(concat!("alfred/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| ConfigError::Invalid {
            name: ALFRED_MODEL_URL,
            reason: format!("no HTTP client: {error}"),
        })
}

pub(super) struct Connection {
    pub(super) endpoint: Endpoint,
    pub(super) client: Client,
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
            && !self.body.is_about_the_account(self.status)
            && !self.body.is_unknown_model()
    }

    pub(super) fn is_filtered(&self) -> bool {
        self.body.is_filtered(self.status)
    }
}

impl Connection {
    pub(super) async fn post(
        &self,
        path: &str,
        body: Vec<u8>,
        reader: &Reader,
    ) -> Result<Response, Fault> {
        let post = self
            .client
            .post(format!("{}{path}", self.endpoint.base_url))
            .header(ACCEPT, "text/event-stream, application/json")
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let sent = self.authorised(post).send().await;
        sent.map_err(|error| reader.transport(&error))
    }

    pub(super) fn authorised(&self, request: RequestBuilder) -> RequestBuilder {
        let key = self.endpoint.key.as_ref().map(ExposeSecret::expose_secret);
        match (self.endpoint.wire, key) {
            (Wire::Messages, key) => request
                .header("anthropic-version", ANTHROPIC_VERSION)
                .header("x-api-key", key.unwrap_or_default()),
            (_, Some(key)) => request.bearer_auth(key),
            (_, None) => request,
        }
    }

    pub(super) async fn refusal(&self, response: Response) -> Refusal {
        Refusal {
            status: response.status(),
            after: alfred_http::retry_after(response.headers(), self.clock.now()),
            body: error_body(response).await,
            hosted: self.endpoint.is_hosted(),
        }
    }
}

/// The turn for an answer that the provider withheld because of the request.
pub(super) fn withheld(model: String) -> Turn {
    Turn {
        text: String::new(),
        tool_calls: Vec::new(),
        finish: Finish::Filtered,
        refused: false,
        usage: Usage::default(),
        model,
    }
}

pub(super) fn unsayable(error: &serde_json::Error) -> Fault {
    Fault::Stop(ModelError::Refused {
        detail: format!("the request can't be written as JSON: {error}"),
    })
}
