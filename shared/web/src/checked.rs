//! Filters every provider's results: only web pages of wanted sites, each once.

use alfred_core::ports::{Domains, Found, Search};
use async_trait::async_trait;
use std::collections::HashSet;
use url::Url;

use super::answer::Result;
use super::domains::Filter;

const MOST: usize = 10;

pub struct Checked<S>(pub S);

#[async_trait]
impl<S: Search> Search for Checked<S> {
    async fn search(&self, query: &str, domains: &Domains, limit: usize) -> Result<Found> {
        let filter = Filter::new(domains);
        if filter.admits_none() {
            return Ok(Found::default());
        }
        let limit = limit.clamp(1, MOST);
        let found = self.0.search(query, &filter.wanted, limit).await?;
        Ok(checked(found, &filter, limit))
    }
}

/// A provider that writes an answer returns each page once, so that its citations keep their places.
fn checked(mut found: Found, filter: &Filter, limit: usize) -> Found {
    let returned = found.pages.len();
    found.pages.retain(|page| filter.admits(&page.source.url));
    // An answer that used unwanted sites is dropped, since its parts can't be told apart.
    found.answer = found.answer.filter(|_| found.pages.len() == returned);
    let mut known = HashSet::new();
    found.pages.retain_mut(|page| {
        page.source.url = plain(&page.source.url);
        known.insert(page.source.url.clone())
    });
    let cited = found.answer.iter().flat_map(|answer| &answer.citations);
    let last = cited.filter_map(|citation| citation.page).max();
    // A cited page stays, even over the limit.
    let cited = last.map_or(0, |last| last + 1);
    found.pages.truncate(limit.max(cited));
    found
}

/// Removes tracking parameters. OpenAI's citations have them and its sources don't.
pub(super) fn plain(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    let query = parsed.query().unwrap_or_default().to_owned();
    let pairs = query.split('&').filter(|pair| !pair.starts_with("utm_"));
    let kept = pairs.collect::<Vec<_>>().join("&");
    if kept != query {
        parsed.set_query(Some(&*kept).filter(|kept| !kept.is_empty()));
    }
    parsed.to_string()
}
