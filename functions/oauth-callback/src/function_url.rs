//! <https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html>

use aws_lambda_events::http::{HeaderMap, HeaderName, HeaderValue};
use aws_lambda_events::lambda_function_urls::{
    LambdaFunctionUrlRequest, LambdaFunctionUrlResponse,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::{Page, Visit};

impl From<&LambdaFunctionUrlRequest> for Visit {
    /// Reads the form of a POST, otherwise the query string.
    fn from(event: &LambdaFunctionUrlRequest) -> Self {
        if event.request_context.http.method.as_deref() != Some("POST") {
            return Self::arriving(event.raw_query_string.as_deref().unwrap_or_default());
        }
        let body = event.body.as_deref().unwrap_or_default();
        if event.is_base64_encoded {
            return Self::confirming(&BASE64_STANDARD.decode(body).unwrap_or_default());
        }
        Self::confirming(body.as_bytes())
    }
}

impl Page {
    pub fn into_function_url(self) -> LambdaFunctionUrlResponse {
        let mut headers = HeaderMap::new();
        for (name, value) in Self::HEADERS {
            let value = HeaderValue::from_static(value);
            headers.insert(HeaderName::from_static(name), value);
        }
        let mut response = LambdaFunctionUrlResponse::default();
        response.status_code = i64::from(self.status);
        response.headers = headers;
        response.body = Some(self.body);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event: &str) -> Visit {
        let event: LambdaFunctionUrlRequest = serde_json::from_str(event).unwrap();
        Visit::from(&event)
    }

    #[test]
    fn a_visit_is_read_from_the_address_or_the_form() {
        let get = r#"{"rawQueryString": "state=a.b&code=4%2F0", "headers": {}, "isBase64Encoded": false,
            "rawPath": "/oauth/callback", "version": "2.0", "requestContext": {"accountId": "anonymous", "requestId": "r",
            "time": "23/Nov/2026:09:00:00 +0000", "timeEpoch": 1795424400000, "http": {"method": "GET",
            "path": "/oauth/callback", "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "x"}}}"#;
        let visit = read(get);
        assert_eq!((visit.state(), visit.code()), ("a.b", Some("4/0")));
        assert!(!visit.confirmed);
        let form = BASE64_STANDARD.encode("state=a.b&code=4%2F0");
        let body = format!("\"body\": \"{form}\", \"isBase64Encoded\": true");
        let post = get.replace("GET", "POST");
        let post = post.replace("state=a.b&code=4%2F0", "state=forged");
        let post = post.replace("\"isBase64Encoded\": false", &body);
        let visit = read(&post);
        assert_eq!((visit.state(), visit.code()), ("a.b", Some("4/0")));
        assert!(visit.confirmed);
    }
}
