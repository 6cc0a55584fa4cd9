use async_trait::async_trait;
use std::sync::Arc;
use thiserror::Error;

use super::{Domains, Found, Search, SearchError};

/// A web page as readable text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage {
    /// The address after all redirects.
    pub url: String,
    /// The page's title; may be empty.
    pub title: String,
    /// The text without markup, and without navigation where recognized.
    pub text: String,
    /// Whether the page is longer than what was read.
    pub truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PageError {
    /// The address is invalid, or has credentials or a port.
    #[error("not an address that is opened")]
    BadAddress,
    #[error("not https")]
    NotHttps,
    /// The host isn't on the public internet.
    #[error("an inward address")]
    Inward,
    /// The host name doesn't resolve.
    #[error("no such host")]
    NoSuchHost,
    #[error("too many redirects")]
    TooManyRedirects,
    #[error("not found")]
    NotFound,
    /// The page requires a login.
    #[error("a login is needed")]
    LoginNeeded,
    #[error("no text: {content_type}")]
    NotText {
        /// The content type sent by the server.
        content_type: String,
    },
    #[error("HTTP {0}")]
    Status(u16),
    #[error("not in time")]
    TooSlow,
    #[error("down: {detail}")]
    Down { detail: String },
    /// The request was sent, but its outcome is unknown. Never returned for reading.
    #[error("no answer: {detail}")]
    Unanswered { detail: String },
    /// This deployment can't read pages.
    #[error("pages can't be read here")]
    NotSetUp,
}

impl PageError {
    /// The name in the audit.
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

/// Reads pages. The address is sent to the page's server.
#[async_trait]
pub trait Pages: Send + Sync {
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError>;

    /// Sends a one-click unsubscribe request (RFC 8058 §3.2). Only the status of the answer is
    /// read. `Unanswered` means that it may have worked.
    async fn leave_list(&self, _url: &str) -> Result<(), PageError> {
        Err(PageError::NotSetUp)
    }
}

/// Web access. Cheap to clone.
#[derive(Clone)]
pub struct Web {
    pub search: Arc<dyn Search>,
    pub pages: Arc<dyn Pages>,
}

impl Web {
    /// No web access: every call fails.
    pub fn none() -> Self {
        Self {
            search: Arc::new(Offline),
            pages: Arc::new(Offline),
        }
    }
}

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
