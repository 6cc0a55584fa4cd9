//! A request as it came in, by itself or within a batch.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, Method};
use serde_json::Value;

use crate::error::ApiError;
use crate::{calendar, mail};

/// A request of Graph.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub verb: Method,
    /// Behind `/v1.0`.
    pub path: Vec<String>,
    pub query: Vec<(String, String)>,
    pub headers: HeaderMap,
    pub bytes: Bytes,
}

/// The parts of a path, decoded.
pub(crate) fn parts(path: &str) -> Vec<String> {
    let decode = |part: &str| {
        let pair: Vec<(String, String)> =
            serde_urlencoded::from_str(&format!("p={}", part.replace('+', "%2B")))
                .unwrap_or_default();
        pair.into_iter()
            .next()
            .map_or(String::new(), |(_, value)| value)
    };
    path.trim_matches('/').split('/').map(decode).collect()
}

impl Asked {
    /// What a mailbox's owner sees of everything, by immutable ids.
    pub fn of_owner() -> Self {
        let mut headers = HeaderMap::new();
        let immutable = HeaderValue::from_static(r#"IdType="ImmutableId""#);
        headers.insert("prefer", immutable);
        let text = HeaderValue::from_static(r#"outlook.body-content-type="text""#);
        headers.append("prefer", text);
        Self {
            verb: Method::GET,
            path: Vec::new(),
            query: Vec::new(),
            headers,
            bytes: Bytes::new(),
        }
    }

    /// What it is named in faults and counts.
    pub fn name(&self) -> &'static str {
        calendar::name(self).unwrap_or_else(|| mail::name(self))
    }

    /// A value of the query.
    pub fn query(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Nothing but these may stand in the query.
    pub fn only(&self, known: &[&str]) -> Result<(), ApiError> {
        let mut names = self.query.iter().map(|(name, _)| name);
        match names.find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(ApiError::bad_request(format!(
                "unknown query option {name}"
            ))),
            None => Ok(()),
        }
    }

    /// The body, with nothing but these fields.
    pub fn body(&self, known: &[&str]) -> Result<Value, ApiError> {
        let body: Value = serde_json::from_slice(&self.bytes)
            .map_err(|error| ApiError::bad_request(format!("unable to read JSON: {error}")))?;
        let fields = body.as_object();
        let fields = fields.ok_or_else(|| ApiError::bad_request("a JSON object is required"))?;
        match fields.keys().find(|name| !known.contains(&name.as_str())) {
            Some(name) => Err(ApiError::new(
                400,
                "RequestBodyRead",
                format!("The property '{name}' does not exist"),
            )),
            None => Ok(body),
        }
    }

    /// Whether immutable ids are asked for (<https://learn.microsoft.com/graph/outlook-immutable-id>).
    pub fn immutable(&self) -> bool {
        self.prefers("IdType").as_deref() == Some("ImmutableId")
    }

    /// What is preferred under a name.
    pub fn prefers(&self, name: &str) -> Option<String> {
        let prefer = self.headers.get_all("prefer").iter();
        let mut prefer = prefer.filter_map(|value| value.to_str().ok()?.split_once('='));
        let found = prefer.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.trim_matches('"').to_owned())
    }

    pub fn bearer(&self) -> Option<&str> {
        let value = self.headers.get("authorization")?.to_str().ok()?;
        value.strip_prefix("Bearer ")
    }
}
