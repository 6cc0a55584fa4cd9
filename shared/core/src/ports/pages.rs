//! Reading pages of the web.

use async_trait::async_trait;
use std::sync::Arc;
use thiserror::Error;

use super::{Domains, Found, Search, SearchError};

/// A page, as a person would read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    /// Where it is, behind all redirects.
    pub url: String,
    /// What it calls itself; may be empty.
    pub title: String,
    /// Its words, without navigation and markup where those can be told apart.
    pub text: String,
    /// Whether there is more than was read.
    pub truncated: bool,
}

/// Why a page wasn't read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PageError {
    /// It is no address of a page, or one with credentials in it or another port.
    #[error("not an address that is opened")]
    BadAddress,
    /// Something other than `https`.
    #[error("not https")]
    NotHttps,
    /// It leads to a machine that isn't on the public internet.
    #[error("an inward address")]
    Inward,
    /// Nobody knows the host.
    #[error("no such host")]
    NoSuchHost,
    /// It redirects without end.
    #[error("too many redirects")]
    TooManyRedirects,
    /// It isn't there.
    #[error("not found")]
    NotFound,
    /// It is shown to those alone who log in.
    #[error("a login is needed")]
    LoginNeeded,
    /// It isn't text.
    #[error("no text: {content_type}")]
    NotText {
        /// What it says it is.
        content_type: String,
    },
    /// Its server answers with this.
    #[error("HTTP {0}")]
    Status(u16),
    /// It took too long.
    #[error("not in time")]
    TooSlow,
    /// Its server couldn't be reached.
    #[error("down: {detail}")]
    Down {
        /// For the log.
        detail: String,
    },
    /// A request was sent, and nobody can tell what became of it; reading a page never ends so.
    #[error("no answer: {detail}")]
    Unanswered {
        /// For the log.
        detail: String,
    },
    /// Nothing reads pages here.
    #[error("pages can't be read here")]
    NotSetUp,
}

impl PageError {
    /// As the audit names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::BadAddress => "bad_address",
            Self::NotHttps => "not_https",
            Self::Inward => "inward_address",
            Self::NoSuchHost => "no_such_host",
            Self::TooManyRedirects => "too_many_redirects",
            Self::NotFound => "not_found",
            Self::LoginNeeded => "login_needed",
            Self::NotText { .. } => "not_text",
            Self::Status(_) => "http_status",
            Self::TooSlow => "too_slow",
            Self::Down { .. } => "down",
            Self::Unanswered { .. } => "unanswered",
            Self::NotSetUp => "not_set_up",
        }
    }
}

/// Opens pages. The address leaves to whoever serves it.
#[async_trait]
pub trait Pages: Send + Sync {
    /// The page at this address.
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError>;

    /// Asks the page of a mailing list once to take off it whom the address names (RFC 8058 §3.2). What it answers beside
    /// its status isn't read. `Unanswered` where that may have been done.
    async fn leave_list(&self, _url: &str) -> Result<(), PageError> {
        Err(PageError::NotSetUp)
    }
}

/// The web. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    /// Searching it.
    pub search: Arc<dyn Search>,
    /// Reading it.
    pub pages: Arc<dyn Pages>,
}

impl Web {
    /// Without a way there: every call says so.
    pub fn none() -> Self {
        Self {
            search: Arc::new(Offline),
            pages: Arc::new(Offline),
        }
    }
}

/// No way to the web.
#[derive(Clone, Copy, Debug)]
pub struct Offline;

#[async_trait]
impl Search for Offline {
    async fn search(&self, _: &str, _: &Domains, _: usize) -> Result<Found, SearchError> {
        Err(SearchError::NotSetUp)
    }
}

#[async_trait]
impl Pages for Offline {
    async fn fetch(&self, _: &str) -> Result<WebPage, PageError> {
        Err(PageError::NotSetUp)
    }
}
