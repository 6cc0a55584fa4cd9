//! A message in each format that Alfred asks for.

use alfred_core::html::escaped;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE;
use mail_parser::{Address, HeaderValue, MessageParser, MessagePart, MimeHeaders};
use serde_json::{Value, json};

use super::index::text;
use super::mailbox::{Mailbox, Stored, id};
use crate::error::ApiError;
use crate::exchange::Asked;

/// Characters of a snippet.
const SNIPPET: usize = 200;

pub(super) enum Format {
    Minimal,
    /// These headers.
    Metadata(Vec<String>),
    Raw,
}

impl Format {
    pub fn read(asked: &Asked) -> Result<Self, ApiError> {
        match asked.query("format") {
            Some("minimal") => Ok(Self::Minimal),
            Some("metadata") => {
                let headers = asked.all("metadataHeaders").map(str::to_lowercase);
                Ok(Self::Metadata(headers.collect()))
            }
            Some("raw") => Ok(Self::Raw),
            other => Err(ApiError::invalid(format!("Invalid format: {other:?}"))),
        }
    }
}

pub(super) fn message(mailbox: &Mailbox, number: u64, format: &Format) -> Value {
    let Some(stored) = mailbox.messages.get(&number) else {
        return Value::Null;
    };
    let parsed = MessageParser::default().parse(&stored.raw);
    let parsed = parsed.unwrap_or_default();
    let mut shown = json!({
        "id": id(number),
        "threadId": id(stored.thread),
        "labelIds": stored.labels,
        "snippet": snippet(&text(&parsed)),
        "historyId": stored.history.to_string(),
        "internalDate": stored.at_ms.to_string(),
        "sizeEstimate": stored.raw.len(),
    });
    match format {
        Format::Minimal => {}
        Format::Metadata(wanted) => {
            shown["payload"] = json!({
                "mimeType": mime_type(parsed.parts.first()),
                "headers": headers(parsed.parts.first(), stored, wanted),
            });
        }
        Format::Raw => shown["raw"] = json!(BASE64_URL_SAFE.encode(&stored.raw)),
    }
    shown
}

/// The first words, escaped for HTML.
fn snippet(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let first: String = words.join(" ").chars().take(SNIPPET).collect();
    escaped(&first).replace('\'', "&#39;")
}

fn mime_type(part: Option<&MessagePart<'_>>) -> String {
    let kind = part.and_then(MimeHeaders::content_type);
    match kind.map(|kind| (kind.ctype(), kind.subtype())) {
        Some((kind, Some(subtype))) => format!("{kind}/{subtype}").to_lowercase(),
        _ => "text/plain".into(),
    }
}

/// Words and names decoded, lines unfolded, as Gmail gives them.
fn headers(part: Option<&MessagePart<'_>>, stored: &Stored, wanted: &[String]) -> Vec<Value> {
    let mut shown = Vec::new();
    for header in part.map(|part| part.headers.as_slice()).unwrap_or_default() {
        let name = header.name();
        if !wanted.contains(&name.to_lowercase()) {
            continue;
        }
        let (start, end) = (header.offset_start() as usize, header.offset_end() as usize);
        let raw = stored.raw.get(start..end);
        let value = match header.value() {
            HeaderValue::Text(text) if name.eq_ignore_ascii_case("subject") => text.to_string(),
            HeaderValue::Address(address) => people(address),
            _ => String::from_utf8_lossy(raw.unwrap_or_default())
                .replace(['\r', '\n'], "")
                .trim()
                .to_owned(),
        };
        shown.push(json!({"name": name, "value": value}));
    }
    shown
}

fn people(address: &Address<'_>) -> String {
    let one = |one: &mail_parser::Addr<'_>| {
        let at = one.address().unwrap_or_default();
        match one.name() {
            Some(name) if name.contains([',', '"', '(', '@']) => {
                format!("\"{}\" <{at}>", name.replace('"', "\\\""))
            }
            Some(name) => format!("{name} <{at}>"),
            None => at.to_owned(),
        }
    };
    let shown: Vec<String> = address.iter().map(one).collect();
    shown.join(", ")
}
