//! SearXNG, a self-hosted metasearch engine without a key (<https://docs.searxng.org/dev/search_api.html>).
//! It answers 403 unless its settings list `json` under `search.formats`.

use alfred_core::ports::{Clock, Domains, Found, Search, SearchError};
use alfred_http::LazyClient;
use async_trait::async_trait;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{Hit, answer, found, unbuilt};

/// SearXNG's engines have a few seconds each.
const WITHIN: Duration = Duration::from_secs(15);

pub struct Searxng {
    url: String,
    http: LazyClient,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Hit>,
    /// Engines without results, each with the reason.
    #[serde(default)]
    unresponsive_engines: Vec<serde_json::Value>,
}

impl Searxng {
    pub fn new(url: &str, clock: Arc<dyn Clock>) -> Self {
        Self {
            url: format!("{}/search", url.trim_end_matches('/')),
            http: LazyClient::default(),
            clock,
        }
    }
}

#[async_trait]
impl Search for Searxng {
    async fn search(
        &self,
        query: &str,
        domains: &Domains,
        limit: usize,
    ) -> Result<Found, SearchError> {
        let client = self
            .http
            .get(&self.url, |builder| builder)
            .map_err(unbuilt)?;
        let query = within(query, domains);
        let parameters = [("q", query.as_str()), ("format", "json")];
        let request = client.get(&self.url).query(&parameters);
        let answer: Answer = answer(request, WITHIN, &*self.clock).await?;
        if answer.results.is_empty() && !answer.unresponsive_engines.is_empty() {
            let detail = format!(
                "its engines gave nothing: {:?}",
                answer.unresponsive_engines
            );
            return Err(SearchError::Down { detail });
        }
        // Engines may ignore the site filter, so more results are read than wanted.
        let most = limit * if *domains == Domains::default() { 1 } else { 5 };
        Ok(found(answer.results.into_iter().take(most)))
    }
}

/// Adds `site:` terms, which most engines understand.
fn within(query: &str, domains: &Domains) -> String {
    let sites: Vec<String> = domains
        .allowed
        .iter()
        .map(|one| format!("site:{one}"))
        .collect();
    let mut parts = vec![query.to_owned()];
    match sites.as_slice() {
        [] => {}
        [one] => parts.push(one.clone()),
        several => parts.push(format!("({})", several.join(" OR "))),
    }
    parts.extend(domains.blocked.iter().map(|one| format!("-site:{one}")));
    parts.join(" ")
}
