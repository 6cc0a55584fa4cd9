//! Reads a search provider's HTTP answer.

use alfred_core::Source;
use alfred_core::ports::{Clock, Found, FoundPage, SearchError};
use alfred_http::{retry_after, up_to};
use reqwest::{RequestBuilder, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Largest answer, in bytes. Ten results with snippets need less than a hundredth.
const MOST_BYTES: usize = 4_000_000;

/// A result of a search engine.
#[derive(Deserialize)]
pub(super) struct Hit {
    url: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    content: Option<String>,
}

pub(super) fn found(hits: impl Iterator<Item = Hit>) -> Found {
    let page = |hit: Hit| FoundPage {
        source: Source {
            url: hit.url,
            title: hit.title,
        },
        snippet: hit.content.unwrap_or_default(),
    };
    Found {
        pages: hits.map(page).collect(),
        ..Found::default()
    }
}

/// The answer as JSON. Otherwise the error of its status, `TooSlow`, or `Down` for unexpected content. The body
/// of an error may quote the key, so it is neither stored nor logged.
pub(super) async fn answer<T: DeserializeOwned>(
    request: RequestBuilder,
    within: Duration,
    clock: &dyn Clock,
) -> Result<T, SearchError> {
    let response = request.timeout(within).send().await.map_err(failed)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let (body, cut) = up_to(response, MOST_BYTES).await.map_err(failed)?;
    if status.is_success() && !cut {
        return serde_json::from_slice(&body).map_err(|_| SearchError::Down {
            detail: "unexpected answer".into(),
        });
    }
    let detail = format!("HTTP {}", status.as_u16());
    Err(match status.as_u16() {
        401 => SearchError::KeyRefused { detail },
        // 432 and 433 are Tavily's, for the limits of a plan and of a key.
        402 | 429 | 432 | 433 => SearchError::OverQuota {
            retry_after: retry_after(&headers, clock.now()),
        },
        408 | 504 => SearchError::TooSlow,
        300..=499 => SearchError::Refused { detail },
        _ => SearchError::Down { detail },
    })
}

fn failed(error: reqwest::Error) -> SearchError {
    match error.is_timeout() {
        true => SearchError::TooSlow,
        false => SearchError::Down {
            detail: error.without_url().to_string(),
        },
    }
}

pub(super) fn unbuilt(error: reqwest::Error) -> SearchError {
    SearchError::Down {
        detail: error.to_string(),
    }
}

pub(super) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}
