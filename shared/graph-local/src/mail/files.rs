//! Files of a draft: small ones whole, large ones in parts
//! (<https://learn.microsoft.com/graph/outlook-large-attachments>).

use axum::http::Method;
use serde_json::json;

use super::mailbox::Mailbox;
use super::stored::{Body, File, decoded};
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;
use crate::state::State;

/// The most of a file that is given whole; the least of one in parts.
const WHOLE: usize = 3 * 1024 * 1024;
/// The most of a part; all but the last are multiples of the step.
const PART: usize = 4 * 1024 * 1024;
const STEP: usize = 320 * 1024;

/// A file that comes in parts.
#[derive(Debug)]
pub(crate) struct Session {
    message: u64,
    file: File,
    size: usize,
}

fn put(mailbox: &mut Mailbox, number: u64, file: File) -> Result<(), ApiError> {
    let stored = mailbox.messages.get_mut(&number);
    let stored = stored.filter(|stored| stored.is_draft);
    let stored = stored.ok_or_else(|| ApiError::new(400, "ErrorInvalidOperation", "no draft"))?;
    stored.changes += 1;
    if let Body::Written { files, .. } = &mut stored.body {
        files.push(file);
    }
    Ok(())
}

pub(super) fn attach(mailbox: &mut Mailbox, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let body = asked.body(&["@odata.type", "name", "contentType", "contentBytes"])?;
    if body["@odata.type"] != "#microsoft.graph.fileAttachment" {
        return Err(ApiError::bad_request("@odata.type"));
    }
    let content = decoded(&body["contentBytes"])?;
    if content.len() > WHOLE {
        return Err(ApiError::new(413, "ErrorMessageSizeExceeded", "too large"));
    }
    let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
    let file = File {
        name: text("name"),
        content_type: text("contentType"),
        content,
    };
    let number = mailbox.number(id)?;
    put(mailbox, number, file)?;
    Ok(Given::Json(201, json!({"name": body["name"]})))
}

pub(super) fn session(mailbox: &mut Mailbox, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let item = asked.body(&["AttachmentItem"])?["AttachmentItem"].clone();
    let size = item["size"]
        .as_u64()
        .and_then(|size| usize::try_from(size).ok());
    let size = size.filter(|size| *size >= WHOLE && item["attachmentType"] == "file");
    let size = size.ok_or_else(|| ApiError::bad_request("AttachmentItem"))?;
    let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
    let file = File {
        name: text("name"),
        content_type: text("contentType"),
        content: Vec::new(),
    };
    let message = mailbox.number(id)?;
    let named = format!("s{}", mailbox.next());
    mailbox.sessions.insert(
        named.clone(),
        Session {
            message,
            file,
            size,
        },
    );
    let host = asked
        .headers
        .get("host")
        .and_then(|host| host.to_str().ok());
    let url = format!("http://{}/upload/{named}", host.unwrap_or_default());
    Ok(Given::Json(
        201,
        json!({"uploadUrl": url, "nextExpectedRanges": ["0-"]}),
    ))
}

/// A part of a file, next to the one before.
pub(crate) fn upload(state: &mut State, asked: &Asked) -> Result<Given, ApiError> {
    if asked.verb != Method::PUT || asked.bearer().is_some() {
        return Err(ApiError::new(
            401,
            "InvalidAuthenticationToken",
            "No token here.",
        ));
    }
    let named = asked.path.get(1).map(String::as_str).unwrap_or_default();
    let mut mailboxes = state.mailboxes.values_mut();
    let mailbox = mailboxes.find(|mailbox| mailbox.sessions.contains_key(named));
    let mailbox = mailbox.ok_or_else(ApiError::not_found)?;
    let session = mailbox
        .sessions
        .get_mut(named)
        .ok_or_else(ApiError::not_found)?;
    let (from, part) = (session.file.content.len(), asked.bytes.len());
    let range = format!(
        "bytes {from}-{}/{}",
        (from + part).saturating_sub(1),
        session.size
    );
    let told = asked
        .headers
        .get("content-range")
        .and_then(|range| range.to_str().ok());
    let last = from + part == session.size;
    if told != Some(&range) || part == 0 || part > PART || !(last || part % STEP == 0) {
        return Err(ApiError::new(416, "InvalidRange", "Content-Range"));
    }
    session.file.content.extend_from_slice(&asked.bytes);
    if !last {
        return Ok(Given::Json(
            200,
            json!({"nextExpectedRanges": [format!("{}-", from + part)]}),
        ));
    }
    let whole = mailbox
        .sessions
        .remove(named)
        .ok_or_else(ApiError::not_found)?;
    put(mailbox, whole.message, whole.file)?;
    Ok(Given::Nothing(201))
}
