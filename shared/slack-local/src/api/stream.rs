//! `chat.*Stream`: messages that grow (docs.slack.dev/reference/methods/chat.startStream).

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::args::Args;
use super::assistant::{session, show};
use super::chat::{checked, member_channel, metadata, own, pace, thread};
use super::{Answer, ApiError};
use crate::state::SlackLocal;
use crate::types::{Change, ChannelKind, Message};

/// Characters of one call and, as users measured, of a whole stream.
const CHARACTERS: usize = 12_000;
/// As users measured: Slack documents no limit.
const LIVES_MS: i64 = 300_000;
/// Microseconds between the calls of tier 2 and tier 4, and how many may come at once.
const TIER_2: (i64, i64) = (3_000_000, 20);
const TIER_4: (i64, i64) = (600_000, 100);
const NOT_STREAMING: &str = "message_not_in_streaming_state";
const STATUSES: [&str; 4] = ["pending", "in_progress", "complete", "error"];

/// The state of a message that still grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stream {
    pub until_ms: i64,
    /// Whether it is fed by chunks rather than by `markdown_text`.
    pub chunks: Option<bool>,
}

pub(super) fn start(slack: &SlackLocal, args: &Args) -> Answer {
    let channel = member_channel(slack, args.required("channel")?)?;
    let root = thread(slack, &channel, args)?.ok_or("invalid_thread_ts")?;
    if channel.kind != ChannelKind::Im {
        args.text("recipient_user_id")?
            .ok_or("missing_recipient_user_id")?;
        args.text("recipient_team_id")?
            .ok_or("missing_recipient_team_id")?;
    }
    let mode = args.text("task_display_mode")?.unwrap_or("timeline");
    if !["timeline", "plan", "dense"].contains(&mode) {
        return Err(ApiError::invalid("[ERROR] task_display_mode"));
    }
    pace(slack, "chat.startStream", TIER_2.0, TIER_2.1)?;
    let seed = slack.seed();
    let mut message = Message {
        user: seed.bot_user.clone(),
        bot_id: Some(seed.bot_id.clone()),
        thread_ts: Some(root),
        stream: Some(Stream {
            until_ms: slack.now_ms() + LIVES_MS,
            chunks: None,
        }),
        ..Message::default()
    };
    grow(slack, &mut message, args)?;
    let message = slack.insert(&channel, message)?;
    Ok(json!({"channel": message.channel, "ts": message.ts}))
}

pub(super) fn append(slack: &SlackLocal, args: &Args) -> Answer {
    let mut message = streaming(slack, args)?;
    if !args.has("markdown_text") && !args.has("chunks") {
        return Err("no_text".into());
    }
    pace(slack, "chat.appendStream", TIER_4.0, TIER_4.1)?;
    grow(slack, &mut message, args)?;
    keep(slack, message)
}

pub(super) fn stop(slack: &SlackLocal, args: &Args) -> Answer {
    let mut message = streaming(slack, args)?;
    let session = session(args, "session_status")?;
    pace(slack, "chat.stopStream", TIER_2.0, TIER_2.1)?;
    grow(slack, &mut message, args)?;
    if let Some(Value::Array(blocks)) = args.json("blocks", "invalid_blocks_format")? {
        message.blocks.extend(checked(slack, &blocks)?);
    }
    if let Some(metadata) = metadata(args)? {
        message.metadata = Some(metadata);
    }
    message.stream = None;
    if let (Some(status), Some(root)) = (session, message.thread_ts.clone()) {
        show(slack, message.channel.clone(), root, status, true)?;
    }
    keep(slack, message)
}

impl Message {
    /// Whether it still grows. A stream that nobody stopped ends by itself.
    pub fn is_streaming(&self, now_ms: i64) -> bool {
        let stream = self.stream.as_ref();
        stream.is_some_and(|stream| now_ms < stream.until_ms)
    }
}

fn streaming(slack: &SlackLocal, args: &Args) -> Result<Message, ApiError> {
    let (_, message) = own(slack, args)?;
    if message.is_streaming(slack.now_ms()) {
        Ok(message)
    } else {
        Err(NOT_STREAMING.into())
    }
}

fn keep(slack: &SlackLocal, message: Message) -> Answer {
    slack.db().write(|tx| tx.put_message(&message))?;
    let answer = json!({"channel": message.channel, "ts": message.ts});
    slack.tell(Change::Edited { message });
    Ok(answer)
}

/// Adds the text or the chunks of a call.
fn grow(slack: &SlackLocal, message: &mut Message, args: &Args) -> Result<(), ApiError> {
    let text = args.text("markdown_text")?;
    let chunks = args.json("chunks", "invalid_chunks")?;
    let is_chunked = chunks.is_some();
    if text.is_none() && !is_chunked {
        return Ok(());
    }
    if let Some(stream) = &mut message.stream {
        let mode = *stream.chunks.get_or_insert(is_chunked);
        if mode != is_chunked || (is_chunked && text.is_some()) {
            return Err("streaming_mode_mismatch".into());
        }
    }
    if let Some(text) = text {
        add_text(message, text)?;
    }
    let chunks = chunks.unwrap_or_else(|| json!([]));
    for chunk in chunks.as_array().ok_or("invalid_chunks")? {
        add_chunk(slack, message, chunk)?;
    }
    Ok(())
}

fn add_chunk(slack: &SlackLocal, message: &mut Message, chunk: &Value) -> Result<(), ApiError> {
    let text = |name: &str| chunk[name].as_str().filter(|text| !text.is_empty());
    match text("type") {
        Some("markdown_text") => add_text(message, text("text").ok_or("invalid_chunks")?),
        Some("task_update") => {
            let (id, status) = (text("id"), text("status"));
            let is_known = status.is_some_and(|status| STATUSES.contains(&status));
            let id = id.filter(|_| is_known).ok_or("invalid_chunks")?;
            let title = text("title").ok_or("invalid_chunks")?;
            let mut card =
                json!({"type": "task_card", "task_id": id, "title": title, "status": status});
            for field in ["details", "output"] {
                if let Some(text) = text(field) {
                    card[field] = text.into();
                }
            }
            let mut blocks = message.blocks.iter_mut();
            match blocks.find(|block| block["task_id"] == id) {
                Some(block) => *block = card,
                None => message.blocks.push(card),
            }
            Ok(())
        }
        Some("plan_update") => text("title").map(drop).ok_or("invalid_chunks".into()),
        Some("blocks") => {
            let blocks = chunk["blocks"].as_array().ok_or("invalid_chunks")?;
            message.blocks.extend(checked(slack, blocks)?);
            Ok(())
        }
        _ => Err("invalid_chunks".into()),
    }
}

fn add_text(message: &mut Message, text: &str) -> Result<(), ApiError> {
    if message.text.chars().count() + text.chars().count() > CHARACTERS {
        return Err("msg_too_long".into());
    }
    message.text.push_str(text);
    let new = json!({"type": "markdown", "text": text});
    let last = message.blocks.last_mut();
    match last.filter(|block| block["type"] == "markdown") {
        Some(block) => {
            let known = block["text"].as_str().unwrap_or_default();
            block["text"] = format!("{known}{text}").into();
        }
        None => message.blocks.push(new),
    }
    Ok(())
}
