//! Days as pictures in a reply. The reply is committed with what they show;
//! they are drawn and uploaded when its message is posted, since only the upload
//! gives the id that the message names. A picture that Slack won't have is left
//! out: the words stand without it.

use alfred_core::ports::{Chat, Image, Post};
use alfred_timeline::Timeline;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

use crate::run::{Reply, Run};
use crate::step::{Step, StepKind, Unclear};
use crate::tool::{is_part, whole_of};

/// Pictures of one reply; of more, the latest.
const MOST: usize = 2;
/// How long a look is taken for true.
const FRESH: SignedDuration = SignedDuration::from_mins(10);
/// How long an answer waits for its pictures.
const PATIENCE: Duration = Duration::from_secs(15);
/// What stands in place of a file's id until there is one; a number follows.
const PLACE: &str = "picture:";

/// What a run's results show and nothing changed since, each once. A look that
/// the run's end is long after is no longer true: its owner may have been asked meanwhile.
pub fn timelines(steps: &[Step]) -> Vec<Timeline> {
    let mut shown: Vec<(&str, &Timeline)> = Vec::new();
    let end = steps.last().map_or(Timestamp::MIN, |step| step.at);
    for step in steps {
        let StepKind::ToolResult {
            call_id,
            changed,
            picture,
            unclear,
            ..
        } = &step.did
        else {
            continue;
        };
        if *changed || *unclear == Some(Unclear::Unknown) {
            // The whole ends with its parts: what one of them showed at last still is so.
            shown.retain(|(by, _)| is_part(by) && whole_of(by) == call_id);
        }
        let fresh = end.duration_since(step.at) <= FRESH;
        if let Some(picture) = picture.as_ref().filter(|_| fresh) {
            shown.retain(|(_, other)| other.file_name() != picture.file_name());
            shown.push((call_id, picture));
        }
    }
    let older = shown.len().saturating_sub(MOST);
    let latest = shown.into_iter().skip(older);
    latest.map(|(_, picture)| picture.clone()).collect()
}

/// The blocks of pictures that aren't uploaded yet.
pub(super) fn blocks(pictures: &[Timeline]) -> impl Iterator<Item = Value> {
    pictures.iter().enumerate().map(|(at, picture)| {
        json!({
            "type": "image",
            "slack_file": {"id": format!("{PLACE}{at}")},
            "alt_text": alfred_timeline::alt(picture),
        })
    })
}

/// A part with its pictures in Slack, or without those that can't be there: the words never wait for long.
pub(super) async fn uploaded(chat: &dyn Chat, run: &Run, reply: &Reply, part: &Post) -> Post {
    let mut part = part.clone();
    let until = Instant::now() + PATIENCE;
    let mut blocks = Vec::with_capacity(part.blocks.len());
    for mut block in std::mem::take(&mut part.blocks) {
        if let Some(picture) = placed(&block, reply) {
            let id = timeout_at(until, upload(chat, run, picture)).await;
            let Some(id) = id.unwrap_or_else(|_| too_late(run)) else {
                continue;
            };
            block["slack_file"]["id"] = id.into();
        }
        blocks.push(block);
    }
    part.blocks = blocks;
    part
}

/// A part without its pictures.
pub(super) fn without(part: &Post) -> Post {
    let mut part = part.clone();
    part.blocks.retain(|block| block["type"] != "image");
    part
}

fn placed<'a>(block: &Value, reply: &'a Reply) -> Option<&'a Timeline> {
    let place = block.pointer("/slack_file/id")?.as_str()?;
    let at: usize = place.strip_prefix(PLACE)?.parse().ok()?;
    reply.pictures.get(at)
}

fn too_late(run: &Run) -> Option<String> {
    tracing::warn!(run.id = %run.id, "a reply goes without its picture: the upload takes too long");
    None
}

async fn upload(chat: &dyn Chat, run: &Run, picture: &Timeline) -> Option<String> {
    let png = match alfred_timeline::png(picture) {
        Ok(png) => png,
        Err(error) => {
            tracing::error!(run.id = %run.id, %error, "a picture can't be drawn");
            return None;
        }
    };
    let image = Image {
        name: picture.file_name(),
        alt: alfred_timeline::alt(picture),
        png,
    };
    // Files go to another host and have limits of their own: what holds them up mustn't hold up the words.
    match chat.upload(&image).await {
        Ok(id) => Some(id.0),
        Err(error) => {
            tracing::warn!(run.id = %run.id, %error, "a reply goes without its picture");
            None
        }
    }
}
