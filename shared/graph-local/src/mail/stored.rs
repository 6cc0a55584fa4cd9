//! A message as it is kept, and as RFC 5322 has it.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use mail_builder::MessageBuilder;
use mail_builder::headers::address::Address;
use mail_builder::headers::message_id::MessageId;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use super::mailbox::Folder;
use crate::error::ApiError;

/// `In-Reply-To` and `References`, as a mailbox keeps them (MS-OXPROPS 2.683 and 2.687).
const IN_REPLY_TO: &str = "String 0x1042";
const REFERENCES: &str = "String 0x1039";

/// A message.
#[derive(Clone, Debug)]
pub(super) struct Stored {
    pub folder: Folder,
    pub is_read: bool,
    pub is_draft: bool,
    pub categories: BTreeSet<String>,
    pub at: Timestamp,
    /// Counts its changes, and its moves.
    pub changes: u64,
    pub moves: u64,
    /// Extended properties by id.
    pub properties: BTreeMap<String, String>,
    /// As it came; of what was written here, how it was written.
    pub body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    Raw(Vec<u8>),
    Written {
        message: Value,
        message_id: String,
        from: String,
        files: Vec<File>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct File {
    pub name: String,
    pub content_type: String,
    pub content: Vec<u8>,
}

fn addresses(list: &Value) -> Address<'static> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    let one = |one: &Value| {
        let text = |field: &str| one["emailAddress"][field].as_str().map(str::to_owned);
        Address::new_address(text("name"), text("address").unwrap_or_default())
    };
    Address::new_list(list.iter().map(one).collect())
}

impl Stored {
    /// It as RFC 5322 has it.
    pub fn mime(&self) -> Vec<u8> {
        let (message, message_id, from, files) = match &self.body {
            Body::Raw(raw) => return raw.clone(),
            Body::Written {
                message,
                message_id,
                from,
                files,
            } => (message, message_id, from, files),
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut built = MessageBuilder::new()
            .from(Address::new_address(None::<String>, from.clone()))
            .to(addresses(&message["toRecipients"]))
            .subject(text(&message["subject"]))
            .date(self.at.as_second())
            .message_id(message_id.clone())
            .text_body(text(&message["body"]["content"]));
        if message["ccRecipients"]
            .as_array()
            .is_some_and(|cc| !cc.is_empty())
        {
            built = built.cc(addresses(&message["ccRecipients"]));
        }
        let bare = |id: &str| id.trim_matches(['<', '>']).to_owned();
        if let Some(id) = self.properties.get(IN_REPLY_TO) {
            built = built.in_reply_to(bare(id));
        }
        if let Some(ids) = self.properties.get(REFERENCES) {
            let ids: Vec<String> = ids.split_whitespace().map(bare).collect();
            built = built.references(MessageId::from(ids));
        }
        for file in files {
            let kind = file.content_type.clone();
            built = built.attachment(kind, file.name.clone(), file.content.clone());
        }
        built.write_to_vec().unwrap_or_default()
    }
}

/// What stands in a JSON field as base64.
pub(super) fn decoded(value: &Value) -> Result<Vec<u8>, ApiError> {
    let text = value.as_str().unwrap_or_default();
    let decoded = BASE64_STANDARD.decode(text);
    decoded.map_err(|_| ApiError::bad_request("contentBytes isn't base64"))
}
