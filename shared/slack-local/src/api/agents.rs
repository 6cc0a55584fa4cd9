//! `assistant.threads.*` and `agents.sessions.*`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::args::Args;
use super::chat::member_channel;
use super::{Answer, ApiError};
use crate::db::{PROMPTS, SESSION, STATUS};
use crate::messages::status_id;
use crate::state::SlackLocal;
use crate::types::{Change, Channel, Prompt, Session};

/// A status that no message followed is gone after this long.
pub(crate) const STATUS_LIVES_MS: i64 = 120_000;

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredStatus {
    pub status: String,
    pub until_ms: i64,
}

/// The channel, and the thread if one is named; its root must exist.
fn place(slack: &SlackLocal, args: &Args) -> Result<(Channel, Option<String>), ApiError> {
    let db = slack.db();
    let channel = member_channel(slack, db.read().channel(args.required("channel_id")?)?)?;
    let Some(ts) = args.ts("thread_ts", "invalid_thread_ts")? else {
        return Ok((channel, None));
    };
    match db.read().message(&channel.id, &ts)? {
        Some(message) if !message.is_reply() => Ok((channel, Some(ts))),
        _ => Err("invalid_thread_ts".into()),
    }
}

pub(super) fn set_status(slack: &SlackLocal, args: &Args) -> Answer {
    args.required("thread_ts")?;
    let (channel, thread_ts) = place(slack, args)?;
    let thread_ts = thread_ts.ok_or(ApiError::from("invalid_thread_ts"))?;
    if !args.has("status") {
        args.required("status")?;
    }
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
    Ok(Map::new())
}

pub(super) fn set_prompts(slack: &SlackLocal, args: &Args) -> Answer {
    let (channel, thread_ts) = place(slack, args)?;
    let prompts = args
        .json("prompts", "invalid_arguments")?
        .unwrap_or(Value::Null);
    let prompts: Vec<Prompt> = serde_json::from_value(prompts).map_err(|error| {
        ApiError::Explained("invalid_arguments", vec![format!("prompts: {error}")])
    })?;
    if prompts.is_empty() || prompts.len() > 4 {
        let why = "prompts: 1 to 4 are taken".to_owned();
        return Err(ApiError::Explained("invalid_arguments", vec![why]));
    }
    let id = status_id(&channel.id, thread_ts.as_deref().unwrap_or(""));
    slack.db().write(|tx| tx.put(PROMPTS, &id, &prompts))?;
    slack.tell(Change::Prompts {
        channel: channel.id,
        thread_ts,
        prompts,
    });
    Ok(Map::new())
}

pub(super) fn set_session(slack: &SlackLocal, args: &Args) -> Answer {
    let (channel, thread_ts) = place(slack, args)?;
    let thread_ts = thread_ts.ok_or(ApiError::from("invalid_thread_ts"))?;
    let status = args.required("status")?;
    if !["active", "processing", "suspended", "closed"].contains(&status) {
        let why = "status: active, processing, suspended or closed".to_owned();
        return Err(ApiError::Explained("invalid_arguments", vec![why]));
    }
    let title = args.text("title")?;
    if title.is_some_and(|title| title.chars().count() > 200) {
        let why = "title: at most 200 characters".to_owned();
        return Err(ApiError::Explained("invalid_arguments", vec![why]));
    }
    let id = status_id(&channel.id, &thread_ts);
    let known: Option<Session> = slack.db().read().get(SESSION, &id)?;
    // The title counts only when the session is new.
    let title = match known {
        Some(session) => session.title,
        None => title.map(str::to_owned),
    };
    let session = Session {
        channel: channel.id,
        thread_ts,
        status: status.to_owned(),
        title,
    };
    slack.db().write(|tx| tx.put(SESSION, &id, &session))?;
    let out = Map::from_iter([
        ("status".into(), session.status.clone().into()),
        ("agent_status".into(), session.status.clone().into()),
        ("title".into(), json!(session.title)),
    ]);
    slack.tell(Change::Session { session });
    Ok(out)
}
