use async_trait::async_trait;
use std::ops::Range;
use std::time::Duration;
use thiserror::Error;

use super::model::Usage;
use crate::source::Source;

/// Domain filters. A domain includes its subdomains: `example.com` also means `www.example.com`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    /// Only these domains; empty for all.
    pub allowed: Vec<String>,
    pub blocked: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// An answer written by the provider, if it does that.
    pub answer: Option<Answer>,
    /// Pages, best first; empty if nothing was found.
    pub pages: Vec<FoundPage>,
    /// Tokens and cost, if a language model searched.
    pub usage: Usage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// Address and title.
    pub source: Source,
    /// The matching part of the page; may be empty.
    pub snippet: String,
}

/// An answer that a provider wrote from the pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text, including the provider's citation marks.
    pub text: String,
    /// The citations, in order and without overlap.
    pub citations: Vec<Citation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The byte range of the citation mark.
    pub at: Range<usize>,
    /// Index of the cited page. `None` if the provider didn't return it.
    pub page: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SearchError {
    /// No provider is configured.
    #[error("no search provider is set: ALFRED_SEARCH with its key or URL chooses one")]
    NotSetUp,
    #[error("over the quota")]
    OverQuota {
        /// When to retry, if the provider says so.
        retry_after: Option<Duration>,
    },
    #[error("the key is refused: {detail}")]
    KeyRefused { detail: String },
    /// The provider refuses the request, because of a wrong setting.
    #[error("refused: {detail}")]
    Refused { detail: String },
    /// The provider is unreachable or failed.
    #[error("down: {detail}")]
    Down { detail: String },
    #[error("no answer in time")]
    TooSlow,
}

impl SearchError {
    /// The name in the audit.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NotSetUp => "not_set_up",
            Self::OverQuota { .. } => "over_quota",
            Self::KeyRefused { .. } => "key_refused",
            Self::Refused { .. } => "refused",
            Self::Down { .. } => "down",
            Self::TooSlow => "too_slow",
        }
    }
}

/// A search engine, or a model with search. The query is sent to a third party.
#[async_trait]
pub trait Search: Send + Sync {
    /// Searches for at most `limit` pages. Finding nothing isn't an error.
    async fn search(
        &self,
        query: &str,
        domains: &Domains,
        limit: usize,
    ) -> Result<Found, SearchError>;
}
