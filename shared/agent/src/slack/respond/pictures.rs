//! Calendar pictures in replies. The reply is committed with their data; they are drawn and
//! uploaded when the message is posted, because the message needs the file id. If Slack refuses a
//! picture, the reply is posted without it.

use alfred_core::ports::{Image, Post};
use alfred_timeline::Timeline;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

use crate::model::run::{Reply, Run};
use crate::model::step::{Step, Unclear};
use crate::store::ports::Ports;
use crate::tool::{is_part, whole_of};

/// Maximum pictures in a reply; only the latest are kept.
const MOST: usize = 2;
/// A picture older than this at the run's end is dropped as outdated.
const FRESH: SignedDuration = SignedDuration::from_mins(10);
/// Maximum time that an answer waits for its pictures.
const PATIENCE: Duration = Duration::from_secs(15);
/// Prefix of the placeholder for a file id; the picture's index follows.
const PLACE: &str = "picture:";

/// The run's calendar pictures that are still up to date, one per file name. A picture is dropped
/// if something changed after it, or if it is older than `FRESH` at the end. While a run waits for
/// its owner, the calendar may change.
pub fn timelines(steps: &[Step]) -> Vec<Timeline> {
    let mut shown: Vec<(&str, &Timeline)> = Vec::new();
    let end = steps.last().map_or(Timestamp::MIN, |step| step.at);
    for step in steps {
        let Some(result) = step.result() else {
            continue;
        };
        if result.changed || result.unclear == Some(Unclear::Unknown) {
            // A call with parts ends after them, so the last part's picture is still up to date.
            shown.retain(|(by, _)| is_part(by) && whole_of(by) == result.call_id);
        }
        let fresh = end.duration_since(step.at) <= FRESH;
        if let Some(picture) = result.picture.as_ref().filter(|_| fresh) {
            shown.retain(|(_, other)| other.file_name() != picture.file_name());
            shown.push((&result.call_id, picture));
        }
    }
    let older = shown.len().saturating_sub(MOST);
    let latest = shown.into_iter().skip(older);
    latest.map(|(_, picture)| picture.clone()).collect()
}

/// Image blocks with placeholders instead of file ids.
pub(super) fn blocks(pictures: &[Timeline]) -> impl Iterator<Item = Value> {
    pictures.iter().enumerate().map(|(at, picture)| {
        json!({
            "type": "image",
            "slack_file": {"id": format!("{PLACE}{at}")},
            "alt_text": alfred_timeline::alt(picture),
        })
    })
}

/// Uploads a part's pictures and inserts their ids. Pictures that fail or take too long are removed.
pub(super) async fn uploaded(ports: &Ports, run: &Run, reply: &Reply, part: &Post) -> Post {
    let mut part = part.clone();
    let until = Instant::now() + PATIENCE;
    let mut blocks = Vec::with_capacity(part.blocks.len());
    for mut block in std::mem::take(&mut part.blocks) {
        if let Some(picture) = placed(&block, reply) {
            let id = timeout_at(until, upload(ports, run, picture)).await;
            let id = id.unwrap_or_else(|_| {
                tracing::warn!(run.id = %run.id, "a reply goes without its picture: the upload takes too long");
                None
            });
            let Some(id) = id else { continue };
            block["slack_file"]["id"] = id.into();
        }
        blocks.push(block);
    }
    part.blocks = blocks;
    part
}

pub(super) fn without(part: &Post) -> Post {
    let mut part = part.clone();
    part.blocks.retain(|block| block["type"] != "image");
    part
}

fn placed<'a>(block: &Value, reply: &'a Reply) -> Option<&'a Timeline> {
    let place = block["slack_file"]["id"].as_str()?;
    let at: usize = place.strip_prefix(PLACE)?.parse().ok()?;
    reply.pictures.get(at)
}

async fn upload(ports: &Ports, run: &Run, picture: &Timeline) -> Option<String> {
    let drawn = (ports.draw)(picture).inspect_err(|error| {
        tracing::error!(run.id = %run.id, %error, "a picture can't be drawn");
    });
    let image = Image {
        name: picture.file_name(),
        alt: alfred_timeline::alt(picture),
        png: drawn.ok()?,
    };
    // Files go to another host with its own limits, so a failed upload must not delay the text.
    let uploaded = ports.chat.upload(&image).await.inspect_err(|error| {
        tracing::warn!(run.id = %run.id, %error, "a reply goes without its picture");
    });
    Some(uploaded.ok()?.0)
}
