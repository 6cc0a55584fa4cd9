//! Token requests over HTTP (RFC 6749, 5.1 and 5.2).

use alfred_http::{LazyClient, retry_after, up_to};
use jiff::Timestamp;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Largest answer, in bytes. Tokens of providers have a few kilobytes.
const MAX_ANSWER: usize = 256 * 1024;

/// The result of exchanging a code or a refresh token.
pub(super) struct Exchanged {
    pub access: SecretString,
    pub expires_in: Duration,
    pub refresh: Option<SecretString>,
    pub scopes: BTreeSet<String>,
    /// The account's address, if the answer has an id token.
    pub email: Option<String>,
}

#[derive(Debug)]
pub(super) enum TokenError {
    /// The code or refresh token is no longer valid: `invalid_grant`.
    Invalid,
    /// The provider refused the deployment's client.
    Client(String),
    /// No answer, or a temporary error.
    Away {
        detail: String,
        retry_after: Option<Duration>,
    },
}

pub(super) type Result<T, E = TokenError> = std::result::Result<T, E>;

pub(super) fn away(detail: impl std::fmt::Display) -> TokenError {
    TokenError::Away {
        detail: detail.to_string(),
        retry_after: None,
    }
}

#[derive(Deserialize)]
pub(super) struct Answer {
    pub access_token: String,
    pub expires_in: u64,
    pub refresh_token: Option<String>,
    #[serde(default)]
    pub scope: String,
    pub id_token: Option<String>,
}

pub(super) async fn post(http: &LazyClient, url: &str, fields: &[(&str, &str)]) -> Result<Vec<u8>> {
    let lost = |error: reqwest::Error| away(error.without_url());
    let client = http.get(url, |builder| builder.timeout(TIMEOUT));
    let request = client.map_err(lost)?.post(url).form(fields);
    let response = request.send().await.map_err(lost)?;
    let status = response.status();
    let retry_after = retry_after(response.headers(), Timestamp::now());
    let (body, is_cut) = up_to(response, MAX_ANSWER).await.map_err(lost)?;
    if is_cut {
        return Err(away("an answer that is too long"));
    }
    if status.is_success() {
        return Ok(body);
    }
    let refusal: Value = serde_json::from_slice(&body).unwrap_or_default();
    let [error, description] =
        ["error", "error_description"].map(|name| refusal[name].as_str().unwrap_or_default());
    let detail = format!("HTTP {}: {error} {description}", status.as_u16());
    Err(match error {
        // Microsoft's codes for a person who must consent or sign in again.
        "invalid_grant"
        | "invalid_token"
        | "interaction_required"
        | "consent_required"
        | "login_required" => TokenError::Invalid,
        "invalid_client"
        | "unauthorized_client"
        | "redirect_uri_mismatch"
        | "disabled_client"
        | "deleted_client" => TokenError::Client(detail),
        _ => TokenError::Away {
            detail,
            retry_after,
        },
    })
}
