//! Leaving a mailing list by one request to the page that a mail names (RFC 8058 §3.2): the list's own words in it and
//! nothing else, no redirect followed, and no byte of the answer read.

use alfred_core::ports::PageError;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, StatusCode};

use super::answer::is_redirect;
use super::guard::Guard;
use super::page::{address, not_reached, unreachable};

const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
const ASKED: &str = "List-Unsubscribe=One-Click";

/// Asks the page once.
///
/// # Errors
/// `Unanswered` where it may have been done; all others say that it wasn't, or isn't confirmed.
pub(super) async fn post(client: &Client, guard: &Guard, url: &str) -> Result<(), PageError> {
    let url = address(url)?;
    guard.check_literal(&url).map_err(unreachable)?;
    let request = client.post(url).header(CONTENT_TYPE, FORM).body(ASKED);
    let response = request.send().await.map_err(|error| {
        // What failed before a connection stood reached nobody.
        match error.is_connect() || error.is_builder() {
            true => not_reached(error),
            false => PageError::Unanswered {
                detail: error.without_url().to_string(),
            },
        }
    })?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status if is_redirect(status) => Err(PageError::TooManyRedirects),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(PageError::NotFound),
        status => Err(PageError::Status(status.as_u16())),
    }
}
