//! `chat.*`.

use serde_json::{Value, json};

use super::args::Args;
use super::{Answer, ApiError};
use crate::blocks::{self, Surface};
use crate::state::{SlackLocal, lock};
use crate::types::{Change, Channel, ChannelKind, Ephemeral, Message};

pub(crate) const TEXT_CHARACTERS: usize = 40_000;
const UPDATE_CHARACTERS: usize = 4_000;
/// Bytes of a message's metadata.
const METADATA_BYTES: usize = 16_384;
const BURST: i64 = 5;
const SECOND_MICROS: i64 = 1_000_000;

pub(super) fn post_message(slack: &SlackLocal, args: &Args) -> Answer {
    let channel = target(slack, args.required("channel")?)?;
    let content = Content::read(slack, args, TEXT_CHARACTERS)?;
    let metadata = metadata(args)?;
    let thread_ts = thread(slack, &channel, args)?;
    pace(slack, &channel.id, SECOND_MICROS, BURST)?;
    let seed = slack.seed();
    let message = Message {
        user: seed.bot_user.clone(),
        bot_id: Some(seed.bot_id.clone()),
        text: content.text,
        unlinked: content.unlinked,
        blocks: content.blocks.unwrap_or_default(),
        metadata,
        thread_ts,
        ..Message::default()
    };
    let message = slack.insert(&channel, message)?;
    Ok(posted(slack, &message))
}

fn posted(slack: &SlackLocal, message: &Message) -> Value {
    let shown = slack.slack_message(message, true);
    json!({"channel": message.channel, "ts": message.ts, "message": shown})
}

pub(super) fn post_ephemeral(slack: &SlackLocal, args: &Args) -> Answer {
    let channel = target(slack, args.required("channel")?)?;
    let user = args.required("user")?;
    if !channel.has(user) {
        return Err("user_not_in_channel".into());
    }
    let content = Content::read(slack, args, TEXT_CHARACTERS)?;
    let thread_ts = thread(slack, &channel, args)?;
    pace(slack, &channel.id, SECOND_MICROS, BURST)?;
    let ephemeral = Ephemeral {
        channel: channel.id,
        user: user.to_owned(),
        ts: slack.next_ts(),
        thread_ts,
        text: content.text,
        unlinked: content.unlinked,
        blocks: content.blocks.unwrap_or_default(),
    };
    let ts = ephemeral.ts.clone();
    slack.show(ephemeral);
    Ok(json!({"message_ts": ts}))
}

impl SlackLocal {
    /// Shows an ephemeral message. It is gone after a restart.
    pub(crate) fn show(&self, ephemeral: Ephemeral) {
        lock(&self.0.ephemerals).push(ephemeral.clone());
        self.tell(Change::Ephemeral { ephemeral });
    }
}

pub(super) fn update(slack: &SlackLocal, args: &Args) -> Answer {
    let (channel, old) = own(slack, args)?;
    if old.is_streaming(slack.now_ms()) {
        return Err("streaming_state_conflict".into());
    }
    let content = Content::read(slack, args, UPDATE_CHARACTERS)?;
    let mut new = old.clone();
    new.stream = None;
    if args.has("text") {
        new.text = content.text;
        new.unlinked = content.unlinked;
    }
    if let Some(blocks) = content.blocks {
        new.blocks = blocks;
    }
    if let Some(metadata) = metadata(args)? {
        new.metadata = Some(metadata);
    }
    let new = slack.replace(&channel, &old, new)?;
    let mut out = posted(slack, &new);
    out["text"] = new.text.into();
    Ok(out)
}

pub(super) fn delete(slack: &SlackLocal, args: &Args) -> Answer {
    let (channel, message) = match own(slack, args) {
        Err(ApiError::Code(code)) if code == "cant_update_message" => {
            return Err("cant_delete_message".into());
        }
        found => found?,
    };
    slack.delete(&channel.id, &message.ts)?;
    Ok(json!({"channel": message.channel, "ts": message.ts}))
}

/// A message of the app's own, and its channel.
pub(super) fn own(slack: &SlackLocal, args: &Args) -> Result<(Channel, Message), ApiError> {
    let channel = member_channel(slack, args.required("channel")?)?;
    let db = slack.db();
    let unknown = "message_not_found";
    let ts = args.ts("ts", unknown)?.ok_or(unknown)?;
    let message = db.read().message(&channel.id, &ts)?.ok_or(unknown)?;
    if message.bot_id.is_none() {
        return Err("cant_update_message".into());
    }
    Ok((channel, message))
}

/// A conversation the bot is in.
pub fn member_channel(slack: &SlackLocal, id: &str) -> Result<Channel, ApiError> {
    let bot = &slack.seed().bot_user;
    let channel = slack.db().read().channel(id)?;
    match channel {
        Some(channel) if channel.has(bot) => Ok(channel),
        Some(channel) if channel.kind == ChannelKind::Public => Err("not_in_channel".into()),
        _ => Err("channel_not_found".into()),
    }
}

/// Where a message goes; a user id opens their direct message.
fn target(slack: &SlackLocal, id: &str) -> Result<Channel, ApiError> {
    if !id.starts_with(['U', 'W']) {
        return member_channel(slack, id);
    }
    let person = slack.db().read().person(id)?;
    match person {
        Some(person) if person.is_bot => Err("cannot_dm_bot".into()),
        Some(person) if !person.deleted => Ok(slack.open_dm(id)?),
        _ => Err("channel_not_found".into()),
    }
}

pub(super) fn thread(
    slack: &SlackLocal,
    channel: &Channel,
    args: &Args,
) -> Result<Option<String>, ApiError> {
    let Some(ts) = args.ts("thread_ts", "invalid_thread_ts")? else {
        return Ok(None);
    };
    match slack.db().read().message(&channel.id, &ts)? {
        None => Err("thread_not_found".into()),
        Some(message) if message.is_reply() => Err("cannot_reply_to_message".into()),
        Some(_) => Ok(Some(ts)),
    }
}

struct Content {
    text: String,
    unlinked: bool,
    blocks: Option<Vec<Value>>,
}

impl Content {
    fn read(slack: &SlackLocal, args: &Args, most: usize) -> Result<Self, ApiError> {
        let text = args.text("text")?.unwrap_or_default().to_owned();
        if text.chars().count() > most {
            return Err("msg_too_long".into());
        }
        let blocks = match args.json("blocks", "invalid_blocks_format")? {
            None => None,
            Some(Value::Array(blocks)) => Some(checked(slack, &blocks)?),
            Some(_) => return Err("invalid_blocks_format".into()),
        };
        if text.trim().is_empty() && blocks.as_ref().is_none_or(Vec::is_empty) {
            return Err("no_text".into());
        }
        let unlinked = match args.text("parse")? {
            None | Some("full") => false,
            Some("none") => true,
            Some(_) => return Err("invalid_arguments".into()),
        };
        Ok(Self {
            text,
            unlinked,
            blocks,
        })
    }
}

pub(super) fn checked(slack: &SlackLocal, blocks: &[Value]) -> Result<Vec<Value>, ApiError> {
    let checked = slack.check_blocks(blocks, Surface::Message);
    let checked = checked.map_err(|why| ApiError::Explained("invalid_blocks", why))?;
    if blocks::size(blocks) > blocks::BLOCKS_CHARACTERS {
        return Err("msg_blocks_too_long".into());
    }
    Ok(checked)
}

pub(super) fn metadata(args: &Args) -> Result<Option<Value>, ApiError> {
    let Some(metadata) = args.json("metadata", "invalid_metadata_format")? else {
        return Ok(None);
    };
    let kind = metadata["event_type"].as_str().unwrap_or_default();
    if kind.is_empty() || !metadata["event_payload"].is_object() {
        return Err("invalid_metadata_format".into());
    }
    if metadata.to_string().len() > METADATA_BYTES {
        return Err("metadata_too_large".into());
    }
    Ok(Some(json!({
        "event_type": metadata["event_type"],
        "event_payload": metadata["event_payload"],
    })))
}

/// One call of this key in so many microseconds, after a burst (docs.slack.dev/apis/web-api/rate-limits).
pub(super) fn pace(slack: &SlackLocal, key: &str, each: i64, burst: i64) -> Result<(), ApiError> {
    if !slack.0.rate_limit {
        return Ok(());
    }
    let now = slack.0.clock.now().as_microsecond();
    let mut rates = lock(&slack.0.rates);
    let free_at = rates.entry(key.to_owned()).or_insert(now);
    let next = (*free_at).max(now) + each;
    let early = next - now - burst * each;
    if early > 0 {
        let seconds = early.unsigned_abs().div_ceil(SECOND_MICROS.unsigned_abs());
        return Err(ApiError::RateLimited(seconds));
    }
    *free_at = next;
    Ok(())
}
