//! The fields that are read of Gmail's answers
//! (<https://developers.google.com/workspace/gmail/api/reference/rest>).

use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Profile {
    pub email_address: String,
    pub history_id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Listing {
    pub messages: Vec<Named>,
    pub next_page_token: Option<String>,
    pub result_size_estimate: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Named {
    pub id: String,
    pub thread_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message {
    pub id: String,
    pub label_ids: BTreeSet<String>,
    /// HTML-escaped.
    pub snippet: String,
    pub history_id: String,
    /// Milliseconds since 1970.
    pub internal_date: String,
    pub payload: Payload,
    /// The raw mail in base64url.
    pub raw: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Payload {
    pub mime_type: String,
    pub headers: Vec<Header>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    pub name: String,
    pub value: String,
}

impl Message {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.payload.headers.iter();
        let found = headers.find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| header.value.as_str())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Labels {
    pub labels: Vec<Label>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Label {
    pub id: String,
    pub name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct History {
    pub history: Vec<Record>,
    pub history_id: String,
    pub next_page_token: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Record {
    pub id: String,
    pub messages_deleted: Vec<Changed>,
    pub labels_added: Vec<Changed>,
    pub labels_removed: Vec<Changed>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Changed {
    pub message: Named,
    pub label_ids: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Drafts {
    pub drafts: Vec<Draft>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Draft {
    pub id: String,
    pub message: Named,
}
