//! Reads web pages over `https` from the public internet. Redirects are followed here, and each target is checked. No
//! cookies, no credentials, bounded size and time. No proxy, since it would resolve names without the guard.

use alfred_core::ports::{PageError, Pages, WebPage};
use alfred_http::{Guard, LazyClient, Unreachable, up_to};
use async_trait::async_trait;
use encoding_rs::{Encoding, UTF_8};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use reqwest::{Certificate, Client, ClientBuilder, Response};
use std::error::Error;
use std::iter::successors;
use std::time::Duration;
use url::Url;

use super::answer::is_redirect;
use super::one_click;
use super::readable::{self, Readable};

/// For the whole page including redirects.
const WITHIN: Duration = Duration::from_secs(20);
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const MOST_BYTES: usize = 2_000_000;
const MOST_TEXT: usize = 20_000;
const MOST_REDIRECTS: usize = 5;
const MOST_ADDRESS: usize = 2_000;
/// A page with a password field and less text than this counts as a login page.
const LOGIN_TEXT: usize = 1_000;
const AGENT: &str = "Mozilla/5.0 (compatible; Alfred/0.1; reads pages for a person who asked)";
const READABLE: &str =
    "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.1";

pub struct WebPages {
    guard: Guard,
    roots: Vec<Certificate>,
    within: Duration,
    client: LazyClient,
}

impl WebPages {
    /// Loads nothing before the first page.
    pub fn new(guard: Guard) -> Self {
        Self {
            guard,
            roots: Vec::new(),
            within: WITHIN,
            client: LazyClient::default(),
        }
    }

    /// Trusts these authorities in addition to the system's.
    pub fn trusting(mut self, roots: Vec<Certificate>) -> Self {
        self.roots = roots;
        self
    }

    pub fn within(mut self, time: Duration) -> Self {
        self.within = time;
        self
    }

    fn client(&self) -> Result<&Client, PageError> {
        let settings = |builder: ClientBuilder| {
            builder
                .dns_resolver(self.guard.clone())
                .no_proxy()
                .https_only(true)
                .connect_timeout(CONNECT_WITHIN)
                .pool_max_idle_per_host(0)
                .user_agent(AGENT)
                .tls_certs_merge(self.roots.clone())
        };
        // A `LazyClient` follows no redirect. The URL only matters for a proxy, and there is none.
        self.client.get("", settings).map_err(down)
    }

    async fn follow(&self, url: &str) -> Result<WebPage, PageError> {
        let first = address(url)?;
        let mut url = first.clone();
        for _ in 0..=MOST_REDIRECTS {
            self.guard.check_literal(&url).map_err(unreachable)?;
            let request = self.client()?.get(url.clone()).header(ACCEPT, READABLE);
            let response = request.send().await.map_err(not_reached)?;
            if !is_redirect(response.status()) {
                let page = read(response, &url).await?;
                if url != first && leads_to_login(&url) && page.text.chars().count() < LOGIN_TEXT {
                    return Err(PageError::LoginNeeded);
                }
                return Ok(page);
            }
            let to = response.headers().get(LOCATION);
            let to = to.and_then(|to| url.join(to.to_str().ok()?).ok());
            url = address(to.ok_or(PageError::BadAddress)?.as_str())?;
        }
        Err(PageError::TooManyRedirects)
    }
}

#[async_trait]
impl Pages for WebPages {
    async fn fetch(&self, url: &str) -> Result<WebPage, PageError> {
        let page = tokio::time::timeout(self.within, self.follow(url)).await;
        page.unwrap_or(Err(PageError::TooSlow))
    }

    async fn leave_list(&self, url: &str) -> Result<(), PageError> {
        let asked = one_click::post(self.client()?, &self.guard, url);
        let unanswered = |_| {
            let detail = "not in time".into();
            Err(PageError::Unanswered { detail })
        };
        let answer = tokio::time::timeout(self.within, asked).await;
        answer.unwrap_or_else(unanswered)
    }
}

/// Accepts only `https` on its default port without credentials.
pub(super) fn address(written: &str) -> Result<Url, PageError> {
    if written.len() > MOST_ADDRESS {
        return Err(PageError::BadAddress);
    }
    let mut url = Url::parse(written.trim()).map_err(|_| PageError::BadAddress)?;
    if url.scheme() == "http" {
        return Err(PageError::NotHttps);
    }
    let plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    if url.scheme() != "https" || !plain || url.host().is_none() {
        return Err(PageError::BadAddress);
    }
    url.set_fragment(None);
    Ok(url)
}

pub(super) fn unreachable(why: Unreachable) -> PageError {
    match why {
        Unreachable::Inward => PageError::Inward,
        Unreachable::NoSuchHost => PageError::NoSuchHost,
    }
}

/// The guard's error is nested inside hyper's.
pub(super) fn not_reached(error: reqwest::Error) -> PageError {
    if error.is_timeout() {
        return PageError::TooSlow;
    }
    let cause: &(dyn Error + 'static) = &error;
    let mut causes = successors(Some(cause), |&error| error.source());
    if let Some(why) = causes.find_map(|error| error.downcast_ref()) {
        return unreachable(*why);
    }
    down(error.without_url())
}

fn down(detail: impl ToString) -> PageError {
    let detail = detail.to_string();
    PageError::Down { detail }
}

/// Reads the final response after all redirects.
async fn read(response: Response, url: &Url) -> Result<WebPage, PageError> {
    match response.status().as_u16() {
        200..=299 => {}
        401 | 407 => return Err(PageError::LoginNeeded),
        404 | 410 => return Err(PageError::NotFound),
        other => return Err(PageError::Status(other)),
    }
    let kind = Kind::of(response.headers())?;
    let encoding = text(response.headers(), CONTENT_TYPE).and_then(named_encoding);
    let (body, cut) = up_to(response, MOST_BYTES).await.map_err(not_reached)?;
    let url = url.to_string();
    // Extraction takes up to a second, so it runs on a blocking thread.
    let reading = tokio::task::spawn_blocking(move || words(&body, kind, encoding, url));
    let mut page = reading.await.map_err(down)??;
    page.truncated |= cut;
    Ok(page)
}

fn words(
    body: &[u8],
    kind: Kind,
    encoding: Option<&'static Encoding>,
    url: String,
) -> Result<WebPage, PageError> {
    let start = String::from_utf8_lossy(&body[..body.len().min(1_024)]);
    let encoding = encoding.or_else(|| named_encoding(&start));
    let (text, ..) = encoding.unwrap_or(UTF_8).decode(body);
    let read = match kind {
        Kind::Html => readable::of_html(&text, &url),
        Kind::Plain if text.contains('\0') => return Err(not_text("binary")),
        Kind::Plain => Readable {
            title: String::new(),
            text: readable::tidy(&text),
        },
    };
    let is_short = read.text.chars().count() < LOGIN_TEXT;
    if kind == Kind::Html && is_short && readable::asks_for_password(&text) {
        return Err(PageError::LoginNeeded);
    }
    let long = read.text.char_indices().nth(MOST_TEXT);
    let given = long.map_or(read.text.len(), |(at, _)| at);
    Ok(WebPage {
        url,
        title: read.title,
        text: read.text[..given].to_owned(),
        truncated: long.is_some(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Html,
    Plain,
}

impl Kind {
    /// The kind of a body. An unrequested compression is refused, since it could expand without limit.
    fn of(headers: &HeaderMap) -> Result<Self, PageError> {
        let packed = text(headers, CONTENT_ENCODING);
        if let Some(how) = packed.filter(|how| !how.eq_ignore_ascii_case("identity")) {
            return Err(not_text(how));
        }
        let content_type = text(headers, CONTENT_TYPE).unwrap_or("text/html");
        let essence = content_type.split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/html" | "application/xhtml+xml" => Ok(Self::Html),
            "application/json" | "application/xml" => Ok(Self::Plain),
            other if other.starts_with("text/") => Ok(Self::Plain),
            other if other.ends_with("+json") || other.ends_with("+xml") => Ok(Self::Plain),
            other => Err(not_text(other)),
        }
    }
}

fn not_text(content_type: &str) -> PageError {
    let content_type = content_type.to_owned();
    PageError::NotText { content_type }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// The encoding of `charset=…` in a header or in the first bytes of a page.
fn named_encoding(text: &str) -> Option<&'static Encoding> {
    let text = text.to_ascii_lowercase();
    let (_, named) = text.split_once("charset=")?;
    let named = named.trim_start_matches(['"', '\'']);
    let mut named = named.split(|c: char| c.is_whitespace() || "\"';>/".contains(c));
    Encoding::for_label(named.next()?.as_bytes())
}

/// Whether a redirect leads to a login page.
fn leads_to_login(url: &Url) -> bool {
    const LOGIN: [&str; 7] = [
        "login", "log-in", "signin", "sign-in", "sign_in", "auth", "sso",
    ];
    let mut parts = url.path_segments().into_iter().flatten();
    parts.any(|part| LOGIN.contains(&part.split('.').next().unwrap_or_default()))
}
