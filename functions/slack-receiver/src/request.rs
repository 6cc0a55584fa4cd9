/// The body is not decoded before its signature is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawRequest {
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl RawRequest {
    pub fn new<N: Into<String>, V: Into<String>>(
        headers: impl IntoIterator<Item = (N, V)>,
        body: impl Into<Vec<u8>>,
    ) -> Self {
        let headers = headers.into_iter();
        let headers = headers.map(|(name, value)| (name.into(), value.into()));
        Self {
            headers: headers.collect(),
            body: body.into(),
        }
    }

    /// The header's value if there is exactly one.
    pub fn header(&self, name: &str) -> Option<&str> {
        let same = |(n, _): &&(String, String)| n.eq_ignore_ascii_case(name);
        let mut found = self.headers.iter().filter(same);
        match (found.next(), found.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        let media = value.split(';').next().unwrap_or_default();
        media.trim().to_ascii_lowercase()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
}

impl Reply {
    /// The JSON of the body, if it is JSON.
    pub fn answer(&self) -> Option<serde_json::Value> {
        let is_json = self.content_type == "application/json";
        let body = is_json.then(|| serde_json::from_str(&self.body));
        body.and_then(Result::ok)
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self::text(status, "")
    }

    pub(crate) fn text(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            body: body.into(),
        }
    }

    pub(crate) fn json(body: &serde_json::Value) -> Self {
        Self {
            status: 200,
            content_type: "application/json",
            body: body.to_string(),
        }
    }
}
