//! A call of a provider's API that is to be made.

use alfred_core::ports::AccountService;
use reqwest::Method;
use serde_json::Value;

use crate::upload::Upload;

/// What is sent.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Nothing,
    Json(Value),
    /// A file with the JSON that tells of it.
    Described(Value, Upload),
    Bytes(Vec<u8>),
}

/// A call to make.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub verb: Method,
    pub service: AccountService,
    pub url: String,
    pub query: Vec<(&'static str, String)>,
    pub body: Body,
    pub headers: Vec<(&'static str, String)>,
    /// Whether it shows a token.
    pub signed: bool,
    pub repeatable: bool,
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

    /// Has something done that needs no more words.
    pub fn post_nothing(service: AccountService, url: String) -> Self {
        Self::new(Method::POST, service, url)
    }

    /// Changes some fields.
    pub fn patch(service: AccountService, url: String, body: Value) -> Self {
        Self::new(Method::PATCH, service, url).with_body(body)
    }

    /// Deletes.
    pub fn delete(service: AccountService, url: String) -> Self {
        Self::new(Method::DELETE, service, url)
    }

    /// Puts a part of a file at an address that is its own proof, so that no token goes along.
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
        }
    }

    fn with_body(mut self, body: Value) -> Self {
        self.body = Body::Json(body);
        self
    }

    /// With a value of the query.
    pub fn query(mut self, name: &'static str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// With a file that its JSON tells of; the address is that of uploads.
    pub fn with_upload(mut self, upload: Upload) -> Self {
        let json = match self.body {
            Body::Json(json) => json,
            _ => Value::Null,
        };
        self.body = Body::Described(json, upload);
        self.query("uploadType", "multipart")
    }

    /// Only while it is of this version.
    pub fn if_match(self, etag: Option<&str>) -> Self {
        match etag {
            Some(etag) => self.header("if-match", etag.to_owned()),
            None => self,
        }
    }

    /// With a header.
    pub fn header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Made twice it does the same as made once, so it is tried again where no answer came.
    pub fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }
}
