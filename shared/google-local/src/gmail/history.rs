use serde_json::{Value, json};

use super::mailbox::{Change, Record, id};
use super::{mailbox_of, most};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

/// A page token is the id of the last record.
pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let number = |name: &str| asked.query(name)?.parse().ok();
    let start: Option<u64> = number("startHistoryId");
    let start = start.ok_or_else(|| ApiError::invalid("Invalid startHistoryId"))?;
    let after = number("pageToken").unwrap_or(start);
    let most = most(asked)?;
    let mailbox = mailbox_of(scene)?;
    if start < mailbox.history_from || start > mailbox.history_id() {
        return Err(ApiError::not_found());
    }
    let first = mailbox.history.partition_point(|record| record.id <= after);
    let rest = &mailbox.history[first..];
    let page = &rest[..most.min(rest.len())];
    let mut answer = json!({"historyId": mailbox.history_id().to_string()});
    if let Some(last) = page.last() {
        answer["history"] = page.iter().map(shown).collect();
        if page.len() < rest.len() {
            answer["nextPageToken"] = json!(last.id.to_string());
        }
    }
    Ok(answer.into())
}

fn shown(record: &Record) -> Value {
    let named = json!({"id": id(record.message), "threadId": id(record.thread)});
    let mut change = json!({"message": named});
    change["message"]["labelIds"] = json!(record.labels);
    let (field, ids) = match &record.change {
        Change::Added => ("messagesAdded", None),
        Change::Deleted => ("messagesDeleted", None),
        Change::LabelsAdded(ids) => ("labelsAdded", Some(ids)),
        Change::LabelsRemoved(ids) => ("labelsRemoved", Some(ids)),
    };
    if let Some(ids) = ids {
        change["labelIds"] = json!(ids);
    }
    json!({"id": record.id.to_string(), "messages": [named], field: [change]})
}
