//! Filters every provider's results: only web pages of wanted sites, each once, and only citations of
//! returned pages.

use alfred_core::ports::{Domains, Found, Search, SearchError};
use async_trait::async_trait;
use url::Url;

use super::domains::Filter;

/// Most results of one search.
const MOST: usize = 10;

pub struct Checked<S>(pub S);

#[async_trait]
impl<S: Search> Search for Checked<S> {
    async fn search(
        &self,
        query: &str,
        domains: &Domains,
        limit: usize,
    ) -> Result<Found, SearchError> {
        let filter = Filter::new(domains);
        if filter.admits_none() {
            return Ok(Found::default());
        }
        let limit = limit.clamp(1, MOST);
        let found = self.0.search(query, &filter.wanted, limit).await?;
        Ok(checked(found, &filter, limit))
    }
}

fn checked(found: Found, filter: &Filter, limit: usize) -> Found {
    let mut kept = Found {
        usage: found.usage,
        ..Found::default()
    };
    let mut known: Vec<String> = Vec::new();
    let mut places: Vec<Option<usize>> = Vec::with_capacity(found.pages.len());
    let mut foreign = false;
    for mut page in found.pages {
        if !filter.admits(&page.source.url) {
            foreign = true;
            places.push(None);
            continue;
        }
        page.source.url = plain(&page.source.url);
        let at = known.iter().position(|url| *url == page.source.url);
        places.push(Some(at.unwrap_or(known.len())));
        if at.is_none() {
            known.push(page.source.url.clone());
            kept.pages.push(page);
        }
    }
    // An answer that used unwanted sites is dropped, since its parts can't be told apart.
    let mut answer = found.answer.filter(|_| !foreign);
    let cited = answer.iter().flat_map(|answer| &answer.citations);
    let last = cited
        .filter_map(|citation| *places.get(citation.page?)?)
        .max();
    for citation in answer.iter_mut().flat_map(|answer| &mut answer.citations) {
        citation.page = citation.page.and_then(|page| *places.get(page)?);
    }
    // A cited page stays, even over the limit.
    kept.pages
        .truncate(limit.max(last.map_or(0, |last| last + 1)));
    kept.answer = answer;
    kept
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

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::Source;
    use alfred_core::ports::{Answer, Citation, FoundPage};

    fn found(urls: &[&str], cited: &[Option<usize>]) -> Found {
        let page = |url: &&str| FoundPage {
            source: Source {
                url: (*url).to_owned(),
                title: String::new(),
            },
            snippet: String::new(),
        };
        let citation = |page: &Option<usize>| Citation {
            at: 0..0,
            page: *page,
        };
        Found {
            answer: Some(Answer {
                text: "It is so.".into(),
                citations: cited.iter().map(citation).collect(),
            }),
            pages: urls.iter().map(page).collect(),
            ..Found::default()
        }
    }

    fn only(domain: &str) -> Filter {
        Filter::new(&Domains {
            allowed: vec![domain.to_owned()],
            blocked: Vec::new(),
        })
    }

    fn urls(found: &Found) -> Vec<&str> {
        found.pages.iter().map(|page| &*page.source.url).collect()
    }

    #[test]
    fn pages_are_once_and_citations_follow_them() {
        let all = Filter::new(&Domains::default());
        let pages = [
            "https://a.test/",
            "https://a.test/?utm_source=x",
            "https://b.test/?q=1&utm_x=2",
            "https://c.test/",
        ];
        let found = checked(found(&pages, &[Some(1), Some(2), Some(7), None]), &all, 1);
        assert_eq!(urls(&found), ["https://a.test/", "https://b.test/?q=1"]);
        let cited: Vec<_> = found
            .answer
            .unwrap()
            .citations
            .iter()
            .map(|one| one.page)
            .collect();
        assert_eq!(cited, [Some(0), Some(1), None, None]);
    }

    #[test]
    fn an_answer_that_rests_on_an_unwanted_site_goes() {
        let pages = ["https://a.test/", "https://evil.test/"];
        let found = checked(found(&pages, &[Some(0)]), &only("a.test"), 5);
        assert_eq!(urls(&found), ["https://a.test/"]);
        assert_eq!(found.answer, None);
    }
}
