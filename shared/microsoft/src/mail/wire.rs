//! The fields that are read of Graph's mail answers (<https://learn.microsoft.com/graph/api/resources/message>).

use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeSet;

use crate::person::Recipient;

/// Requested fields of an envelope. The headers show whether a machine wrote it, and are only returned on request.
pub(super) const ENVELOPE: &str = "id,receivedDateTime,hasAttachments,subject,bodyPreview,parentFolderId,isRead,isDraft,categories,from,toRecipients,internetMessageHeaders";

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message {
    pub id: String,
    pub change_key: String,
    pub received_date_time: Option<Timestamp>,
    pub sent_date_time: Option<Timestamp>,
    pub has_attachments: bool,
    /// In angle brackets.
    pub internet_message_id: String,
    pub subject: String,
    pub body_preview: String,
    pub parent_folder_id: String,
    pub is_read: bool,
    pub is_draft: Option<bool>,
    pub categories: BTreeSet<String>,
    pub from: Recipient,
    pub to_recipients: Vec<Recipient>,
    pub internet_message_headers: Vec<Header>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Header {
    pub name: String,
    pub value: String,
}
