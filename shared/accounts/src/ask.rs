//! The description of a call to a provider's API.

use alfred_core::ports::AccountService;
use reqwest::Method;
use serde_json::Value;

use crate::upload::Upload;

#[derive(Clone, Debug)]
pub enum Body {
    Nothing,
    Json(Value),
    /// A file and its JSON metadata.
    Described(Value, Upload),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Ask {
    pub verb: Method,
    pub service: AccountService,
    pub url: String,
    pub query: Vec<(&'static str, String)>,
    pub body: Body,
    pub headers: Vec<(&'static str, String)>,
    pub signed: bool,
    pub repeatable: bool,
    /// Whether it changes nothing, so that its outcome is never unknown.
    pub is_read: bool,
}

impl Ask {
    pub fn get(service: AccountService, url: String) -> Self {
        Self::new(Method::GET, service, url).reading()
    }

    pub fn post(service: AccountService, url: String, body: Value) -> Self {
        Self::new(Method::POST, service, url).with_body(body)
    }

    pub fn post_nothing(service: AccountService, url: String) -> Self {
        Self::new(Method::POST, service, url)
    }

    pub fn patch(service: AccountService, url: String, body: Value) -> Self {
        Self::new(Method::PATCH, service, url).with_body(body)
    }

    pub fn delete(service: AccountService, url: String) -> Self {
        Self::new(Method::DELETE, service, url)
    }

    /// Uploads a part of a file to a URL that is itself the credential, so no token is sent.
    pub fn put_unsigned(service: AccountService, url: String, content: Vec<u8>) -> Self {
        Self {
            body: Body::Bytes(content),
            signed: false,
            ..Self::new(Method::PUT, service, url)
        }
    }

    fn new(verb: Method, service: AccountService, url: String) -> Self {
        Self {
            verb,
            service,
            url,
            query: Vec::new(),
            body: Body::Nothing,
            headers: Vec::new(),
            signed: true,
            repeatable: false,
            is_read: false,
        }
    }

    fn with_body(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// Adds a parameter, unless it is `None`.
    pub fn query_some(self, name: &'static str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Adds a file next to the JSON body. The URL must be an upload URL.
    pub fn with_upload(mut self, content_type: &'static str, content: Vec<u8>) -> Self {
        let upload = Upload {
            content_type,
            content,
        };
        let json = match self.body {
            Body::Json(json) => json,
            _ => Value::Null,
        };
        self.body = Body::Described(json, upload);
        self.query("uploadType", "multipart")
    }

    /// Makes the change conditional on this version.
    pub fn if_match(self, etag: Option<&str>) -> Self {
        match etag {
            Some(etag) => self.header("if-match", etag.to_owned()),
            None => self,
        }
    }

    pub fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Marks a call as one that changes nothing, whatever its method.
    pub fn reading(mut self) -> Self {
        self.is_read = true;
        self.repeatable()
    }

    /// Marks a call as idempotent: it is retried if no answer came.
    pub fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }
}
