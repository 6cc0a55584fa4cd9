//! API calls to a provider with the person's own token, retried where that is safe.

use crate::Result;
use alfred_core::ports::{Account, AccountError, Clock, Provider};
use alfred_http::{LazyClient, up_to};
pub use alfred_http::{Retries, retry_after};
use reqwest::{Client, Method, RequestBuilder, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use crate::ask::{Ask, Body};
use crate::oauth::Tokens;
use crate::outbox::not_now;

/// Largest answer, in bytes: the largest mail that Gmail accepts, encoded.
const MAX_ANSWER: usize = 48 * 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// For uploads: 35 MB over a line of 3 Mbit/s.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(100);
/// Idle connections are closed after this: a write on a dead connection has an unknown outcome.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Provider-specific headers and error classification.
pub struct Manner {
    pub provider: Provider,
    pub headers: &'static [(&'static str, &'static str)],
    /// Classifies an error by its status, Retry-After and body.
    pub meaning: fn(StatusCode, Option<Duration>, &[u8]) -> Miss,
}

pub struct Api<E> {
    pub endpoints: E,
    pub manner: Manner,
    tokens: Arc<dyn Tokens>,
    clock: Arc<dyn Clock>,
    http: LazyClient,
}

pub type CallResult<T> = std::result::Result<T, CallError>;

#[derive(Debug)]
pub enum CallError {
    /// Passed on by every caller.
    Account(AccountError),
    /// Nothing happened, and the caller can interpret the status: 400, 404, 409, 410, 412.
    Status {
        provider: Provider,
        code: u16,
        /// The provider's own error code; empty if it sent none.
        reason: String,
        message: String,
    },
}

impl From<AccountError> for CallError {
    fn from(error: AccountError) -> Self {
        Self::Account(error)
    }
}

impl From<CallError> for AccountError {
    /// For callers that don't expect a status.
    fn from(error: CallError) -> Self {
        match error {
            CallError::Account(error) => error,
            CallError::Status {
                provider,
                code,
                reason,
                message,
            } => {
                let (name, shown) = (provider.as_str(), provider.shown());
                tracing::warn!(
                    provider = name,
                    http.status = code,
                    reason,
                    message,
                    "a call was refused"
                );
                let reason = format!("{shown} doesn't accept this, and nothing happened.");
                Self::refused(reason)
            }
        }
    }
}

pub enum Miss {
    /// Nothing happened. Retry after this delay.
    NotNow(Option<Duration>, String),
    /// The call may have happened.
    Lost(String),
    /// The token was refused.
    Token,
    /// The token lacks the needed permission.
    NotGranted,
    Error(CallError),
}

impl<E> Api<E> {
    pub fn new(
        endpoints: E,
        manner: Manner,
        tokens: Arc<dyn Tokens>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            endpoints,
            manner,
            tokens,
            clock,
            http: LazyClient::default(),
        }
    }

    /// Returns the answer as JSON; null if it is empty. Waits for short rate limits and retries repeatable calls.
    pub async fn call(&self, account: &Account, ask: &Ask) -> CallResult<Value> {
        let json = |body: Vec<u8>| {
            if body.is_empty() {
                return Ok(Value::Null);
            }
            serde_json::from_slice(&body)
                .map_err(|error| Miss::Lost(format!("an answer that can't be read: {error}")))
        };
        self.answer(account, ask, json).await
    }

    /// As [`Self::call`], for answers that aren't JSON.
    pub async fn bytes(&self, account: &Account, ask: &Ask) -> CallResult<Vec<u8>> {
        self.answer(account, ask, Ok).await
    }

    async fn answer<T>(
        &self,
        account: &Account,
        ask: &Ask,
        read: fn(Vec<u8>) -> Result<T, Miss>,
    ) -> CallResult<T> {
        let mut retries = Retries::default();
        let (mut token_refused, mut lost) = (false, false);
        loop {
            let token = self.tokens.access(account, ask.service).await?;
            let attempt = self.attempt(ask, &token).await;
            let (after, detail) = match attempt.and_then(read) {
                Ok(answer) => return Ok(answer),
                Err(Miss::Error(error)) => return Err(error),
                Err(Miss::NotGranted) => return Err(AccountError::NotGranted(ask.service).into()),
                Err(Miss::Token) if !token_refused => {
                    token_refused = true;
                    self.tokens.refused(account, &token).await;
                    continue;
                }
                Err(Miss::Token) => (None, "a fresh token isn't taken".to_owned()),
                Err(Miss::Lost(detail)) if !ask.repeatable => {
                    return Err(AccountError::Unknown { detail }.into());
                }
                Err(Miss::Lost(detail)) => {
                    // A retried change may have been made by the earlier attempt.
                    lost |= !ask.is_read;
                    (None, detail)
                }
                Err(Miss::NotNow(after, detail)) => (after, detail),
            };
            if !retries.wait(&*self.clock, after).await {
                if lost {
                    return Err(AccountError::Unknown { detail }.into());
                }
                let retry_after = after;
                return Err(AccountError::NotReached {
                    detail,
                    retry_after,
                }
                .into());
            }
        }
    }

    fn request(&self, ask: &Ask, token: &SecretString) -> Result<RequestBuilder, Miss> {
        let http = self
            .http(&ask.url)
            .map_err(|error| Miss::Error(not_now(format!("no HTTP client: {error}")).into()))?;
        let mut request = http.request(ask.verb.clone(), &ask.url).query(&ask.query);
        if ask.signed {
            request = request.bearer_auth(token.expose_secret());
        }
        for (name, value) in self.manner.headers {
            request = request.header(*name, *value);
        }
        for (name, value) in &ask.headers {
            request = request.header(*name, value);
        }
        Ok(match &ask.body {
            Body::Described(json, upload) => {
                let (kind, content) = upload.with(json);
                let request = request.header(header::CONTENT_TYPE, kind);
                request.timeout(UPLOAD_TIMEOUT).body(content)
            }
            Body::Bytes(content) => request.timeout(UPLOAD_TIMEOUT).body(content.clone()),
            Body::Json(body) => request.json(body),
            // An empty POST without a content length is answered with 411.
            Body::Nothing if ask.verb == Method::POST => request.header(header::CONTENT_LENGTH, 0),
            Body::Nothing => request,
        })
    }

    async fn attempt(&self, ask: &Ask, token: &SecretString) -> Result<Vec<u8>, Miss> {
        let lost = |error: reqwest::Error| {
            let never_left = error.is_connect();
            let detail = error.without_url().to_string();
            if never_left {
                return Miss::NotNow(None, detail);
            }
            Miss::Lost(detail)
        };
        let response = self.request(ask, token)?.send().await.map_err(lost)?;
        let status = response.status();
        let after = retry_after(response.headers(), self.clock.now());
        let (body, is_cut) = up_to(response, MAX_ANSWER).await.map_err(lost)?;
        if is_cut {
            let too_large = provider_too_large(self.manner.provider);
            return Err(Miss::Error(AccountError::refused(too_large).into()));
        }
        if !status.is_success() {
            return Err((self.manner.meaning)(status, after, &body));
        }
        Ok(body)
    }

    fn http(&self, url: &str) -> reqwest::Result<&Client> {
        self.http.get(url, |builder| {
            builder
                .timeout(REQUEST_TIMEOUT)
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(IDLE_TIMEOUT)
                .user_agent(concat!("alfred/", env!("CARGO_PKG_VERSION")))
        })
    }
}

pub fn provider_too_large(provider: Provider) -> String {
    let provider = provider.shown();
    format!("That is too large for {provider}, or for me to read.")
}

pub fn shaped<T: DeserializeOwned>(answer: Value) -> Result<T> {
    serde_json::from_value(answer)
        .map_err(|error| not_now(format!("an answer of another shape: {error}")))
}

/// Makes an error `Unknown` if it follows a change that may have been made.
pub fn unsure(error: AccountError) -> AccountError {
    match error {
        AccountError::NotReached { detail, .. } | AccountError::Refused { reason: detail } => {
            AccountError::Unknown { detail }
        }
        other => other,
    }
}
