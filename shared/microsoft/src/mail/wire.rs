//! The fields that are read of Graph's mail answers
//! (<https://learn.microsoft.com/graph/api/resources/message>).

use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeSet;

use crate::person::Recipient;

/// Requested fields of an envelope. The headers show whether a machine wrote it, and are only returned on
/// request.
pub(super) const ENVELOPE: &str = "id,receivedDateTime,hasAttachments,subject,bodyPreview,parentFolderId,isRead,isDraft,categories,from,toRecipients,internetMessageHeaders";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message {
    pub id: String,
    pub change_key: Option<String>,
    pub received_date_time: Option<Timestamp>,
    pub sent_date_time: Option<Timestamp>,
    pub has_attachments: Option<bool>,
    /// In angle brackets.
    pub internet_message_id: Option<String>,
    pub subject: Option<String>,
    pub body_preview: Option<String>,
    pub parent_folder_id: Option<String>,
    pub is_read: Option<bool>,
    pub is_draft: Option<bool>,
    pub categories: Option<BTreeSet<String>>,
    pub from: Option<Recipient>,
    pub to_recipients: Option<Vec<Recipient>>,
    pub internet_message_headers: Option<Vec<Header>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    pub name: String,
    pub value: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Listing {
    pub value: Vec<Message>,
    #[serde(rename = "@odata.nextLink")]
    pub next_link: Option<String>,
    #[serde(rename = "@odata.count")]
    pub count: Option<usize>,
}
