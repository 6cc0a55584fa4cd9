//! A message as it is told.

use jiff::Timestamp;
use mail_parser::{Address, HeaderValue, Message, MessageParser};
use serde_json::{Value, json};

use super::mailbox::Mailbox;
use super::stored::{Body, Stored};
use crate::asked::Asked;
use crate::error::ApiError;

/// Everything that may be selected; the last only where it is.
const FIELDS: [&str; 15] = [
    "id",
    "changeKey",
    "categories",
    "receivedDateTime",
    "sentDateTime",
    "hasAttachments",
    "internetMessageId",
    "subject",
    "bodyPreview",
    "parentFolderId",
    "isRead",
    "isDraft",
    "from",
    "toRecipients",
    "internetMessageHeaders",
];
/// The longest preview, in characters.
const PREVIEW: usize = 255;

fn person(name: Option<&str>, address: Option<&str>) -> Value {
    let address = address.unwrap_or_default();
    // Whoever has no name is called by their address.
    json!({"emailAddress": {"name": name.unwrap_or(address), "address": address}})
}

fn people(list: Option<&Address<'_>>) -> Vec<Value> {
    let all = list.into_iter().flat_map(Address::iter);
    all.map(|one| person(one.name(), one.address())).collect()
}

/// The text of a message, as previews and searches have it.
pub(super) fn text(parsed: &Message<'_>) -> String {
    parsed.body_text(0).unwrap_or_default().into_owned()
}

fn headers(parsed: &Message<'_>) -> Vec<Value> {
    let raw = parsed.headers_raw();
    raw.map(|(name, value)| json!({"name": name, "value": value.trim()}))
        .collect()
}

/// A message with what is selected, or with all that is usual.
pub(super) fn message(mailbox: &Mailbox, number: u64, asked: &Asked) -> Result<Value, ApiError> {
    let stored = mailbox.messages.get(&number);
    let stored = stored.ok_or_else(ApiError::not_found)?;
    let selected: Vec<&str> = match asked.query("$select") {
        Some(names) => names.split(',').collect(),
        None => FIELDS[..FIELDS.len() - 1].to_vec(),
    };
    if let Some(unknown) = selected.iter().find(|name| !FIELDS.contains(name)) {
        let words = format!("Could not find a property named '{unknown}'");
        return Err(ApiError::bad_request(words));
    }
    let raw = stored.mime();
    let parsed = MessageParser::default().parse(&raw).unwrap_or_default();
    let mut shown = json!({"id": mailbox.told(number, asked.immutable())});
    for name in selected {
        shown[name] = match name {
            "id" => continue,
            name => field(name, stored, &parsed),
        };
    }
    Ok(shown)
}

fn field(name: &str, stored: &Stored, parsed: &Message<'_>) -> Value {
    let at = |at: Timestamp| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    match name {
        "changeKey" => json!(format!("CQAAAB{}", stored.changes)),
        "categories" => json!(stored.categories),
        "receivedDateTime" | "sentDateTime" => json!(at(stored.at)),
        "hasAttachments" => json!(parsed.attachment_count() > 0),
        "internetMessageId" => json!(parsed.message_id().map(|id| format!("<{id}>"))),
        "subject" => json!(parsed.subject().unwrap_or_default()),
        "bodyPreview" => json!(text(parsed).chars().take(PREVIEW).collect::<String>()),
        "parentFolderId" => json!(stored.folder.id()),
        "isRead" => json!(stored.is_read),
        "isDraft" => json!(stored.is_draft),
        "from" => people(parsed.from()).into_iter().next().unwrap_or_default(),
        "toRecipients" => json!(people(parsed.to())),
        // What was written here has none.
        "internetMessageHeaders" => match &stored.body {
            Body::Raw(_) => json!(headers(parsed)),
            Body::Written { .. } => Value::Null,
        },
        _ => Value::Null,
    }
}

/// Who wrote it, for searches.
pub(super) fn sender(parsed: &Message<'_>) -> String {
    named(parsed.header("From").and_then(HeaderValue::as_address))
}

/// To whom it goes, for searches.
pub(super) fn recipients(parsed: &Message<'_>) -> String {
    named(parsed.to())
}

fn named(list: Option<&Address<'_>>) -> String {
    let all = list.into_iter().flat_map(Address::iter);
    let words = all.flat_map(|one| [one.name(), one.address()]).flatten();
    words.collect::<Vec<_>>().join(" ")
}
