//! Mail (<https://learn.microsoft.com/graph/api/resources/message>).

mod files;
mod list;
mod mailbox;
mod shown;
mod stored;
mod write;

pub use mailbox::{Folder, Mailbox};

use axum::http::Method;
use jiff::Timestamp;
use serde_json::json;

pub(crate) use files::upload;
pub(crate) use list::next_link;
pub(crate) use mailbox::base36;

use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;
use stored::Stored;

/// What a call is named in faults and counts.
pub(crate) fn name(asked: &Asked) -> &'static str {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    match (&asked.verb, path.as_slice()) {
        (_, ["$batch"]) => "batch",
        (_, ["upload", _]) => "attachments.upload",
        (&Method::GET, ["me"]) => "me.get",
        (&Method::GET, ["me", "mailFolders", _]) => "mailFolders.get",
        (&Method::GET, ["me", "mailFolders", _, "messages"] | ["me", "messages"]) => {
            "messages.list"
        }
        (&Method::GET, ["me", "mailFolders", _, "messages", _]) => "mailFolders.messages.get",
        (&Method::POST, ["me", "messages"]) => "messages.create",
        (&Method::GET, ["me", "messages", _]) => "messages.get",
        (&Method::PATCH, ["me", "messages", _]) => "messages.patch",
        (&Method::DELETE, ["me", "messages", _]) => "messages.delete",
        (&Method::GET, ["me", "messages", _, "$value"]) => "messages.mime",
        (&Method::POST, ["me", "messages", _, "move"]) => "messages.move",
        (&Method::POST, ["me", "messages", _, "send"]) => "messages.send",
        (&Method::POST, ["me", "messages", _, "attachments"]) => "attachments.create",
        (&Method::POST, ["me", "messages", _, "attachments", "createUploadSession"]) => {
            "attachments.createUploadSession"
        }
        _ => "unknown",
    }
}

/// What a call needs to have been granted.
pub(crate) fn scope(asked: &Asked) -> &'static str {
    match name(asked) {
        "me.get" => "User.Read",
        "messages.send" => "Mail.Send",
        _ => "Mail.ReadWrite",
    }
}

/// Serves a call of somebody's own mailbox.
pub(crate) fn served(
    mailbox: &mut Mailbox,
    asked: &Asked,
    now: Timestamp,
) -> Result<Given, ApiError> {
    let id = asked.path.get(2).map(String::as_str).unwrap_or_default();
    match name(asked) {
        "me.get" => {
            asked.only(&["$select"])?;
            Ok(Given::Json(
                200,
                json!({"mail": mailbox.email, "userPrincipalName": mailbox.email, "displayName": mailbox.name}),
            ))
        }
        "mailFolders.get" => {
            asked.only(&["$select"])?;
            let folder = Folder::named(id).ok_or_else(ApiError::not_found)?;
            Ok(Given::Json(200, json!({"id": folder.id()})))
        }
        "messages.list" => list::list(mailbox, asked),
        "mailFolders.messages.get" => {
            asked.only(&["$select"])?;
            let folder = Folder::named(id).ok_or_else(ApiError::not_found)?;
            let number = mailbox.number(asked.path.get(4).map_or("", String::as_str))?;
            let stored = mailbox.messages.get(&number);
            if stored.is_none_or(|stored| stored.folder != folder) {
                return Err(ApiError::not_found());
            }
            let shown = shown::message(mailbox, number, asked)?;
            Ok(Given::Json(200, shown))
        }
        "messages.get" => {
            asked.only(&["$select"])?;
            let number = mailbox.number(id)?;
            let shown = shown::message(mailbox, number, asked)?;
            Ok(Given::Json(200, shown))
        }
        "messages.mime" => {
            let number = mailbox.number(id)?;
            let raw = mailbox.messages.get(&number).map(Stored::mime);
            raw.map(Given::Bytes).ok_or_else(ApiError::not_found)
        }
        "messages.create" => write::create(mailbox, asked, now),
        "messages.patch" => write::patch(mailbox, asked, id),
        "messages.delete" => write::delete(mailbox, id),
        "messages.move" => write::moved(mailbox, asked, id),
        "messages.send" => write::send(mailbox, id, now),
        "attachments.create" => files::attach(mailbox, asked, id),
        "attachments.createUploadSession" => files::session(mailbox, asked, id),
        _ => Err(ApiError::bad_request("Resource not found for the segment.")),
    }
}
