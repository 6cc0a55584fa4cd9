//! Live messages: Slack's streams in threads, and edited messages where Slack streams nothing.

use alfred_core::ChannelId;
use alfred_core::ports::{ChatError, Live, LivePlace, LiveTask, Post, Posted, Progress};
use alfred_http::Retries;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

use super::answers::{METADATA_TYPE, text as field};
use super::calls::Calls;
use super::chat::{NOT_OFFERED, PARSE, refused_with};
use super::{Result, SlackClient};

/// The text of a live message that shows nothing else, and of its notification.
const NOTE: &str = "Working on it…";
const NOT_STREAMING: &str = "message_not_in_streaming_state";

impl SlackClient {
    /// Calls for progress that the next one replaces, which don't wait for rate limits.
    fn impatient(&self) -> Calls<'_> {
        Calls {
            client: self,
            retries: Retries::of(1),
        }
    }

    pub(super) async fn start(&self, place: &LivePlace, progress: &Progress) -> Result<Live> {
        let live = |at, streams| Live {
            at,
            channel: place.channel.clone(),
            thread_ts: place.thread_ts.clone(),
            streams,
        };
        if place.thread_ts.is_some() && !self.no_streams.load(Ordering::Relaxed) {
            match self.start_stream(place, progress).await {
                Ok(at) => return Ok(live(at, true)),
                Err(error) if refused_with(&error, &NOT_OFFERED) => {
                    self.no_streams.store(true, Ordering::Relaxed);
                }
                Err(ChatError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let mut request = json!({
            "channel": place.channel, "parse": PARSE,
            "text": NOTE, "blocks": blocks(progress), "metadata": metadata(&place.key),
            "unfurl_links": false, "unfurl_media": false,
        });
        if let Some(root) = &place.thread_ts {
            request["thread_ts"] = root.as_str().into();
        }
        let method = "chat.postMessage";
        let posted = self.impatient().write(method, &request).await?;
        posted_at(method, &posted).map(|at| live(at, false))
    }

    async fn start_stream(&self, place: &LivePlace, progress: &Progress) -> Result<Posted> {
        // Streams take no metadata before their end, so the key is the id of their first block.
        let mut note = json!({"type": "context", "block_id": place.key});
        note["elements"] = json!([{"type": "mrkdwn", "text": format!("_{NOTE}_")}]);
        let mut chunks = vec![json!({"type": "blocks", "blocks": [note]})];
        chunks.extend(new_chunks(&Progress::default(), progress));
        let request = json!({
            "channel": place.channel, "thread_ts": place.thread_ts, "chunks": chunks,
            "recipient_user_id": place.owner, "recipient_team_id": place.team,
            "task_display_mode": "timeline",
        });
        let method = "chat.startStream";
        let started = self.impatient().write(method, &request).await?;
        posted_at(method, &started)
    }

    pub(super) async fn show(&self, live: &Live, shown: &Progress, now: &Progress) -> Result<()> {
        let (channel, ts) = (&live.at.channel, &live.at.ts);
        let mut calls = self.impatient();
        if !live.streams {
            let request = json!({
                "channel": channel, "ts": ts, "parse": PARSE, "text": NOTE,
                "blocks": blocks(now),
            });
            return calls.write("chat.update", &request).await.map(drop);
        }
        let chunks = new_chunks(shown, now);
        if chunks.is_empty() {
            return Ok(());
        }
        let request = json!({"channel": channel, "ts": ts, "chunks": chunks});
        calls.write("chat.appendStream", &request).await.map(drop)
    }

    /// The key comes with the content: a search for it must not find an unfinished message.
    pub(super) async fn complete(&self, live: &Live, post: &Post) -> Result<()> {
        self.stop_stream(live).await?;
        let request = json!({
            "channel": live.at.channel, "ts": live.at.ts, "parse": PARSE, "text": post.text,
            "blocks": post.blocks, "metadata": metadata(&post.idempotency_key),
        });
        self.calls().write("chat.update", &request).await.map(drop)
    }

    pub(super) async fn delete(&self, live: &Live) -> Result<()> {
        self.stop_stream(live).await?;
        let request = json!({"channel": live.at.channel, "ts": live.at.ts});
        match self.calls().write("chat.delete", &request).await {
            Err(error) if refused_with(&error, &["message_not_found"]) => Ok(()),
            done => done.map(drop),
        }
    }

    /// A stream that has ended, or that nobody can stop, doesn't matter: the next call says whether it works.
    async fn stop_stream(&self, live: &Live) -> Result<()> {
        if !live.streams {
            return Ok(());
        }
        let request = json!({"channel": live.at.channel, "ts": live.at.ts});
        match self.calls().write("chat.stopStream", &request).await {
            Err(error) if !refused_with(&error, &[NOT_STREAMING, "message_not_found"]) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

pub(super) fn posted_at(method: &str, answer: &Value) -> Result<Posted> {
    Ok(Posted {
        channel: ChannelId(field(method, answer, "/channel")?),
        ts: field(method, answer, "/ts")?,
    })
}

fn metadata(key: &str) -> Value {
    json!({"event_type": METADATA_TYPE, "event_payload": {"key": key}})
}

/// The content of a message that is edited.
fn blocks(progress: &Progress) -> Vec<Value> {
    let card = |task: &LiveTask| json!({"type": "task_card", "task_id": task.id, "title": task.title, "status": task.state});
    let mut blocks: Vec<Value> = progress.tasks.iter().map(card).collect();
    if !progress.text.is_empty() {
        blocks.push(json!({"type": "markdown", "text": progress.text}));
    }
    blocks
}

/// What a stream lacks.
fn new_chunks(shown: &Progress, now: &Progress) -> Vec<Value> {
    let changed = now.tasks.iter().filter(|task| !shown.tasks.contains(task));
    let update = |task: &LiveTask| json!({"type": "task_update", "id": task.id, "title": task.title, "status": task.state});
    let mut chunks: Vec<Value> = changed.map(update).collect();
    let more = match now.text.strip_prefix(&shown.text) {
        Some(more) => more.to_owned(),
        None => format!("\n\n{}", now.text),
    };
    if !more.trim().is_empty() {
        chunks.push(json!({"type": "markdown_text", "text": more}));
    }
    chunks
}
