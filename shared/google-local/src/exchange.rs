//! A call of an API: how it comes in, what may go wrong with it, and where it goes.

use alfred_loopback::outlive;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequestParts, Path, Request};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::account::Account;
use crate::error::ApiError;
use crate::oauth::Grant;
use crate::quota::Use;
use crate::related;
use crate::routes::Spec;
use crate::scope::{DRIVE_FILE, DRIVE_READONLY};
use crate::state::{GoogleLocal, State, lock};

/// The most bytes of a request: the largest upload of a mail, with what stands around it.
const MAX_BODY: usize = 36 * 1024 * 1024;

/// A call with its answer. No body is null.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// As in the discovery documents.
    pub id: &'static str,
    pub verb: String,
    pub path: String,
    /// Decoded.
    pub query: Vec<(String, String)>,
    pub body: Value,
    pub status: u16,
    pub answer: Value,
}

pub(crate) type Observer = Arc<dyn Fn(&Seen) + Send + Sync>;

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub verb: Method,
    pub path: String,
    params: HashMap<String, String>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    /// The JSON, or the form.
    pub bytes: Bytes,
    /// The file after the JSON.
    pub upload: Option<Bytes>,
}

impl Asked {
    /// A part of the path, under its name in the route.
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    pub fn query(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.query.iter().filter(move |(key, _)| key == name);
        named.map(|(_, value)| value.as_str())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON; null when there is none.
    pub fn body(&self) -> Result<Value, ApiError> {
        if self.bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&self.bytes)
            .map_err(|error| ApiError::invalid(format!("Invalid JSON payload received. {error}")))
    }

    pub fn form(&self) -> Vec<(String, String)> {
        serde_urlencoded::from_bytes(&self.bytes).unwrap_or_default()
    }

    fn bearer(&self) -> Option<&str> {
        let value = self.header(header::AUTHORIZATION.as_str())?;
        value.strip_prefix("Bearer ")
    }
}

impl<S: Send + Sync> axum::extract::FromRequest<S> for Asked {
    type Rejection = StatusCode;

    async fn from_request(request: Request, state: &S) -> Result<Self, StatusCode> {
        let (mut parts, body) = request.into_parts();
        let params = Path::from_request_parts(&mut parts, state).await;
        let bytes = axum::body::to_bytes(body, MAX_BODY).await;
        let bytes = bytes.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        let kind = parts.headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let (bytes, upload) = if kind.starts_with("multipart/") {
            let [json, upload] = related::parts(kind, &bytes).ok_or(StatusCode::BAD_REQUEST)?;
            (json, Some(upload))
        } else {
            (bytes, None)
        };
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self {
            verb: parts.method,
            path: parts.uri.path().to_owned(),
            params: params.map(|Path(params)| params).unwrap_or_default(),
            query: serde_urlencoded::from_str(query).map_err(|_| StatusCode::BAD_REQUEST)?,
            headers: parts.headers,
            bytes,
            upload,
        })
    }
}

/// What a method answers.
pub(crate) enum Given {
    Json(Value),
    Text(String),
    /// 204.
    Nothing,
}

impl From<Value> for Given {
    fn from(value: Value) -> Self {
        Self::Json(value)
    }
}

/// What a method works with: the caller's account, and all others.
pub(crate) struct Scene<'a> {
    pub state: &'a mut State,
    /// The caller's.
    pub email: String,
    pub asked: &'a Asked,
    /// Whether a scope for all files was granted, and not just `drive.file`.
    pub all_files: bool,
    /// Whether all files may be read, whatever this call does.
    pub sees_all: bool,
    pub now: Timestamp,
    pub search_lag: Duration,
}

impl Scene<'_> {
    pub fn account(&mut self) -> Result<&mut Account, ApiError> {
        let account = self.state.accounts.get_mut(&self.email);
        account.ok_or_else(ApiError::unauthenticated)
    }
}

pub(crate) type Effect = fn(&mut Scene<'_>) -> Result<Given, ApiError>;

impl GoogleLocal {
    /// Shows every call with its answer to the observer, such as a check against Google's own descriptions.
    pub fn observe(&self, observer: impl Fn(&Seen) + Send + Sync + 'static) {
        *lock(&self.0.observer) = Some(Arc::new(observer));
    }

    /// Serves a call of an API: token, scopes and quota, then its effect.
    pub(crate) async fn api(self, asked: Asked, spec: Spec, effect: Effect) -> Response {
        let effect = move |google: &Self, asked: &Asked| google.effect(asked, spec, effect);
        self.open_api(asked, spec.id, effect).await
    }

    /// Serves a call that shows no token.
    pub(crate) async fn open_api(
        self,
        asked: Asked,
        id: &'static str,
        effect: impl FnOnce(&Self, &Asked) -> Response + Send + 'static,
    ) -> Response {
        outlive(async move {
            let body = asked.body().unwrap_or_default();
            let arguments = json!({"path": asked.path, "query": asked.query, "body": body});
            let at_ms = self.now().as_millisecond();
            let call = self.record(id, arguments, at_ms);
            self.through(call, || effect(&self, &asked)).await
        })
        .await
    }

    fn effect(&self, asked: &Asked, spec: Spec, effect: Effect) -> Response {
        let done = self.authorised(asked, spec).and_then(|grant| {
            let mut for_all = spec.scopes.iter().filter(|scope| **scope != DRIVE_FILE);
            let mut state = lock(&self.0.state);
            let done = effect(&mut Scene {
                state: &mut state,
                all_files: for_all.any(|scope| grant.scopes.contains(*scope)),
                sees_all: grant.scopes.contains(DRIVE_READONLY),
                email: grant.email,
                asked,
                now: self.now(),
                search_lag: self.0.options.search_lag,
            });
            if asked.verb != Method::GET {
                self.save(&state);
            }
            done
        });
        let (response, answer) = match done {
            Ok(Given::Json(value)) => (Json(value.clone()).into_response(), value),
            Ok(Given::Text(text)) => (text.into_response(), Value::Null),
            Ok(Given::Nothing) => (StatusCode::NO_CONTENT.into_response(), Value::Null),
            Err(error) => (error.into_response(), Value::Null),
        };
        let observer = lock(&self.0.observer).clone();
        if let Some(observer) = observer {
            observer(&Seen {
                id: spec.id,
                verb: asked.verb.to_string(),
                path: asked.path.clone(),
                query: asked.query.clone(),
                body: asked.body().unwrap_or_default(),
                status: response.status().as_u16(),
                answer,
            });
        }
        response
    }

    fn authorised(&self, asked: &Asked, spec: Spec) -> Result<Grant, ApiError> {
        let token = asked.bearer().ok_or_else(ApiError::unauthenticated)?;
        let now = self.now();
        let grant = lock(&self.0.state).oauth.access(token, now);
        let grant = grant.ok_or_else(ApiError::unauthenticated)?;
        let mut scopes = spec.scopes.iter();
        if !scopes.any(|scope| grant.scopes.contains(*scope)) {
            return Err(ApiError::insufficient_scopes());
        }
        let call = Use {
            email: &grant.email,
            service: spec.service(&asked.verb),
            units: spec.units,
        };
        lock(&self.0.used).take(&self.0.options.quotas, call, now)?;
        Ok(grant)
    }
}
