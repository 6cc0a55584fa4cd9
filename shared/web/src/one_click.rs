//! Unsubscribes with one POST to the page that a mail names (RFC 8058 §3.2). It follows no redirect and
//! doesn't read the answer's body.

use alfred_core::ports::PageError;
use alfred_http::Guard;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, StatusCode};

use super::answer::is_redirect;
use super::page::{address, not_reached, unreachable};

const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
const ASKED: &str = "List-Unsubscribe=One-Click";

/// Sends the request once. `Unanswered`: it may have worked. Any other error: it didn't, or isn't confirmed.
pub(super) async fn post(client: &Client, guard: &Guard, url: &str) -> Result<(), PageError> {
    let url = address(url)?;
    guard.check_literal(&url).map_err(unreachable)?;
    let request = client.post(url).header(CONTENT_TYPE, FORM).body(ASKED);
    let response = request.send().await.map_err(|error| {
        // Nothing was sent if the connection failed.
        if error.is_connect() || error.is_builder() {
            return not_reached(error);
        }
        PageError::Unanswered {
            detail: error.without_url().to_string(),
        }
    })?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status if is_redirect(status) => Err(PageError::TooManyRedirects),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(PageError::NotFound),
        status => Err(PageError::Status(status.as_u16())),
    }
}
