//! Several requests in one (<https://learn.microsoft.com/graph/json-batching>). They run side by side, so that a
//! mailbox takes no more than four.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Value, json};

use crate::asked::{Asked, parts};
use crate::error::ApiError;
use crate::exchange::{AT_ONCE, Given};
use crate::state::GraphLocal;

const MOST: usize = 20;

impl GraphLocal {
    pub(crate) fn batch(&self, whole: &Asked) -> Result<Given, ApiError> {
        let body = whole.body(&["requests"])?;
        let requests = body["requests"].as_array().map_or(&[][..], Vec::as_slice);
        if requests.is_empty() || requests.len() > MOST {
            return Err(ApiError::bad_request("between 1 and 20 requests"));
        }
        let mut responses = Vec::new();
        for (at, request) in requests.iter().enumerate() {
            let id = request["id"].as_str().filter(|id| {
                let mut before = requests[..at].iter();
                !before.any(|other| other["id"] == **id)
            });
            let id =
                id.ok_or_else(|| ApiError::bad_request("each request has an id of its own"))?;
            let answer = match at < AT_ONCE {
                true => part(whole, request).and_then(|asked| self.within(&asked)),
                false => Err(ApiError::throttled("MailboxConcurrency", 1)),
            };
            responses.push(shown(id, answer));
        }
        // In whatever order.
        responses.reverse();
        Ok(Given::Json(200, json!({"responses": responses})))
    }
}

fn shown(id: &str, answer: Result<Given, ApiError>) -> Value {
    match answer {
        Ok(Given::Json(status, body)) => json!({"id": id, "status": status, "body": body}),
        Ok(Given::Nothing(status)) => json!({"id": id, "status": status}),
        Ok(Given::Bytes(_)) => json!({"id": id, "status": 406}),
        Err(error) => {
            let mut shown = json!({"id": id, "status": error.status, "body": error.body()});
            if let Some(seconds) = error.retry_after {
                shown["headers"] = json!({"Retry-After": seconds.to_string()});
            }
            shown
        }
    }
}

fn part(whole: &Asked, request: &Value) -> Result<Asked, ApiError> {
    let wrong = |what: &str| ApiError::bad_request(format!("a request's {what}"));
    let verb = request["method"].as_str().unwrap_or_default();
    let verb = Method::from_bytes(verb.as_bytes()).map_err(|_| wrong("method"))?;
    let url = request["url"].as_str().filter(|url| url.starts_with('/'));
    let url = url.ok_or_else(|| wrong("url"))?;
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut headers = HeaderMap::new();
    for (name, value) in request["headers"].as_object().into_iter().flatten() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("header"))?;
        let value = value
            .as_str()
            .and_then(|value| HeaderValue::from_str(value).ok());
        headers.insert(name, value.ok_or_else(|| wrong("header"))?);
    }
    if request.get("body").is_some() && !headers.contains_key("content-type") {
        return Err(wrong("body without a Content-Type"));
    }
    if let Some(token) = whole.headers.get("authorization") {
        headers.insert("authorization", token.clone());
    }
    let bytes = request
        .get("body")
        .map(Value::to_string)
        .unwrap_or_default();
    Ok(Asked {
        verb,
        path: parts(path),
        query: serde_urlencoded::from_str(query).map_err(|_| wrong("query"))?,
        headers,
        bytes: Bytes::from(bytes),
    })
}
