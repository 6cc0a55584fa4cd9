//! What changes messages.

use jiff::Timestamp;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use super::mailbox::{Folder, Mailbox, SUBMITTED};
use super::shown;
use super::stored::{Body, Stored};
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;

fn invalid(what: &str) -> ApiError {
    ApiError::new(400, "ErrorInvalidRequest", what)
}

/// A header's text: no line may end in it.
fn plain(value: &Value) -> Result<(), ApiError> {
    let odd = value
        .as_str()
        .is_some_and(|text| text.contains(['\r', '\n']));
    (!odd)
        .then_some(())
        .ok_or_else(|| invalid("a line break in a header"))
}

fn recipients(list: &Value) -> Result<(), ApiError> {
    for one in list.as_array().into_iter().flatten() {
        let address = &one["emailAddress"];
        plain(&address["name"])?;
        let valid = address["address"].as_str().is_some_and(|text| {
            text.matches('@').count() == 1 && !text.contains([' ', ',', '\r', '\n'])
        });
        if !valid {
            return Err(ApiError::new(400, "ErrorInvalidRecipients", "an address"));
        }
    }
    Ok(())
}

pub(super) fn create(
    mailbox: &mut Mailbox,
    asked: &Asked,
    now: Timestamp,
) -> Result<Given, ApiError> {
    let body = asked.body(&[
        "subject",
        "body",
        "toRecipients",
        "ccRecipients",
        "singleValueExtendedProperties",
    ])?;
    plain(&body["subject"])?;
    recipients(&body["toRecipients"])?;
    recipients(&body["ccRecipients"])?;
    if body["body"]["contentType"] != "text" {
        return Err(invalid("body.contentType"));
    }
    let mut properties = BTreeMap::new();
    let given = body["singleValueExtendedProperties"].as_array();
    for property in given.into_iter().flatten() {
        let (id, value) = (property["id"].as_str(), property["value"].as_str());
        let (Some(id), Some(value)) = (id, value) else {
            return Err(invalid("singleValueExtendedProperties"));
        };
        properties.insert(id.to_owned(), value.to_owned());
    }
    let message_id = format!("AM0PR{}@eurprd04.prod.outlook.com", mailbox.next());
    let stored = Stored {
        folder: Folder::Drafts,
        is_read: true,
        is_draft: true,
        categories: BTreeSet::new(),
        at: Timestamp::from_second(now.as_second()).unwrap_or(now),
        changes: 0,
        moves: 0,
        properties,
        body: Body::Written {
            from: mailbox.email.clone(),
            message: body,
            message_id,
            files: Vec::new(),
        },
    };
    let number = mailbox.add(stored);
    Ok(Given::Json(201, shown::message(mailbox, number, asked)?))
}

pub(super) fn patch(mailbox: &mut Mailbox, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let body = asked.body(&["isRead", "categories"])?;
    let number = mailbox.number(id)?;
    let stored = mailbox.messages.get_mut(&number);
    let stored = stored.ok_or_else(ApiError::not_found)?;
    if let Some(is_read) = body["isRead"].as_bool() {
        stored.is_read = is_read;
    }
    if let Some(categories) = body["categories"].as_array() {
        let names = categories.iter().filter_map(Value::as_str);
        stored.categories = names.map(str::to_owned).collect();
    }
    stored.changes += 1;
    Ok(Given::Json(200, shown::message(mailbox, number, asked)?))
}

pub(super) fn delete(mailbox: &mut Mailbox, id: &str) -> Result<Given, ApiError> {
    let number = mailbox.number(id)?;
    if let Some(stored) = mailbox.messages.get_mut(&number) {
        stored.folder = Folder::DeletedItems;
        stored.moves += 1;
        stored.changes += 1;
    }
    Ok(Given::Nothing(204))
}

pub(super) fn moved(mailbox: &mut Mailbox, asked: &Asked, id: &str) -> Result<Given, ApiError> {
    let body = asked.body(&["destinationId"])?;
    let to = Folder::named(body["destinationId"].as_str().unwrap_or_default());
    let to = to.ok_or_else(|| ApiError::new(404, "ErrorFolderNotFound", "destinationId"))?;
    let number = mailbox.number(id)?;
    if let Some(stored) = mailbox.messages.get_mut(&number) {
        stored.folder = to;
        stored.moves += 1;
        stored.changes += 1;
    }
    Ok(Given::Json(201, shown::message(mailbox, number, asked)?))
}

/// Accepted at once, done now or later.
pub(super) fn send(mailbox: &mut Mailbox, id: &str, now: Timestamp) -> Result<Given, ApiError> {
    let number = mailbox.number(id)?;
    let later = mailbox.sends_later;
    let stored = mailbox.messages.get_mut(&number);
    let stored = stored.ok_or_else(ApiError::not_found)?;
    if !stored.is_draft {
        return Err(ApiError::new(
            400,
            "ErrorInvalidOperation",
            "It isn't a draft.",
        ));
    }
    let empty = match &stored.body {
        Body::Written { message, .. } => {
            message["toRecipients"].as_array().is_none_or(Vec::is_empty)
        }
        Body::Raw(_) => false,
    };
    if empty {
        return Err(ApiError::new(
            400,
            "ErrorInvalidRecipients",
            "No recipients.",
        ));
    }
    stored.properties.insert(SUBMITTED.into(), String::new());
    mailbox.sent += 1;
    if !later {
        mailbox.finish(number, now);
    }
    Ok(Given::Nothing(202))
}
