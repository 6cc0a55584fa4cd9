//! `response_url`: five answers within thirty minutes
//! (docs.slack.dev/interactivity/handling-user-interaction).

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::blocks::Surface;
use crate::person::PersonError;
use crate::state::{ReplyUrl, SlackLocal, lock};
use crate::types::Message;

const USES: u8 = 5;
const LIVES_MS: i64 = 30 * 60_000;

pub(crate) fn routes() -> Router<SlackLocal> {
    Router::new().route("/response/{id}", axum::routing::post(answer))
}

async fn answer(
    State(slack): State<SlackLocal>,
    Path(id): Path<String>,
    Json(body): Json<Value>,
) -> Response {
    let Some(reply) = spend(&slack, &id) else {
        let body = json!({"ok": false, "error": "expired_url"});
        return (StatusCode::NOT_FOUND, Json(body)).into_response();
    };
    match apply(&slack, &reply, &body) {
        Ok(()) => "ok".into_response(),
        Err(error) => error.into_response(),
    }
}

fn spend(slack: &SlackLocal, id: &str) -> Option<ReplyUrl> {
    let now = slack.now_ms();
    let mut replies = lock(&slack.0.replies);
    let reply = replies.get_mut(id)?;
    if reply.uses >= USES || now - reply.at_ms > LIVES_MS {
        return None;
    }
    reply.uses += 1;
    Some(reply.clone())
}

fn apply(slack: &SlackLocal, reply: &ReplyUrl, body: &Value) -> Result<(), PersonError> {
    let channel = slack.db().read().channel(&reply.channel)?;
    let channel = channel.ok_or(PersonError::UnknownChannel)?;
    let replaces = body["replace_original"] == true || body["delete_original"] == true;
    let Some(ts) = reply.message_ts.as_ref().filter(|_| replaces) else {
        let text = body["text"].as_str().unwrap_or_default();
        let public = body["response_type"] == "in_channel";
        return slack
            .answer_in(&channel, &reply.user, text, &body["blocks"], public)
            .map(drop);
    };
    let ephemeral = {
        let mut all = lock(&slack.0.ephemerals);
        let before = all.len();
        all.retain(|one| one.ts != *ts);
        before != all.len()
    };
    if body["delete_original"] == true {
        return match ephemeral {
            true => Ok(()),
            false => Ok(slack.erase(&channel, &slack.message(&channel.id, ts)?)?),
        };
    }
    let text = body["text"].as_str().unwrap_or_default();
    if ephemeral {
        return slack
            .answer_in(&channel, &reply.user, text, &body["blocks"], false)
            .map(drop);
    }
    let old = slack.message(&channel.id, ts)?;
    let blocks = body["blocks"].as_array().cloned().unwrap_or_default();
    let blocks = slack.check_blocks(&blocks, Surface::Message)?;
    let new = Message {
        text: text.to_owned(),
        blocks,
        ..old.clone()
    };
    slack.replace(&channel, &old, new).map(drop)?;
    Ok(())
}
