//! Tavily, a search engine for models (<https://docs.tavily.com/documentation/api-reference/endpoint/search>).

use alfred_core::ports::{Clock, Domains, Found, Search};
use alfred_http::CachedSecret;
use async_trait::async_trait;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{Endpoint, Result, Results};

pub const DEFAULT_TAVILY_URL: &str = "https://api.tavily.com";
const WITHIN: Duration = Duration::from_secs(15);

pub struct Tavily {
    endpoint: Endpoint,
    key: CachedSecret,
}

impl Tavily {
    pub fn new(url: &str, key: CachedSecret, clock: Arc<dyn Clock>) -> Self {
        let endpoint = Endpoint::new(url, "search", clock);
        Self { endpoint, key }
    }
}

#[async_trait]
impl Search for Tavily {
    async fn search(&self, query: &str, domains: &Domains, limit: usize) -> Result<Found> {
        let body = json!({
            "query": query,
            "max_results": limit,
            "include_domains": domains.allowed,
            "exclude_domains": domains.blocked,
        });
        let asked = self.endpoint.post_with_key(&self.key, WITHIN, &body);
        let results: Results = asked.await?;
        Ok(results.found(usize::MAX))
    }
}
