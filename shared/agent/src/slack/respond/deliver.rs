//! Posts replies: exactly once if Slack's history can be read, at least once if not.

use alfred_core::ports::{Chat, ChatError, Live, Post, Posted};
use jiff::SignedDuration;
use serde_json::Value;
use std::time::Duration;
use std::{iter, slice};

use crate::model::{Reply, Run};
use crate::slack::options::CHOOSE;
use crate::slack::respond::split::context;
use crate::slack::respond::{mrkdwn, pictures};
use crate::slack::rich_text;
use crate::store::ports::Ports;

pub(crate) const ANSWER_REFUSED: &str =
    "I finished, but Slack wouldn't take my answer. Please ask me about it again.";
const PLACE_IS_GONE: &str =
    "You get this here because I can't write any more where you asked for it.";
/// Pause before the next try while Slack is unreachable.
const PAUSE: Duration = Duration::from_secs(2);
/// Slack tells people of new messages only. After this long the person looks elsewhere, so the reply is a new message,
/// and the live one is deleted.
const UNNOTICED: SignedDuration = SignedDuration::from_secs(60);
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
    Later {
        after: Duration,
        /// Whether the next part was missing in Slack. The caller stores the time.
        missed: bool,
    },
    /// Slack won't take some of it in any form or place. At best a notice was posted instead.
    Refused { code: String },
}

/// Posts the parts that are not in Slack yet. Unless this delivery committed the reply (`fresh`), each part is searched
/// first, and posted only after two searches, `reply_settle` apart, fail or don't find it.
pub async fn deliver(ports: &Ports, run: &Run, reply: &Reply, fresh: bool) -> Delivery {
    let mut live = reply.live.clone();
    let delivery = deliver_parts(ports, run, reply, fresh, &mut live).await;
    let is_over = !matches!(delivery, Delivery::Later { .. });
    if let Some(unused) = live.filter(|_| is_over) {
        delete_live(&*ports.chat, &unused).await;
    }
    delivery
}

/// Deletes a live message. A failure is only logged.
pub(crate) async fn delete_live(chat: &dyn Chat, live: &Live) {
    if let Err(error) = chat.delete_live(live).await {
        tracing::warn!(error = %error, "couldn't delete a live message");
    }
}

/// `live` is taken when a part has replaced it.
async fn deliver_parts(
    ports: &Ports,
    run: &Run,
    reply: &Reply,
    fresh: bool,
    live: &mut Option<Live>,
) -> Delivery {
    let chat = &*ports.chat;
    let took = ports.clock.now().duration_since(run.created_at);
    let recent = live.as_ref().filter(|_| took < UNNOTICED);
    let place = recent.map(|live| (&live.channel, &live.thread_ts));
    let is_here = |part: &Post| place == Some((&part.channel, &part.thread_ts));
    let replacing = reply.parts.iter().position(is_here);
    let later = |after, missed| Delivery::Later { after, missed };
    let missing = later(ports.config.reply_settle, true);
    let mut untried = fresh;
    let (mut refused, mut question) = (None, None);
    for (at, part) in reply.parts.iter().enumerate() {
        let mut found = None;
        if !untried {
            let looked = look(chat, run, part).await;
            untried = match &looked {
                Ok(Some(_)) => false,
                Ok(None) => reply.next_untried || settled(ports, reply),
                Err(error) => {
                    tracing::warn!(run.id = %run.id, error = %error, "couldn't look for a reply in Slack");
                    // Unreadable history must not block the reply forever.
                    settled(ports, reply)
                }
            };
            found = looked.ok().flatten();
            live.take_if(|live| found.as_ref() == Some(&live.at));
        }
        if found.is_none()
            && let Some(here) = live.clone().filter(|_| replacing == Some(at))
        {
            match complete(ports, run, reply, part, &here).await {
                Ok(true) => {
                    found = Some(here.at);
                    *live = None;
                }
                Ok(false) => {}
                Err(ChatError::RateLimited { retry_after }) => return later(retry_after, false),
                Err(error) => {
                    tracing::warn!(run.id = %run.id, error = %error, "couldn't complete a live message");
                    return later(PAUSE, false);
                }
            }
        }
        if found.is_none() && !untried {
            return missing;
        }
        if found.is_none() {
            match offer(ports, run, reply, part).await {
                Ok(Ok(posted)) => found = Some(posted),
                Ok(Err(code)) => refused = Some(code),
                Err(ChatError::Unknown { detail }) => {
                    tracing::warn!(run.id = %run.id, detail, "a reply's outcome is unknown; looking");
                    found = look(chat, run, part).await.ok().flatten();
                    if found.is_none() {
                        return missing;
                    }
                }
                Err(ChatError::RateLimited { retry_after }) => return later(retry_after, false),
                Err(ChatError::NotSent { detail }) => {
                    tracing::warn!(run.id = %run.id, detail, "Slack can't be reached");
                    return later(PAUSE, false);
                }
                Err(ChatError::Refused { code, .. }) => return Delivery::Refused { code },
            }
        }
        let asks = part.blocks.iter().any(|block| block["block_id"] == CHOOSE);
        question = question.or(found.filter(|_| asks));
    }
    match refused {
        Some(code) => Delivery::Refused { code },
        None => Delivery::Posted { question },
    }
}

/// Turns the live message into this part, which may be repeated. False if Slack refuses that, or the person deleted it.
async fn complete(
    ports: &Ports,
    run: &Run,
    reply: &Reply,
    part: &Post,
    live: &Live,
) -> Result<bool, ChatError> {
    for form in pictured(ports, run, reply, part).await {
        match ports.chat.complete_live(live, &form).await {
            Err(ChatError::Refused { code, .. }) => {
                tracing::warn!(run.id = %run.id, slack.error = code, "Slack refused to complete a live message");
            }
            done => return done.map(|()| true),
        }
    }
    Ok(false)
}

/// Whether an earlier search missed the part at least `reply_settle` ago.
fn settled(ports: &Ports, reply: &Reply) -> bool {
    let settle = ports.config.reply_settle;
    let least = SignedDuration::try_from(settle).unwrap_or(SignedDuration::MAX);
    let is_past = |at| ports.clock.now().duration_since(at).abs() >= least;
    settle.is_zero() || reply.missed_at.is_some_and(is_past)
}

async fn look(chat: &dyn Chat, run: &Run, part: &Post) -> Result<Option<Posted>, ChatError> {
    match chat.find(&part.look_since(run.created_at)).await {
        // Alfred isn't in that place, so the part went to the direct message.
        Err(ChatError::Refused { code, .. }) if NOT_HERE.contains(&code.as_str()) => {
            let direct = part.clone().direct(&run.user);
            chat.find(&direct.look_since(run.created_at)).await
        }
        found => found,
    }
}

/// Posts one part in the best form that Slack accepts. The last resort is a notice; then the refusal's code is the `Err`.
async fn offer(
    ports: &Ports,
    run: &Run,
    reply: &Reply,
    part: &Post,
) -> Result<Result<Posted, String>, ChatError> {
    let plain = Post {
        text: plain_text(part),
        blocks: Vec::new(),
        ..part.clone()
    };
    let notice = Post {
        text: ANSWER_REFUSED.to_owned(),
        ..plain.clone()
    };
    let (plain_dm, notice_dm) = (to_owner(run, &plain), to_owner(run, &notice));
    let last = [plain, plain_dm, notice.clone(), notice_dm];
    let forms = pictured(ports, run, reply, part).await.chain(last);
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

/// The part with its pictures, and if it has any also without them.
async fn pictured(
    ports: &Ports,
    run: &Run,
    reply: &Reply,
    part: &Post,
) -> impl Iterator<Item = Post> + use<> {
    let whole = pictures::uploaded(ports, run, reply, part).await;
    let unpictured = pictures::without(&whole);
    let less = (unpictured != whole).then_some(unpictured);
    iter::once(whole).chain(less)
}

/// The text of a part's blocks, for a message without blocks.
fn plain_text(part: &Post) -> String {
    let mut lines = Vec::new();
    for block in &part.blocks {
        match block["type"].as_str() {
            Some("actions") => {}
            Some("rich_text") => {
                // Rich text shows as it is, so mrkdwn characters are escaped.
                let text = rich_text::as_text(slice::from_ref(block));
                lines.push(mrkdwn::escape(&text));
            }
            _ => {
                let elements = block["elements"].as_array().into_iter().flatten();
                let texts = elements.map(|element| &element["text"]);
                let texts = iter::once(&block["text"]["text"]).chain(texts);
                lines.extend(texts.filter_map(Value::as_str).map(str::to_owned));
            }
        }
    }
    if lines.is_empty() {
        return part.text.clone();
    }
    lines.join("\n")
}

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
            direct.blocks.push(context(PLACE_IS_GONE))
        }
    }
    direct
}
