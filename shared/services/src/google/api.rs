//! A call of a Google API: with a token of the person's own, and what its failure means.

use alfred_core::ports::{Account, AccountError, AccountService, Clock};
use alfred_core::text;
use reqwest::{Client, Method, RequestBuilder, StatusCode, header};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use super::endpoints::Endpoints;
use super::upload::Upload;
use crate::http::LazyClient;
use crate::oauth::Tokens;

/// The most bytes of one answer: the largest mail that Gmail takes, encoded.
const MAX_ANSWER: usize = 48 * 1024 * 1024;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// The same with a file of 35 MB on the way, over a line of 3 Mbit/s.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(100);
/// Connections idle for longer are closed: a write on one that died meanwhile has an unknown outcome.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a call that may be repeated is made.
const TRIES: u32 = 4;
/// What is waited for in a call; for longer the whole run is put off.
const PATIENCE: Duration = Duration::from_secs(20);
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// Calls of Google's APIs.
pub(super) struct Api {
    pub endpoints: Endpoints,
    tokens: Arc<dyn Tokens>,
    clock: Arc<dyn Clock>,
    http: LazyClient,
}

/// A call to make.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    verb: Method,
    service: AccountService,
    url: String,
    query: Vec<(&'static str, String)>,
    body: Option<Value>,
    upload: Option<Upload>,
    if_match: Option<String>,
    repeatable: bool,
}

impl Ask {
    /// Reads.
    pub fn get(service: AccountService, url: String) -> Self {
        Self::new(Method::GET, service, url).repeatable()
    }

    /// Sends JSON.
    pub fn post(service: AccountService, url: String, body: Value) -> Self {
        Self::new(Method::POST, service, url).with_body(body)
    }

    /// Changes some fields.
    pub fn patch(service: AccountService, url: String, body: Value) -> Self {
        Self::new(Method::PATCH, service, url).with_body(body)
    }

    /// Deletes.
    pub fn delete(service: AccountService, url: String) -> Self {
        Self::new(Method::DELETE, service, url)
    }

    fn new(verb: Method, service: AccountService, url: String) -> Self {
        Self {
            verb,
            service,
            url,
            query: Vec::new(),
            body: None,
            upload: None,
            if_match: None,
            repeatable: false,
        }
    }

    fn with_body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// With a value of the query.
    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// With a file that its JSON tells of; the address is that of uploads.
    pub fn with_upload(mut self, upload: Upload) -> Self {
        self.upload = Some(upload);
        self.query("uploadType", "multipart")
    }

    /// Only while it is of this version.
    pub fn if_match(mut self, etag: Option<&str>) -> Self {
        self.if_match = etag.map(str::to_owned);
        self
    }

    /// Made twice it does the same as made once, so it is tried again where no answer came.
    pub fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }
}

/// What became of a call that gave nothing.
#[derive(Debug)]
pub(super) enum CallError {
    /// What every caller passes on.
    Account(AccountError),
    /// Nothing happened, for a reason that its caller knows better: 400, 404, 409, 410, 412.
    Status {
        /// The HTTP status.
        code: u16,
        /// The first `errors[].reason`; empty where there is none.
        reason: String,
        /// For the log.
        message: String,
    },
}

impl From<CallError> for AccountError {
    /// For callers that expect no such status.
    fn from(error: CallError) -> Self {
        match error {
            CallError::Account(error) => error,
            CallError::Status {
                code,
                reason,
                message,
            } => {
                tracing::warn!(http.status = code, reason, message, "Google refused a call");
                Self::refused(text::google_refused())
            }
        }
    }
}

/// How one attempt ended without an answer to give.
enum Miss {
    /// Nothing happened; another attempt may do, after this.
    NotNow(Option<Duration>, String),
    /// It may have happened.
    Lost(String),
    /// The token isn't taken.
    Token,
    Error(CallError),
}

impl Api {
    pub fn new(endpoints: Endpoints, tokens: Arc<dyn Tokens>, clock: Arc<dyn Clock>) -> Self {
        Self {
            endpoints,
            tokens,
            clock,
            http: LazyClient::default(),
        }
    }

    /// The answer of a call; null for an empty one. Waits out short refusals, repeats what may be repeated.
    pub async fn call(&self, account: &Account, ask: &Ask) -> Result<Value, CallError> {
        let (mut waited, mut tries, mut token_refused) = (Duration::ZERO, 0, false);
        let (mut pause, mut lost) = (FIRST_PAUSE, false);
        loop {
            tries += 1;
            let token = self.tokens.access(account, ask.service).await;
            let token = token.map_err(CallError::Account)?;
            let (after, detail) = match self.attempt(ask, &token).await {
                Ok(answer) => return Ok(answer),
                Err(Miss::Error(error)) => return Err(self.for_service(error, ask)),
                Err(Miss::Token) if !token_refused => {
                    token_refused = true;
                    self.tokens.refused(account, &token).await;
                    continue;
                }
                Err(Miss::Token) => (None, "a fresh token isn't taken".to_owned()),
                Err(Miss::Lost(detail)) if !ask.repeatable => {
                    return Err(CallError::Account(AccountError::Unknown { detail }));
                }
                Err(Miss::Lost(detail)) => {
                    // A change that is tried again may have been made before.
                    lost |= ask.verb != Method::GET;
                    (None, detail)
                }
                Err(Miss::NotNow(after, detail)) => (after, detail),
            };
            let wait = after.unwrap_or(pause);
            if tries >= TRIES || waited + wait > PATIENCE {
                if lost {
                    return Err(CallError::Account(AccountError::Unknown { detail }));
                }
                return Err(CallError::Account(AccountError::NotReached {
                    detail,
                    retry_after: after,
                }));
            }
            self.clock.sleep(wait).await;
            waited += wait;
            pause *= 2;
        }
    }

    /// A scope that is missing is named by what it is for.
    fn for_service(&self, error: CallError, ask: &Ask) -> CallError {
        match error {
            CallError::Status {
                code: 403, reason, ..
            } if reason == "insufficientPermissions" => {
                CallError::Account(AccountError::NotGranted(ask.service))
            }
            error => error,
        }
    }

    fn request(&self, ask: &Ask, token: &SecretString) -> Result<RequestBuilder, Miss> {
        let http = self.http(&ask.url).map_err(|error| {
            let detail = format!("no HTTP client: {error}");
            Miss::Error(CallError::Account(AccountError::NotReached {
                detail,
                retry_after: None,
            }))
        })?;
        let mut request = http
            .request(ask.verb.clone(), &ask.url)
            .bearer_auth(token.expose_secret())
            .query(&ask.query);
        if let Some(etag) = &ask.if_match {
            request = request.header(header::IF_MATCH, etag);
        }
        Ok(match (&ask.body, &ask.upload) {
            (body, Some(upload)) => {
                let json = body.as_ref().unwrap_or(&Value::Null);
                let (kind, content) = upload.with(json);
                let request = request.header(header::CONTENT_TYPE, kind);
                request.timeout(UPLOAD_TIMEOUT).body(content)
            }
            (Some(body), None) => request.json(body),
            // Google answers 411 to a POST that doesn't say it is empty.
            (None, None) if ask.verb == Method::POST => request.header(header::CONTENT_LENGTH, 0),
            (None, None) => request,
        })
    }

    async fn attempt(&self, ask: &Ask, token: &SecretString) -> Result<Value, Miss> {
        let lost = |error: reqwest::Error| match error.is_connect() {
            true => Miss::NotNow(None, error.without_url().to_string()),
            false => Miss::Lost(error.without_url().to_string()),
        };
        let sent = self.request(ask, token)?.send().await;
        let mut response = sent.map_err(lost)?;
        let status = response.status();
        let after = response.headers().get(header::RETRY_AFTER);
        let after = after.and_then(|value| value.to_str().ok()?.parse().ok());
        let after = after.map(Duration::from_secs);
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(lost)? {
            if body.len() + piece.len() > MAX_ANSWER {
                return Err(Miss::Error(CallError::Account(AccountError::refused(
                    text::google_too_large(),
                ))));
            }
            body.extend_from_slice(&piece);
        }
        if status.is_success() {
            return match body.is_empty() {
                true => Ok(Value::Null),
                false => serde_json::from_slice(&body)
                    .map_err(|error| Miss::Lost(format!("an answer that can't be read: {error}"))),
            };
        }
        Err(meaning(status, after, &body))
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

/// `{"error": {…}}`, or `{"error": "…"}` from the token's side.
#[derive(Default, Deserialize)]
struct Refusal {
    #[serde(default)]
    error: RefusalBody,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalBody {
    message: String,
    errors: Vec<RefusalItem>,
    details: Vec<RefusalItem>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RefusalItem {
    reason: String,
}

/// What a status says (<https://developers.google.com/workspace/gmail/api/guides/handle-errors>,
/// <https://developers.google.com/workspace/calendar/api/guides/errors>).
fn meaning(status: StatusCode, after: Option<Duration>, body: &[u8]) -> Miss {
    let refusal: Refusal = serde_json::from_slice(body).unwrap_or_default();
    let items = refusal
        .error
        .errors
        .into_iter()
        .chain(refusal.error.details);
    let reasons: Vec<String> = items.map(|item| item.reason).collect();
    let says = |wanted: &[&str]| {
        reasons
            .iter()
            .any(|reason| wanted.contains(&reason.as_str()))
    };
    let message: String = refusal.error.message.chars().take(300).collect();
    let detail = format!("HTTP {}: {message}", status.as_u16());
    let refused = |words: String| Miss::Error(CallError::Account(AccountError::refused(words)));
    match status.as_u16() {
        401 => Miss::Token,
        403 | 429 if says(&["dailyLimitExceeded", "quotaExceeded"]) => {
            refused(text::google_used_up())
        }
        403 if says(&["rateLimitExceeded", "userRateLimitExceeded"]) => Miss::NotNow(after, detail),
        403 if says(&["accessNotConfigured", "SERVICE_DISABLED"]) => {
            refused(text::google_api_disabled())
        }
        429 => Miss::NotNow(after, detail),
        408 | 500.. => Miss::Lost(detail),
        code => Miss::Error(CallError::Status {
            code,
            reason: match says(&["insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]) {
                true => "insufficientPermissions".into(),
                false => reasons.into_iter().next().unwrap_or_default(),
            },
            message,
        }),
    }
}

/// An answer in the shape of its caller.
pub(super) fn shaped<T: DeserializeOwned>(answer: Value) -> Result<T, AccountError> {
    serde_json::from_value(answer).map_err(|error| AccountError::NotReached {
        detail: format!("an answer of another shape: {error}"),
        retry_after: None,
    })
}

/// What fails behind a change that may have been made.
pub(super) fn unsure(error: AccountError) -> AccountError {
    match error {
        AccountError::NotReached { detail, .. } | AccountError::Refused { reason: detail } => {
            AccountError::Unknown { detail }
        }
        other => other,
    }
}
