//! `assistant.threads.*`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Answer;
use super::args::Args;
use super::chat::member_channel;
use crate::db::STATUS;
use crate::messages::status_id;
use crate::state::SlackLocal;
use crate::types::Change;

/// A status that no message followed is gone after this long.
const STATUS_LIVES_MS: i64 = 120_000;

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStatus {
    pub status: String,
    pub until_ms: i64,
}

pub(super) fn set_status(slack: &SlackLocal, args: &Args) -> Answer {
    let channel = member_channel(slack, args.required("channel_id")?)?;
    let invalid = "invalid_thread_ts";
    let thread_ts = args.ts("thread_ts", invalid)?.ok_or(invalid)?;
    let root = slack.db().read().message(&channel.id, &thread_ts)?;
    root.filter(|root| !root.is_reply()).ok_or(invalid)?;
    let status = args.text("status")?.unwrap_or_default().to_owned();
    let id = status_id(&channel.id, &thread_ts);
    let until_ms = slack.now_ms() + STATUS_LIVES_MS;
    slack.db().write(|tx| {
        if status.is_empty() {
            return tx.remove(STATUS, &id).map(drop);
        }
        let status = status.clone();
        tx.put(STATUS, &id, &StoredStatus { status, until_ms })
    })?;
    slack.tell(Change::Status {
        channel: channel.id,
        thread_ts,
        status,
    });
    Ok(json!({}))
}
