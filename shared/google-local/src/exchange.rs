//! A call of an API: how it comes in, what may go wrong with it, and where it goes.

use alfred_loopback::{CutSwitch, Hold, Release, outlive};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{ConnectInfo, Extension, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

use crate::account::Account;
use crate::error::ApiError;
use crate::faults::Fault;
use crate::related;
use crate::state::{GoogleLocal, State, lock};

/// The most bytes of a request: the largest upload of a mail, with what stands around it.
const MAX_BODY: usize = 36 * 1024 * 1024;

/// A call with its answer, for whoever watches.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its id in the discovery documents.
    pub id: &'static str,
    /// GET, POST, …
    pub verb: String,
    /// Its path, without the query.
    pub path: String,
    /// Its query, decoded.
    pub query: Vec<(String, String)>,
    /// What was sent; null for nothing.
    pub body: Value,
    /// The answer's status.
    pub status: u16,
    /// What was answered; null for nothing.
    pub answer: Value,
}

pub(crate) type Observer = Arc<dyn Fn(&Seen) + Send + Sync>;

/// What a method needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    /// Its id in the discovery documents.
    pub id: &'static str,
    /// Any of these scopes.
    pub scopes: &'static [&'static str],
    /// Units of its service's quota.
    pub units: u64,
}

impl Spec {
    pub const fn new(id: &'static str, scopes: &'static [&'static str], units: u64) -> Self {
        Self { id, scopes, units }
    }

    /// The service whose quota is used: `gmail`, `sheets.write`, …
    fn service(&self, verb: &Method) -> String {
        match self.id.split('.').next().unwrap_or(self.id) {
            "sheets" if verb == Method::GET => "sheets.read".into(),
            "sheets" => "sheets.write".into(),
            family => family.into(),
        }
    }
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub verb: Method,
    pub path: String,
    pub params: Vec<(String, String)>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    /// The JSON, or the form.
    pub bytes: Bytes,
    /// The file that came with it.
    pub upload: Option<Bytes>,
    connection: Option<Extension<ConnectInfo<CutSwitch>>>,
}

impl Asked {
    /// A part of the path, as the route names it.
    pub fn param(&self, name: &str) -> &str {
        of(&self.params, name).unwrap_or_default()
    }

    /// A value of the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        of(&self.query, name)
    }

    /// All values of the query under this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.query.iter().filter(move |(key, _)| key == name);
        named.map(|(_, value)| value.as_str())
    }

    /// A header's value.
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

    /// The body as a form.
    pub fn form(&self) -> Vec<(String, String)> {
        serde_urlencoded::from_bytes(&self.bytes).unwrap_or_default()
    }

    fn bearer(&self) -> Option<&str> {
        let value = self.header(header::AUTHORIZATION.as_str())?;
        value.strip_prefix("Bearer ")
    }
}

fn of<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = pairs.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

impl<S: Send + Sync> axum::extract::FromRequest<S> for Asked {
    type Rejection = StatusCode;

    async fn from_request(request: Request, state: &S) -> Result<Self, StatusCode> {
        let (mut parts, body) = request.into_parts();
        let params = params(&mut parts, state).await;
        let bytes = axum::body::to_bytes(body, MAX_BODY).await;
        let bytes = bytes.map_err(|_| StatusCode::PAYLOAD_TOO_LARGE)?;
        let kind = parts.headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let (bytes, upload) = match kind.starts_with("multipart/") {
            true => {
                let [json, upload] = related::parts(kind, &bytes).ok_or(StatusCode::BAD_REQUEST)?;
                (json, Some(upload))
            }
            false => (bytes, None),
        };
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self {
            verb: parts.method,
            path: parts.uri.path().to_owned(),
            params,
            query: serde_urlencoded::from_str(query).map_err(|_| StatusCode::BAD_REQUEST)?,
            headers: parts.headers,
            bytes,
            upload,
            connection: parts.extensions.remove(),
        })
    }
}

async fn params<S: Send + Sync>(parts: &mut Parts, state: &S) -> Vec<(String, String)> {
    let Ok(params) = RawPathParams::from_request_parts(parts, state).await else {
        return Vec::new();
    };
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    params.iter().map(owned).collect()
}

/// What a method gives.
pub(crate) enum Given {
    /// 200 with JSON.
    Json(Value),
    /// 200 with text.
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
    /// Whose token was shown.
    pub email: String,
    pub asked: &'a Asked,
    pub now: Timestamp,
    pub search_lag: Duration,
}

impl Scene<'_> {
    /// The caller's own account.
    pub fn account(&mut self) -> Result<&mut Account, ApiError> {
        let account = self.state.accounts.get_mut(&self.email);
        account.ok_or_else(ApiError::unauthenticated)
    }
}

pub(crate) type Effect = fn(&mut Scene<'_>) -> Result<Given, ApiError>;

impl GoogleLocal {
    /// Whoever is told of every call with its answer; in tests, to check it against Google's own descriptions.
    pub fn observe(&self, observer: impl Fn(&Seen) + Send + Sync + 'static) {
        *lock(&self.0.observer) = Some(Arc::new(observer));
    }

    /// Serves a call of an API: token, scopes and quota, then what it does.
    pub(crate) async fn api(self, asked: Asked, spec: Spec, effect: Effect) -> Response {
        let connection = asked.connection.clone();
        let work = async move {
            let effect = || self.effect(&asked, spec, effect);
            self.through(&asked, spec.id, effect).await
        };
        outlive(work, connection).await
    }

    /// Serves a call that shows no token.
    pub(crate) async fn open_api(
        self,
        asked: Asked,
        id: &'static str,
        effect: impl FnOnce(&Self, &Asked) -> Response + Send + 'static,
    ) -> Response {
        let connection = asked.connection.clone();
        let work = async move { self.through(&asked, id, || effect(&self, &asked)).await };
        outlive(work, connection).await
    }

    fn effect(&self, asked: &Asked, spec: Spec, effect: Effect) -> Response {
        let done = self.authorised(asked, spec).and_then(|email| {
            let mut state = lock(&self.0.state);
            let done = effect(&mut Scene {
                state: &mut state,
                email,
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

    fn authorised(&self, asked: &Asked, spec: Spec) -> Result<String, ApiError> {
        let token = asked.bearer().ok_or_else(ApiError::unauthenticated)?;
        let now = self.now();
        let (email, scopes) = {
            let state = lock(&self.0.state);
            let found = state.oauth.access(token, now);
            found.ok_or_else(ApiError::unauthenticated)?
        };
        if !spec.scopes.iter().any(|scope| scopes.contains(*scope)) {
            return Err(ApiError::insufficient_scopes());
        }
        let service = spec.service(&asked.verb);
        let quotas = &self.0.options.quotas;
        lock(&self.0.used).take(quotas, (&email, &service), spec.units, now)?;
        Ok(email)
    }

    /// Records a call, and takes it through the gates and faults around its effect; without an answer its
    /// connection is cut.
    async fn through(
        &self,
        asked: &Asked,
        id: &str,
        effect: impl FnOnce() -> Response,
    ) -> Option<Response> {
        let faults = &self.0.faults;
        let arguments = json!({"path": asked.path, "query": asked.query, "body": asked.body().unwrap_or_default()});
        let call = faults.record(id, arguments, self.now().as_millisecond());
        if faults.pass(&call, Hold::BeforeEffect).await == Release::Drop {
            return None;
        }
        let fault = faults.take(id);
        match &fault {
            Some(Fault::DropBefore) => return None,
            Some(Fault::Error {
                status,
                reason,
                retry_after,
            }) => {
                let error = ApiError::new(*status, reason, "As was wished.");
                return Some(error.retry_after(*retry_after).into_response());
            }
            _ => {}
        }
        let response = effect();
        if faults.pass(&call, Hold::AfterEffect).await == Release::Drop {
            return None;
        }
        match fault {
            Some(Fault::DropAfter) => None,
            Some(Fault::ErrorAfter { status }) => {
                Some(ApiError::new(status, "backendError", "As was wished.").into_response())
            }
            Some(Fault::GarbledAfter) => Some((StatusCode::OK, "{\"id\": ").into_response()),
            Some(Fault::Error { .. } | Fault::DropBefore) | None => Some(response),
        }
    }
}
