//! Searching the web.

use async_trait::async_trait;
use std::ops::Range;
use std::time::Duration;
use thiserror::Error;

use crate::source::Source;

/// Whose pages count. A name stands for its subdomains too: `example.com` for `www.example.com`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    /// Only these; all where there are none.
    pub allowed: Vec<String>,
    /// None of these.
    pub blocked: Vec<String>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The provider's own answer, where it writes one.
    pub answer: Option<Answer>,
    /// Pages, the best first. Empty when nothing was found.
    pub pages: Vec<FoundPage>,
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// Where, and what it is called.
    pub source: Source,
    /// What of it fits; may be empty.
    pub snippet: String,
}

/// A text made of what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The words, with what the provider itself writes for a citation.
    pub text: String,
    /// Where in them a page is cited, in order and apart from one another.
    pub citations: Vec<Citation>,
}

/// A claim's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The bytes of the text that stand for the citation.
    pub at: Range<usize>,
    /// Which of the pages; `None` where the provider cites what it didn't return.
    pub page: Option<usize>,
}

/// Why a search gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SearchError {
    /// No provider is set.
    #[error("no search provider is set")]
    NotSetUp,
    /// The provider takes no more.
    #[error("over the quota")]
    OverQuota {
        /// When to ask again, where it says so.
        retry_after: Option<Duration>,
    },
    /// The provider doesn't take the key.
    #[error("the key is refused: {detail}")]
    KeyRefused {
        /// For the log.
        detail: String,
    },
    /// The provider doesn't take such requests: a setting is wrong.
    #[error("refused: {detail}")]
    Refused {
        /// For the log.
        detail: String,
    },
    /// The provider can't be reached, or failed.
    #[error("down: {detail}")]
    Down {
        /// For the log.
        detail: String,
    },
    /// No answer in time.
    #[error("no answer in time")]
    TooSlow,
}

impl SearchError {
    /// As the audit names it.
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

/// A search engine, or a model that uses one. What is asked for leaves to a third party.
#[async_trait]
pub trait Search: Send + Sync {
    /// Pages that fit, at most `limit`. Nothing found is a value.
    async fn search(
        &self,
        query: &str,
        domains: &Domains,
        limit: usize,
    ) -> Result<Found, SearchError>;
}
