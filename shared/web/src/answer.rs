//! Asks a search provider over HTTP and reads its answer.

use alfred_core::Source;
use alfred_core::ports::{Clock, Found, FoundPage, SearchError, SecretError};
use alfred_http::{CachedSecret, LazyClient, retry_after, up_to};
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

pub(super) type Result<T, E = SearchError> = std::result::Result<T, E>;

/// Largest answer, in bytes. Ten results with snippets need less than a hundredth.
const MOST_BYTES: usize = 4_000_000;

#[derive(Deserialize)]
pub(super) struct Results {
    pub results: Vec<Hit>,
    /// SearXNG's engines without results, each with the reason.
    #[serde(default)]
    pub unresponsive_engines: Vec<Value>,
}

#[derive(Deserialize)]
pub(super) struct Hit {
    url: String,
    #[serde(default)]
    title: String,
    content: Option<String>,
}

impl Results {
    pub fn found(self, most: usize) -> Found {
        let page = |hit: Hit| FoundPage {
            source: Source {
                url: hit.url,
                title: hit.title,
            },
            snippet: hit.content.unwrap_or_default(),
        };
        Found {
            pages: self.results.into_iter().take(most).map(page).collect(),
            ..Found::default()
        }
    }
}

/// A provider's address. The HTTP client is built by the first search.
pub(super) struct Endpoint {
    url: String,
    http: LazyClient,
    clock: Arc<dyn Clock>,
}

impl Endpoint {
    pub fn new(base_url: &str, path: &str, clock: Arc<dyn Clock>) -> Self {
        Self {
            url: format!("{}/{path}", base_url.trim_end_matches('/')),
            http: LazyClient::default(),
            clock,
        }
    }

    /// As [`Self::ask`], with a key and this body.
    pub async fn post_with_key<T: DeserializeOwned>(
        &self,
        key: &CachedSecret,
        within: Duration,
        body: &Value,
    ) -> Result<T> {
        let mut value = key.required().await.map_err(no_key)?;
        loop {
            let asked = self.ask(within, |client, url| {
                let request = client.post(url).json(body);
                request.bearer_auth(value.expose_secret())
            });
            match asked.await {
                Err(SearchError::KeyRefused { .. }) if key.renew(&mut value).await => {}
                answer => return answer,
            }
        }
    }

    /// The answer as JSON. Otherwise the error of its status, `TooSlow`, or `Down` for unexpected content. The
    /// body of an error may quote the key, so it is neither stored nor logged.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        within: Duration,
        request: impl FnOnce(&Client, &str) -> RequestBuilder,
    ) -> Result<T> {
        let client = self.http.get(&self.url, |builder| builder);
        let client = client.map_err(|error| down(error.to_string()))?;
        let request = request(client, &self.url).timeout(within);
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        let retry_after = retry_after(response.headers(), self.clock.now());
        let (body, cut) = up_to(response, MOST_BYTES).await.map_err(failed)?;
        if status.is_success() && !cut {
            return serde_json::from_slice(&body).map_err(|_| down("unexpected answer"));
        }
        let detail = format!("HTTP {}", status.as_u16());
        Err(match status.as_u16() {
            401 => SearchError::KeyRefused { detail },
            // 432 and 433 are Tavily's, for the limits of a plan and of a key.
            402 | 429 | 432 | 433 => SearchError::OverQuota { retry_after },
            408 | 504 => SearchError::TooSlow,
            300..=499 => SearchError::Refused { detail },
            _ => down(detail),
        })
    }
}

fn no_key(error: SecretError) -> SearchError {
    if let SecretError::Unavailable { detail } = error {
        return down(detail);
    }
    tracing::error!(%error, "the search has no key");
    SearchError::NotSetUp
}

pub(super) fn down(detail: impl Into<String>) -> SearchError {
    let detail = detail.into();
    SearchError::Down { detail }
}

fn failed(error: reqwest::Error) -> SearchError {
    if error.is_timeout() {
        return SearchError::TooSlow;
    }
    down(error.without_url().to_string())
}

pub(super) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}
