//! Labels: those of the system, and a person's own.

use serde_json::{Value, json};

use super::{body_of, mailbox_of};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// Those that everybody has.
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
/// Those that are Gmail's alone to set.
pub(super) const FIXED: [&str; 2] = ["SENT", "DRAFT"];

/// A label's name as it is searched for: `Alfred/Backlog` is `alfred-backlog`.
pub(super) fn searched(name: &str) -> String {
    name.to_lowercase().replace(['/', ' '], "-")
}

fn shown(id: &str, name: &str, kind: &str) -> Value {
    json!({"id": id, "name": name, "type": kind})
}

pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let mailbox = mailbox_of(scene)?;
    let system = SYSTEM.iter().map(|id| shown(id, id, "system"));
    let own = mailbox
        .labels
        .iter()
        .map(|(id, name)| shown(id, name, "user"));
    let labels: Vec<Value> = system.chain(own).collect();
    Ok(json!({ "labels": labels }).into())
}

pub(super) fn create(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = body_of(scene)?;
    let name = body["name"].as_str().unwrap_or_default().trim().to_owned();
    let mailbox = mailbox_of(scene)?;
    let is_taken = SYSTEM
        .iter()
        .any(|system| searched(system) == searched(&name))
        || mailbox
            .labels
            .values()
            .any(|known| searched(known) == searched(&name));
    match name.is_empty() {
        true => Err(ApiError::invalid("Invalid label name")),
        false if is_taken => Err(ApiError::new(
            409,
            "aborted",
            "Label name exists or conflicts",
        )),
        false => {
            let id = mailbox.put_label(&name);
            Ok(shown(&id, &name, "user").into())
        }
    }
}
