//! `assistant.threads.*` and `agents.sessions.*`.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::args::Args;
use super::chat::member_channel;
use super::{Answer, ApiError};
use crate::db::STATUS;
use crate::messages::status_id;
use crate::state::SlackLocal;
use crate::types::{Change, Message};

/// A status that no message followed is gone after this long.
const STATUS_LIVES_MS: i64 = 120_000;
/// As users measured: Slack documents no limit.
const SESSION_LIVES_MS: i64 = 3_600_000;
const TITLE_CHARACTERS: usize = 200;

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStatus {
    pub status: String,
    pub until_ms: i64,
    /// A session's ends with no message.
    #[serde(default)]
    pub is_session: bool,
}

fn root(slack: &SlackLocal, args: &Args) -> Result<Message, ApiError> {
    let channel = member_channel(slack, args.required("channel_id")?)?;
    let invalid = "invalid_thread_ts";
    let thread_ts = args.ts("thread_ts", invalid)?.ok_or(invalid)?;
    let root = slack.db().read().message(&channel.id, &thread_ts)?;
    let root = root.filter(|root| !root.is_reply());
    Ok(root.ok_or(invalid)?)
}

pub(super) fn set_status(slack: &SlackLocal, args: &Args) -> Answer {
    let Message { channel, ts, .. } = root(slack, args)?;
    let status = args.text("status")?.unwrap_or_default();
    show(slack, channel, ts, status, false)?;
    Ok(json!({}))
}

pub(super) fn set_session(slack: &SlackLocal, args: &Args) -> Answer {
    let Message { channel, ts, .. } = root(slack, args)?;
    let status = args.required("status")?;
    let shown = session(args, "status")?.unwrap_or_default();
    let title = args.text("title")?.unwrap_or_default();
    if title.chars().count() > TITLE_CHARACTERS {
        let why = "[ERROR] must be less than 201 characters [json-pointer:/title]";
        return Err(ApiError::invalid(why));
    }
    let customizes = ["icon_emoji", "icon_url", "username"].map(|name| args.has(name));
    if customizes.contains(&true) {
        // The manifest doesn't have `chat:write.customize`.
        return Err("missing_scope".into());
    }
    show(slack, channel, ts, shown, true)?;
    Ok(json!({"status": status}))
}

/// What Slack shows of a session with the status that this argument sets: only that it is processing.
pub(super) fn session(args: &Args, name: &str) -> Result<Option<&'static str>, ApiError> {
    match args.text(name)? {
        None => Ok(None),
        Some("processing") => Ok(Some("is working…")),
        Some("active" | "suspended" | "closed") => Ok(Some("")),
        Some(_) => {
            let why = format!("[ERROR] must be a valid enum value [json-pointer:/{name}]");
            Err(ApiError::invalid(why))
        }
    }
}

/// Shows a thread's status; an empty one removes what is shown.
pub(super) fn show(
    slack: &SlackLocal,
    channel: String,
    thread_ts: String,
    status: &str,
    is_session: bool,
) -> rusqlite::Result<()> {
    let lives_ms = if is_session {
        SESSION_LIVES_MS
    } else {
        STATUS_LIVES_MS
    };
    let stored = StoredStatus {
        status: status.to_owned(),
        until_ms: slack.now_ms() + lives_ms,
        is_session,
    };
    let id = status_id(&channel, &thread_ts);
    slack.db().write(|tx| match status {
        "" => tx.remove(STATUS, &id).map(drop),
        _ => tx.put(STATUS, &id, &stored),
    })?;
    slack.tell(Change::Status {
        channel,
        thread_ts,
        status: stored.status,
    });
    Ok(())
}
