//! Labels: those of the system, and a person's own.

use serde_json::{Value, json};

use super::{body_of, mailbox_of};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// Everybody has these.
pub(super) const SYSTEM: [&str; 8] = [
    "INBOX",
    "UNREAD",
    "SENT",
    "DRAFT",
    "SPAM",
    "TRASH",
    "STARRED",
    "IMPORTANT",
];
/// Only Gmail sets these.
pub(super) const FIXED: [&str; 2] = ["SENT", "DRAFT"];

/// A label's name as searches write it: `Alfred/Backlog` is `alfred-backlog`.
pub(super) fn searched(name: &str) -> String {
    name.to_lowercase().replace(['/', ' '], "-")
}

fn shown(id: &str, name: &str, kind: &str) -> Value {
    json!({"id": id, "name": name, "type": kind})
}

pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let own = mailbox_of(scene)?.labels.iter();
    let own = own.map(|(id, name)| shown(id, name, "user"));
    let system = SYSTEM.iter().map(|id| shown(id, id, "system"));
    let labels: Vec<Value> = system.chain(own).collect();
    Ok(json!({ "labels": labels }).into())
}

pub(super) fn create(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = body_of(scene)?;
    let name = body["name"].as_str().unwrap_or_default();
    let mailbox = mailbox_of(scene)?;
    if mailbox.label_named(name).is_some() {
        let message = "Label name exists or conflicts";
        return Err(ApiError::new(409, "aborted", message));
    }
    let id = mailbox.put_label(name);
    Ok(shown(&id, name, "user").into())
}
