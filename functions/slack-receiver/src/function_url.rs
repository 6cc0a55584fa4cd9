//! Only the needed fields, since a full event type costs start-up time (payload format 2.0,
//! <https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html>).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

use crate::{RawRequest, Reply};

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionUrlRequest {
    /// Names are lower case. Values of repeated headers are joined by commas.
    #[serde(default)]
    headers: HashMap<String, String>,
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FunctionUrlReply {
    status_code: u16,
    headers: HashMap<&'static str, &'static str>,
    body: String,
    /// Always empty. AWS doesn't need it, but `cargo lambda watch` answers 500 without it.
    cookies: [&'static str; 0],
}

impl From<FunctionUrlRequest> for RawRequest {
    /// Keeps a body with invalid base64 as it is: its signature won't match.
    fn from(event: FunctionUrlRequest) -> Self {
        let text = event.body.unwrap_or_default();
        let body = if event.is_base64_encoded {
            STANDARD.decode(&text).unwrap_or(text.into_bytes())
        } else {
            text.into_bytes()
        };
        Self::new(event.headers, body)
    }
}

impl From<Reply> for FunctionUrlReply {
    fn from(reply: Reply) -> Self {
        Self {
            status_code: reply.status,
            headers: HashMap::from([("content-type", reply.content_type)]),
            body: reply.body,
            cookies: [],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(event: serde_json::Value) -> RawRequest {
        let event: FunctionUrlRequest = serde_json::from_value(event).unwrap();
        event.into()
    }

    #[test]
    fn a_base64_body_is_decoded_to_its_raw_bytes() {
        let encoded = read(json!({
            "headers": {"content-type": "text/plain"}, "body": "aMOp/w==", "isBase64Encoded": true,
            "requestContext": {"http": {"method": "POST"}}, "rawPath": "/",
        }));
        assert_eq!(encoded.body, b"h\xc3\xa9\xff");
        assert_eq!(encoded.header("Content-Type"), Some("text/plain"));
        let odd = read(json!({"body": "?", "isBase64Encoded": true}));
        assert_eq!(odd.body, b"?");
        assert_eq!(read(json!({})).body, b"");
    }

    #[test]
    fn the_answer_has_the_documented_shape() {
        let reply = FunctionUrlReply::from(Reply::text(401, "no"));
        let expected = json!({"statusCode": 401, "headers": {"content-type": "text/plain; charset=utf-8"}, "body": "no", "cookies": []});
        assert_eq!(serde_json::to_value(reply).unwrap(), expected);
    }
}
