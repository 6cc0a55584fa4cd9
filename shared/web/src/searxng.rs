//! SearXNG, a self-hosted metasearch engine without a key (<https://docs.searxng.org/dev/search_api.html>).
//! It answers 403 unless its settings list `json` under `search.formats`.

use alfred_core::ports::{Clock, Domains, Found, Search};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

use super::answer::{Endpoint, Result, Results, down};

/// SearXNG's engines have a few seconds each.
const WITHIN: Duration = Duration::from_secs(15);

pub struct Searxng(Endpoint);

impl Searxng {
    pub fn new(url: &str, clock: Arc<dyn Clock>) -> Self {
        Self(Endpoint::new(url, "search", clock))
    }
}

#[async_trait]
impl Search for Searxng {
    async fn search(&self, query: &str, domains: &Domains, limit: usize) -> Result<Found> {
        let query = within(query, domains);
        let parameters = [("q", query.as_str()), ("format", "json")];
        let asked = self
            .0
            .ask(WITHIN, |client, url| client.get(url).query(&parameters));
        let answer: Results = asked.await?;
        if answer.results.is_empty() && !answer.unresponsive_engines.is_empty() {
            let engines = answer.unresponsive_engines;
            return Err(down(format!("its engines gave nothing: {engines:?}")));
        }
        // Engines may ignore the site filter, so more results are read than wanted.
        let is_filtered = *domains != Domains::default();
        Ok(answer.found(if is_filtered { limit * 5 } else { limit }))
    }
}

/// Adds `site:` terms, which most engines understand.
fn within(query: &str, domains: &Domains) -> String {
    let sites = domains.allowed.iter().map(|one| format!("site:{one}"));
    let sites: Vec<String> = sites.collect();
    let mut parts = vec![query.to_owned()];
    match sites.as_slice() {
        [] => {}
        [one] => parts.push(one.clone()),
        several => parts.push(format!("({})", several.join(" OR "))),
    }
    parts.extend(domains.blocked.iter().map(|one| format!("-site:{one}")));
    parts.join(" ")
}
