//! Tavily, a search engine for models (<https://docs.tavily.com/documentation/api-reference/endpoint/search>).

use alfred_core::ports::{Clock, Domains, Found, Search, SearchError};
use alfred_http::LazyClient;
use async_trait::async_trait;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{Hit, answer, found, unbuilt};
use super::key::ApiKey;

pub const DEFAULT_TAVILY_URL: &str = "https://api.tavily.com";
const WITHIN: Duration = Duration::from_secs(15);

pub struct Tavily {
    url: String,
    key: ApiKey,
    http: LazyClient,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Hit>,
}

impl Tavily {
    pub fn new(url: &str, key: ApiKey, clock: Arc<dyn Clock>) -> Self {
        Self {
            url: format!("{}/search", url.trim_end_matches('/')),
            key,
            http: LazyClient::default(),
            clock,
        }
    }
}

#[async_trait]
impl Search for Tavily {
    async fn search(
        &self,
        query: &str,
        domains: &Domains,
        limit: usize,
    ) -> Result<Found, SearchError> {
        let key = self.key.get().await?.expose_secret();
        let client = self
            .http
            .get(&self.url, |builder| builder)
            .map_err(unbuilt)?;
        let request = client.post(&self.url).bearer_auth(key).json(&json!({
            "query": query,
            "max_results": limit,
            "include_domains": domains.allowed,
            "exclude_domains": domains.blocked,
        }));
        let answer: Answer = answer(request, WITHIN, &*self.clock).await?;
        Ok(found(answer.results.into_iter()))
    }
}
