//! Posts replies: exactly once if Slack's history can be read, at least once if not.

use alfred_core::ports::{Chat, ChatError, Look, Post, Posted};
use alfred_core::{ChannelId, Config};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::time::Duration;

use crate::model::run::{Reply, Run};
use crate::slack::options::CHOOSE;
use crate::slack::respond::{ANSWER_REFUSED, mrkdwn, pictures};
use crate::slack::rich_text;
use crate::store::ports::Ports;

const PLACE_IS_GONE: &str =
    "You get this here because I can't write any more where you asked for it.";

/// Pause before the next try while Slack is unreachable.
const PAUSE: Duration = Duration::from_secs(2);

/// Slack error codes for places where Alfred may not post.
pub(crate) const NOT_HERE: [&str; 6] = [
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "thread_not_found",
    "restricted_action",
    "cannot_reply_to_message",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    Posted {
        /// The message with choice buttons, if there is one.
        question: Option<Posted>,
    },
    /// Not finished; try again later.
    Later {
        after: Duration,
        /// Whether the next part was missing in Slack. The caller stores the time, for the settle check.
        missed: bool,
    },
    /// Slack won't take some of it in any form or place. At best a notice stands in its stead.
    Refused {
        /// Slack's error code.
        code: String,
    },
}

/// Posts the parts that are not in Slack yet. `fresh` means that this delivery committed the reply,
/// so nobody can have posted it. Otherwise each part is searched first. It is posted again only
/// after two searches, `reply_settle` apart, fail or don't find it.
pub async fn deliver(ports: &Ports, run: &Run, reply: &Reply, fresh: bool) -> Delivery {
    let (chat, clock, config) = (&*ports.chat, &*ports.clock, &*ports.config);
    let mut untried = fresh;
    let (mut refused, mut question) = (None, None);
    for part in &reply.parts {
        let asks = part.blocks.iter().any(|block| block["block_id"] == CHOOSE);
        if !untried {
            match look(chat, run, part).await {
                Ok(Some(found)) => {
                    question = question.or(asks.then_some(found));
                    continue;
                }
                Ok(None) if reply.next_untried || settled(reply, config, clock.now()) => {
                    untried = true
                }
                Ok(None) => return missing(config),
                Err(error) => {
                    tracing::warn!(run.id = %run.id, error = %error, "couldn't look for a reply in Slack");
                    // Unreadable history must not block the reply forever.
                    if settled(reply, config, clock.now()) {
                        untried = true;
                    } else {
                        return missing(config);
                    }
                }
            }
        }
        match offer(ports, run, reply, part).await {
            Ok(Ok(posted)) => question = question.or(asks.then_some(posted)),
            Ok(Err(code)) => refused = Some(code),
            Err(ChatError::Unknown { detail }) => {
                tracing::warn!(run.id = %run.id, detail, "a reply's outcome is unknown; looking");
                match look(chat, run, part).await {
                    Ok(Some(found)) => question = question.or(asks.then_some(found)),
                    Ok(None) | Err(_) => return missing(config),
                }
            }
            Err(ChatError::RateLimited { retry_after }) => {
                return Delivery::Later {
                    after: retry_after,
                    missed: false,
                };
            }
            Err(ChatError::NotSent { detail }) => {
                tracing::warn!(run.id = %run.id, detail, "Slack can't be reached");
                return Delivery::Later {
                    after: PAUSE,
                    missed: false,
                };
            }
            Err(ChatError::Refused { code, .. }) => return Delivery::Refused { code },
        }
    }
    match refused {
        Some(code) => Delivery::Refused { code },
        None => Delivery::Posted { question },
    }
}

fn missing(config: &Config) -> Delivery {
    Delivery::Later {
        after: config.reply_settle,
        missed: true,
    }
}

/// Whether an earlier search missed the part at least `reply_settle` ago.
fn settled(reply: &Reply, config: &Config, now: Timestamp) -> bool {
    let settle = SignedDuration::try_from(config.reply_settle).unwrap_or(SignedDuration::MAX);
    config.reply_settle.is_zero()
        || reply
            .missed_at
            .is_some_and(|at| now.duration_since(at).abs() >= settle)
}

async fn look(chat: &dyn Chat, run: &Run, part: &Post) -> Result<Option<Posted>, ChatError> {
    let look = part.look_since(run.created_at);
    match chat.find(&look).await {
        // Alfred isn't in that place, so the part went to the direct message.
        Err(ChatError::Refused { code, .. }) if NOT_HERE.contains(&code.as_str()) => {
            let direct = Look {
                channel: ChannelId::from(run.user.as_str()),
                thread_ts: None,
                ..look
            };
            chat.find(&direct).await
        }
        found => found,
    }
}

/// Posts one part in the best form that Slack accepts: complete, without pictures, as plain text, as direct
/// message. The last resort is a notice, and then the refusal's code is returned as `Err`.
async fn offer(
    ports: &Ports,
    run: &Run,
    reply: &Reply,
    part: &Post,
) -> Result<Result<Posted, String>, ChatError> {
    let direct = |post: &Post| to_owner(run, post);
    let plain = Post {
        text: plain_text(part),
        blocks: Vec::new(),
        ..part.clone()
    };
    let notice = Post {
        text: ANSWER_REFUSED.to_owned(),
        ..plain.clone()
    };
    let whole = pictures::uploaded(ports, run, reply, part).await;
    let unpictured = pictures::without(&whole);
    let less = (unpictured != whole).then_some(unpictured);
    let forms = std::iter::once(whole).chain(less).chain([
        plain.clone(),
        direct(&plain),
        notice.clone(),
        direct(&notice),
    ]);
    let mut refusal = None;
    for form in forms {
        match post(&*ports.chat, run, &form).await {
            Ok(posted) if form.text == notice.text => return Ok(refusal.map_or(Ok(posted), Err)),
            Ok(posted) => return Ok(Ok(posted)),
            Err(ChatError::Refused { code, .. }) => {
                tracing::warn!(run.id = %run.id, slack.error = code, "Slack refused a form of the reply");
                refusal.get_or_insert(code);
            }
            Err(error) => return Err(error),
        }
    }
    Err(ChatError::Refused {
        method: "chat.postMessage",
        code: refusal.unwrap_or_default(),
    })
}

/// The text of a part's blocks, for a message without blocks.
fn plain_text(part: &Post) -> String {
    let lines = part.blocks.iter().flat_map(|block| match &block["type"] {
        kind if kind == "rich_text" => in_rich_text(block),
        kind if kind == "actions" => Vec::new(),
        _ => in_mrkdwn(block),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        part.text.clone()
    } else {
        text
    }
}

fn in_mrkdwn(block: &Value) -> Vec<String> {
    let own = block.pointer("/text/text").and_then(Value::as_str);
    let elements = block.get("elements").and_then(Value::as_array);
    let elements = elements.into_iter().flatten();
    let said = elements.filter_map(|element| element.get("text")?.as_str());
    own.into_iter().chain(said).map(str::to_owned).collect()
}

/// Rich text shows as it is, so mrkdwn characters are escaped.
fn in_rich_text(block: &Value) -> Vec<String> {
    let lines = rich_text::lines(block);
    lines.iter().map(|line| mrkdwn::escape(line)).collect()
}

/// Posts one part; if Alfred may not post in the channel, to the direct message.
async fn post(chat: &dyn Chat, run: &Run, part: &Post) -> Result<Posted, ChatError> {
    match chat.post(part).await {
        Err(ChatError::Refused { code, .. }) if NOT_HERE.contains(&code.as_str()) => {
            tracing::info!(run.id = %run.id, slack.error = code, "answering in the direct message instead");
            chat.post(&to_owner(run, part)).await
        }
        outcome => outcome,
    }
}

/// Redirects a part to the owner's direct message. A scheduled run's reply says why.
fn to_owner(run: &Run, part: &Post) -> Post {
    let mut direct = part.clone().direct(&run.user);
    if run.job.is_some() && direct != *part {
        if direct.blocks.is_empty() {
            direct.text = format!("{}\n\n{PLACE_IS_GONE}", direct.text)
        } else {
            direct.blocks.push(super::context(PLACE_IS_GONE))
        }
    }
    direct
}
