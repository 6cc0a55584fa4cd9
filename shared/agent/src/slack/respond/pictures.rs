//! Calendar pictures in replies. The reply is committed with their data; they are drawn when it is posted.

use alfred_core::ports::{Image, Post};
use alfred_timeline::Timeline;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

use crate::model::{Reply, Run, Step, Unclear};
use crate::store::ports::Ports;
use crate::tool::{is_part, whole_of};

/// Maximum pictures in a reply; only the latest are kept.
const MOST: usize = 2;
/// A picture older than this at the run's end is dropped as outdated.
const FRESH: SignedDuration = SignedDuration::from_mins(10);
/// Maximum time that an answer waits for its pictures.
const PATIENCE: Duration = Duration::from_secs(15);

/// The run's pictures that are up to date, one per file name. While a run waits for its owner, the calendar may change.
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

pub(super) fn blocks(pictures: &[Timeline]) -> impl Iterator<Item = Value> {
    let numbered = pictures.iter().enumerate();
    numbered.map(|(at, picture)| block(picture, &at.into()))
}

pub fn block(picture: &Timeline, file: &Value) -> Value {
    let alt = alfred_timeline::alt(picture);
    json!({"type": "image", "slack_file": {"id": file}, "alt_text": alt})
}

/// Uploads a part's pictures and inserts their ids. Pictures that fail or take too long are removed.
pub(super) async fn uploaded(ports: &Ports, run: &Run, reply: &Reply, part: &Post) -> Post {
    let mut part = part.clone();
    let until = Instant::now() + PATIENCE;
    for block in &mut part.blocks {
        if let Some(picture) = placed(block, reply) {
            let id = upload(ports, picture, until).await.inspect_err(|error| {
                tracing::warn!(run.id = %run.id, error, "a reply goes without its picture");
            });
            block["slack_file"]["id"] = id.ok().into();
        }
    }
    let kept = |block: &Value| block["type"] != "image" || !block["slack_file"]["id"].is_null();
    part.blocks.retain(kept);
    part
}

pub(super) fn without(part: &Post) -> Post {
    let mut part = part.clone();
    part.blocks.retain(|block| block["type"] != "image");
    part
}

fn placed<'a>(block: &Value, reply: &'a Reply) -> Option<&'a Timeline> {
    let at = block["slack_file"]["id"].as_u64()?;
    reply.pictures.get(usize::try_from(at).ok()?)
}

/// Draws and uploads a picture, for at most 15 seconds. Returns the id of the file.
pub async fn upload_soon(ports: &Ports, picture: &Timeline) -> Result<String, String> {
    upload(ports, picture, Instant::now() + PATIENCE).await
}

async fn upload(ports: &Ports, picture: &Timeline, until: Instant) -> Result<String, String> {
    let png = (ports.draw)(picture).map_err(|error| format!("it can't be drawn: {error}"))?;
    let image = Image {
        name: picture.file_name(),
        alt: alfred_timeline::alt(picture),
        png,
    };
    // Files go to another host with its own limits, so a failed upload must not delay the text.
    let uploaded = timeout_at(until, ports.chat.upload(&image)).await;
    let id = uploaded.map_err(|late| late.to_string())?;
    Ok(id.map_err(|error| error.to_string())?.0)
}
