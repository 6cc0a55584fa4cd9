//! The Events API (<https://docs.slack.dev/apis/events-api/>).

use alfred_core::envelope::{SlackFile, SlackMessage, quotes};
use alfred_core::{ChannelId, FileId, Payload, ReplyAddress, TeamId, UserId};
use serde::Deserialize;
use serde_json::Value;

use crate::incoming::{Incoming, Refusal, is_dm, place, session, slack_id};
use crate::mentions::{self, Called};

#[derive(Debug)]
pub enum Event {
    Challenge(String),
    Incoming(Box<Incoming>),
}

#[derive(Deserialize)]
struct Outer {
    #[serde(rename = "type")]
    kind: String,
    challenge: Option<String>,
    team_id: Option<String>,
    event_id: Option<String>,
    event: Option<Value>,
    #[serde(default)]
    authorizations: Vec<Authorization>,
}

#[derive(Deserialize)]
struct Authorization {
    user_id: Option<String>,
    #[serde(default = "yes")]
    is_bot: bool,
}

fn yes() -> bool {
    true
}

/// Unlisted fields (forwarded messages, attachments, unfurled links) are ignored. See `message_fields_tests.rs`.
#[derive(Deserialize)]
struct MessageEvent {
    #[serde(rename = "type")]
    kind: String,
    subtype: Option<String>,
    #[serde(default)]
    hidden: bool,
    bot_id: Option<String>,
    user: Option<String>,
    channel: Option<String>,
    channel_type: Option<String>,
    text: Option<String>,
    ts: Option<String>,
    thread_ts: Option<String>,
    /// Read only to detect quotations. Their words are also in `text`.
    #[serde(default)]
    blocks: Value,
    #[serde(default)]
    files: Vec<FileObject>,
}

/// <https://docs.slack.dev/reference/objects/file-object/>. An inaccessible file has little more than an id.
#[derive(Deserialize)]
pub struct FileObject {
    id: Option<FileId>,
    name: Option<String>,
    mimetype: Option<String>,
    size: Option<u64>,
}

impl From<FileObject> for SlackFile {
    fn from(file: FileObject) -> Self {
        let name = file.name.filter(|name| !name.trim().is_empty());
        Self {
            name: name.or(file.id.clone().map(|id| id.0)).unwrap_or_default(),
            id: file.id,
            kept: None,
            media_type: file.mimetype.unwrap_or_default(),
            bytes: file.size,
        }
    }
}

/// <https://docs.slack.dev/reference/events/agent_session_stopped/>
#[derive(Deserialize)]
struct StopEvent {
    user: Option<String>,
    channel: Option<String>,
    thread_ts: Option<String>,
}

/// <https://docs.slack.dev/reference/events/app_home_opened/>
#[derive(Deserialize)]
struct HomeEvent {
    user: Option<String>,
    tab: Option<String>,
}

struct Delivery {
    team: TeamId,
    event_id: String,
    bots: Vec<String>,
}

pub fn parse(body: &[u8]) -> Result<Event, Refusal> {
    let outer: Outer =
        serde_json::from_slice(body).map_err(|_| Refusal::Malformed("not a JSON event"))?;
    match outer.kind.as_str() {
        "url_verification" => outer
            .challenge
            .map(Event::Challenge)
            .ok_or(Refusal::Malformed("no challenge")),
        "event_callback" => callback(outer).map(|incoming| Event::Incoming(Box::new(incoming))),
        // Sent when a workspace produces more than 30,000 events an hour.
        "app_rate_limited" => Err(Refusal::Unserved("slack rate-limits our events")),
        _ => Err(Refusal::Unserved("unknown outer type")),
    }
}

fn callback(outer: Outer) -> Result<Incoming, Refusal> {
    let event = outer.event.ok_or(Refusal::Malformed("no event"))?;
    let kind = event["type"].as_str();
    let kind = kind.ok_or(Refusal::Malformed("no event type"))?;
    let bots = outer.authorizations.into_iter().filter(|one| one.is_bot);
    let delivery = Delivery {
        team: slack_id(outer.team_id, "no team_id")?.into(),
        event_id: slack_id(outer.event_id, "no event_id")?,
        bots: bots.filter_map(|one| one.user_id).collect(),
    };
    match kind {
        "message" | "app_mention" => message(delivery, read(event)?),
        "agent_session_stopped" => stop(delivery, read(event)?),
        "app_home_opened" => home(delivery, read(event)?),
        _ => Err(Refusal::Unserved("event type not served")),
    }
}

fn read<T: for<'de> Deserialize<'de>>(event: Value) -> Result<T, Refusal> {
    serde_json::from_value(event)
        .map_err(|_| Refusal::Malformed("an event's field has another type"))
}

fn message(delivery: Delivery, event: MessageEvent) -> Result<Incoming, Refusal> {
    match event.subtype.as_deref() {
        None | Some("file_share" | "thread_broadcast" | "me_message") => {}
        Some(_) => return Err(Refusal::Unserved("message subtype not served")),
    }
    if event.hidden {
        return Err(Refusal::Unserved("hidden message"));
    }
    if event.bot_id.is_some() {
        return Err(Refusal::Unserved("written by a bot"));
    }
    let user = UserId(slack_id(event.user, "no user")?);
    if delivery.bots.contains(&user.0) {
        return Err(Refusal::Unserved("our own echo"));
    }
    let channel = ChannelId(slack_id(event.channel, "no channel")?);
    let ts = slack_id(event.ts, "no ts")?;
    let thread_id = |ts| slack_id(Some(ts), "odd thread_ts");
    let thread_ts = event.thread_ts.map(thread_id).transpose()?;
    let dm = is_dm(channel.as_str(), event.channel_type.as_deref());
    let reply_to = place(&channel, dm, &ts, thread_ts.as_deref());
    let text = event.text.unwrap_or_default();
    let Called { text, mentioned } = called(&event.kind, &text, &delivery.bots);
    if !(dm || mentioned || thread_ts.is_some_and(|thread| thread != ts)) {
        return Err(Refusal::Unserved("talk in a channel"));
    }
    Ok(Incoming {
        identity: format!("msg:{channel}:{ts}"),
        trigger: delivery.event_id,
        session: session(&delivery.team, &user, &reply_to),
        team: delivery.team,
        user,
        payload: Payload::Message(SlackMessage {
            text: mentions::unnamed(&text),
            quotes: quotes(&text, &event.blocks),
            files: event.files.into_iter().map(SlackFile::from).collect(),
            ts,
            mentioned,
            reply_to,
        }),
    })
}

fn called(kind: &str, text: &str, bots: &[String]) -> Called {
    let called = mentions::take_out(text, bots);
    let by_kind = kind == "app_mention";
    let mentioned = by_kind || called.mentioned;
    let text = if by_kind && bots.is_empty() {
        mentions::take_out_leading(text)
    } else {
        called.text
    };
    Called { text, mentioned }
}

fn stop(delivery: Delivery, event: StopEvent) -> Result<Incoming, Refusal> {
    let user = UserId(slack_id(event.user, "no user")?);
    let channel = ChannelId(slack_id(event.channel, "no channel")?);
    let thread_ts = slack_id(event.thread_ts, "no thread_ts")?;
    let dm = is_dm(channel.as_str(), None);
    let reply_to = place(&channel, dm, "", Some(&thread_ts));
    Ok(Incoming {
        identity: format!("evt:{}", delivery.event_id),
        trigger: delivery.event_id,
        session: session(&delivery.team, &user, &reply_to),
        team: delivery.team,
        user,
        payload: Payload::Stop { reply_to },
    })
}

fn home(delivery: Delivery, event: HomeEvent) -> Result<Incoming, Refusal> {
    if event.tab.as_deref() != Some("home") {
        return Err(Refusal::Unserved("the tab of messages"));
    }
    let user = UserId(slack_id(event.user, "no user")?);
    Ok(Incoming {
        identity: format!("evt:{}", delivery.event_id),
        trigger: delivery.event_id,
        session: session(&delivery.team, &user, &ReplyAddress::direct(&user)),
        team: delivery.team,
        user,
        payload: Payload::Home { opened: true },
    })
}

#[cfg(test)]
#[path = "message_fields_tests.rs"]
mod message_fields_tests;
