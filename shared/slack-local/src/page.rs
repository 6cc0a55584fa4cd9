//! The person's side as JSON under `/client/`, for a page that plays Slack. The server of these routes must check
//! who calls them.

use axum::extract::{Query, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{Stream, StreamExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::convert::Infallible;
use tokio_stream::wrappers::BroadcastStream;

use crate::delivery::AppAnswer;
use crate::person::PersonError;
use crate::seed::MANIFEST;
use crate::state::SlackLocal;

type Reply = Result<Json<Value>, PersonError>;

pub(crate) fn routes() -> Router<SlackLocal> {
    Router::new()
        .route("/client/team", get(team))
        .route("/client/channels", get(channels))
        .route("/client/messages", get(messages))
        .route("/client/thread", get(thread))
        .route("/client/screen", get(screen))
        .route("/client/events", get(events))
        .route("/client/file", get(file))
        .route("/client/post", post(write))
        .route("/client/click", post(click))
        .route("/client/shortcut", post(shortcut))
        .route("/client/command", post(command))
        .route("/client/stop", post(stop))
        .route("/client/home", post(home))
        .route("/client/view/click", post(view_click))
        .route("/client/view/submit", post(view_submit))
        .route("/client/view/close", post(view_close))
}

impl IntoResponse for PersonError {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::UnknownUser
            | Self::UnknownChannel
            | Self::UnknownMessage
            | Self::UnknownAction
            | Self::UnknownShortcut
            | Self::UnknownView
            | Self::UnknownFile => StatusCode::NOT_FOUND,
            Self::Empty | Self::TooLong | Self::MissingInput { .. } => StatusCode::BAD_REQUEST,
            Self::BadAnswer { .. } | Self::Undelivered(_) => StatusCode::BAD_GATEWAY,
            Self::Storage(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let body = json!({"ok": false, "error": self.to_string()});
        (status, Json(body)).into_response()
    }
}

fn found(name: &str, value: impl Serialize) -> Reply {
    Ok(Json(json!({"ok": true, name: value})))
}

fn answered(answer: AppAnswer) -> Reply {
    let AppAnswer { status, body } = answer;
    Ok(Json(json!({"ok": true, "status": status, "answer": body})))
}

async fn team(State(slack): State<SlackLocal>) -> Reply {
    let seed = slack.seed();
    Ok(Json(json!({
        "ok": true,
        "team": {"id": seed.team_id, "name": seed.team_name},
        "bot_user": seed.bot_user,
        "users": slack.people()?,
        "prompts": MANIFEST["features"]["agent_view"]["suggested_prompts"],
        "shortcuts": MANIFEST["features"]["shortcuts"],
    })))
}

#[derive(Deserialize)]
struct ByUser {
    user: String,
}

async fn channels(State(slack): State<SlackLocal>, Query(q): Query<ByUser>) -> Reply {
    found("channels", slack.channels(&q.user)?)
}

#[derive(Deserialize)]
struct Page {
    channel: String,
    limit: Option<usize>,
}

async fn messages(State(slack): State<SlackLocal>, Query(q): Query<Page>) -> Reply {
    let limit = q.limit.unwrap_or(200);
    found("messages", slack.messages(&q.channel, limit)?)
}

#[derive(Deserialize)]
struct InThread {
    channel: String,
    thread_ts: String,
}

async fn thread(State(slack): State<SlackLocal>, Query(q): Query<InThread>) -> Reply {
    Ok(Json(json!({
        "ok": true,
        "messages": slack.thread(&q.channel, &q.thread_ts)?,
        "status": slack.status(&q.channel, &q.thread_ts)?,
    })))
}

async fn screen(State(slack): State<SlackLocal>, Query(q): Query<ByUser>) -> Reply {
    Ok(Json(json!({
        "ok": true,
        "views": slack.views(&q.user)?,
        "home": slack.home(&q.user)?,
        "ephemerals": slack.ephemerals(&q.user),
    })))
}

async fn events(
    State(slack): State<SlackLocal>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = BroadcastStream::new(slack.subscribe()).map(|change| {
        // A slow reader reloads everything.
        let change = change.ok();
        let event = change.and_then(|change| Event::default().json_data(&change).ok());
        Ok(event.unwrap_or_else(|| Event::default().event("reload").data("{}")))
    });
    Sse::new(changes).keep_alive(KeepAlive::default())
}

#[derive(Deserialize)]
struct OfUser {
    user: String,
    file: String,
}

/// Nothing in the picture runs. The guard adds the other headers.
const POLICY: &str = "default-src 'none'; sandbox";
const PICTURE: [(HeaderName, &str); 2] = [
    (header::CONTENT_TYPE, "image/png"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
];

async fn file(
    State(slack): State<SlackLocal>,
    Query(q): Query<OfUser>,
) -> Result<Response, PersonError> {
    Ok((PICTURE, slack.file(&q.user, &q.file)?).into_response())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    user: String,
    /// Without one it goes to the direct message with the bot.
    channel: Option<String>,
    text: String,
    thread_ts: Option<String>,
}

async fn write(State(slack): State<SlackLocal>, Json(w): Json<Write>) -> Reply {
    let channel = match w.channel {
        Some(channel) => channel,
        None => slack.dm_with(&w.user)?.id,
    };
    let message = slack.post_as(&w.user, &channel, &w.text, w.thread_ts.as_deref())?;
    found("message", message)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Click {
    user: String,
    channel: String,
    ts: String,
    action_id: String,
    value: Option<String>,
}

async fn click(State(slack): State<SlackLocal>, Json(c): Json<Click>) -> Reply {
    let value = c.value.as_deref();
    let clicked = slack.click(&c.user, &c.channel, &c.ts, &c.action_id, value);
    answered(clicked.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shortcut {
    user: String,
    channel: String,
    ts: String,
    callback_id: String,
}

async fn shortcut(State(slack): State<SlackLocal>, Json(s): Json<Shortcut>) -> Reply {
    let used = slack.shortcut(&s.user, &s.channel, &s.ts, &s.callback_id);
    answered(used.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    user: String,
    channel: String,
    command: String,
    #[serde(default)]
    text: String,
}

async fn command(State(slack): State<SlackLocal>, Json(c): Json<Command>) -> Reply {
    let sent = slack.command(&c.user, &c.channel, &c.command, &c.text);
    answered(sent.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    user: String,
    channel: String,
    thread_ts: String,
}

async fn stop(State(slack): State<SlackLocal>, Json(s): Json<Stop>) -> Reply {
    slack.stop(&s.user, &s.channel, &s.thread_ts)?;
    found("thread_ts", s.thread_ts)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Home {
    user: String,
    /// "messages" when left out, or "home".
    #[serde(default)]
    tab: String,
}

async fn home(State(slack): State<SlackLocal>, Json(h): Json<Home>) -> Reply {
    if h.tab == "home" {
        return found("view", slack.open_home_tab(&h.user)?);
    }
    found("channel", slack.open_home(&h.user)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InView {
    user: String,
    view_id: String,
    #[serde(default)]
    block_id: String,
    #[serde(default)]
    action_id: String,
    #[serde(default)]
    values: Value,
}

async fn view_click(State(slack): State<SlackLocal>, Json(c): Json<InView>) -> Reply {
    let clicked = slack.click_in_view(&c.user, &c.view_id, (&c.block_id, &c.action_id));
    answered(clicked.await?)
}

async fn view_submit(State(slack): State<SlackLocal>, Json(s): Json<InView>) -> Reply {
    answered(slack.submit_view(&s.user, &s.view_id, &s.values).await?)
}

async fn view_close(State(slack): State<SlackLocal>, Json(c): Json<InView>) -> Reply {
    slack.close_view(&c.user, &c.view_id)?;
    found("view_id", c.view_id)
}
