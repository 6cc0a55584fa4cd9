//! Posting a reply: exactly once while Slack's history can be read, and rather
//! twice than never when it can't.

use alfred_core::ports::{Chat, ChatError, Look, Post, Posted};
use alfred_core::{ChannelId, Config};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::time::Duration;

use super::{ANSWER_REFUSED, mrkdwn, pictures};
use crate::options::CHOOSE;
use crate::ports::Ports;
use crate::rich_text;
use crate::run::{Reply, Run};

const PLACE_IS_GONE: &str =
    "You get this here because I can't write any more where you asked for it.";

/// Before Slack is asked again when it can't be reached.
const PAUSE: Duration = Duration::from_secs(2);

/// What Slack says of a place where Alfred may not write.
pub(crate) const NOT_HERE: [&str; 6] = [
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "thread_not_found",
    "restricted_action",
    "cannot_reply_to_message",
];

/// How far a delivery came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Every part is in Slack.
    Posted {
        /// The message with the buttons that choose, where there are some.
        question: Option<Posted>,
    },
    /// Not settled: come back then. `missed` says that a look found the next part missing.
    Later {
        /// How long to wait.
        after: Duration,
        /// Whether to remember the look.
        missed: bool,
    },
    /// Slack won't take some of it in any form or place. At best a notice stands in its stead.
    Refused {
        /// Slack's error code.
        code: String,
    },
}

/// Posts what isn't there yet. `fresh` says that nobody can have tried before:
/// the reply was committed by this very call. Otherwise each part is looked
/// for first, and posted again only when two looks, `reply_settle` apart, miss
/// it or can't be had.
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
                    // History that can't be read must not silence the answer for ever.
                    if settled(reply, config, clock.now()) {
                        untried = true;
                    } else {
                        return missing(config);
                    }
                }
            }
        }
        match offer(chat, run, reply, part).await {
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

/// Whether an earlier look missed it long enough ago.
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
        // Where Alfred may not be, the direct message got the answer.
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

/// Gets one part into Slack in the best form it takes: as it is, without its pictures, as plain text,
/// and in the direct message; at last a notice in its stead: then it gives the code of the refusal.
async fn offer(
    chat: &dyn Chat,
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
    let whole = pictures::uploaded(chat, run, reply, part).await;
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
        match post(chat, run, &form).await {
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

/// Everything a person would read in a part's blocks, for a message without any.
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
    let said = own
        .into_iter()
        .chain(elements.filter_map(|element| element.get("text")?.as_str()));
    said.map(str::to_owned).collect()
}

/// What stands there as it is mustn't act in mrkdwn.
fn in_rich_text(block: &Value) -> Vec<String> {
    let lines = rich_text::lines(block);
    lines.iter().map(|line| mrkdwn::escape(line)).collect()
}

/// Posts one part; where Slack won't have it in the channel, in the direct message.
async fn post(chat: &dyn Chat, run: &Run, part: &Post) -> Result<Posted, ChatError> {
    match chat.post(part).await {
        Err(ChatError::Refused { code, .. }) if NOT_HERE.contains(&code.as_str()) => {
            tracing::info!(run.id = %run.id, slack.error = code, "answering in the direct message instead");
            chat.post(&to_owner(run, part)).await
        }
        outcome => outcome,
    }
}

/// A part as it goes to the direct message in another place's stead. Who asked long ago for what comes now
/// is told why.
fn to_owner(run: &Run, part: &Post) -> Post {
    let mut direct = part.clone().direct(&run.user);
    if run.job.is_some() && direct != *part {
        match direct.blocks.is_empty() {
            true => direct.text = format!("{}\n\n{PLACE_IS_GONE}", direct.text),
            false => direct.blocks.push(super::context(PLACE_IS_GONE)),
        }
    }
    direct
}
