//! What has happened since.

use serde_json::{Value, json};

use super::mailbox::{Change, Record, id};
use super::{mailbox_of, most, page_start, page_token};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let asked = scene.asked;
    let start = asked.query("startHistoryId").unwrap_or_default();
    let start: u64 = start
        .parse()
        .map_err(|_| ApiError::invalid("Invalid startHistoryId"))?;
    let types: Vec<&str> = asked.all("historyTypes").collect();
    let listed = format!("history {} {start} {types:?}", scene.email);
    let after = match asked.query("pageToken") {
        None => start,
        Some(token) => page_start(&listed, token)?.parse().unwrap_or(start),
    };
    let most = most(asked)?;
    let mailbox = mailbox_of(scene)?;
    if start < mailbox.history_from || start > mailbox.history_id() {
        return Err(ApiError::not_found());
    }
    let first = mailbox.history.partition_point(|record| record.id <= after);
    let mut records = mailbox.history[first..]
        .iter()
        .filter(|record| types.is_empty() || types.contains(&kind(record)));
    let page: Vec<&Record> = records.by_ref().take(most).collect();
    let mut answer = json!({"historyId": mailbox.history_id().to_string()});
    if let Some(last) = page.last() {
        answer["history"] = page.iter().map(|record| shown(record)).collect();
        if records.next().is_some() {
            answer["nextPageToken"] = json!(page_token(&listed, &last.id.to_string()));
        }
    }
    Ok(answer.into())
}

fn kind(record: &Record) -> &'static str {
    match record.change {
        Change::Added => "messageAdded",
        Change::Deleted => "messageDeleted",
        Change::LabelsAdded(_) => "labelAdded",
        Change::LabelsRemoved(_) => "labelRemoved",
    }
}

fn shown(record: &Record) -> Value {
    let named = json!({"id": id(record.message), "threadId": id(record.thread)});
    let mut message = named.clone();
    message["labelIds"] = json!(record.labels);
    let (field, change) = match &record.change {
        Change::Added => ("messagesAdded", json!({"message": message})),
        Change::Deleted => ("messagesDeleted", json!({"message": message})),
        Change::LabelsAdded(ids) => ("labelsAdded", json!({"message": message, "labelIds": ids})),
        Change::LabelsRemoved(ids) => (
            "labelsRemoved",
            json!({"message": message, "labelIds": ids}),
        ),
    };
    json!({"id": record.id.to_string(), "messages": [named], field: [change]})
}
