//! The response router: one place turns an outcome into Slack messages and
//! gets them there, once.

mod deliver;
mod ledger;
pub mod mrkdwn;
mod split;

pub(crate) use deliver::NOT_HERE;
pub use deliver::{Delivery, deliver};
pub use split::pieces;

use alfred_core::ports::Post;
use alfred_core::{ChannelId, ResponseType, WorkerOutput, text};
use serde_json::{Value, json};

use crate::ledger::Ledger;
use crate::run::{Reply, Run};

/// Slack takes 3,000 characters in a section; annex 1 says 2,900.
const SECTION_CHARS: usize = 2_900;
/// Slack takes 3,000 characters in a context element; annex 1 says 300.
const CONTEXT_CHARS: usize = 300;
/// Slack refuses blocks whose JSON is over 13,200 characters together; the ledger and the part's number need room too.
const SECTIONS_JSON_CHARS: usize = 9_000;
/// Characters of the notification text beside blocks.
const NOTIFICATION_CHARS: usize = 1_000;

/// The reply to a run: the outcome's text, then the ledger of what the run did.
#[must_use]
pub fn render(run: &Run, output: &WorkerOutput, ledger: &Ledger) -> Reply {
    let said = match (&output.result, &output.error) {
        (Some(result), _) => mrkdwn::from_markdown(result),
        (None, Some(error)) => mrkdwn::escape(error),
        (None, None) => text::unexpected(),
    };
    let mut sections = split::pieces(&said, SECTION_CHARS);
    if sections.is_empty() {
        sections.push(text::unexpected());
    }
    let (channel, thread_ts) = address(run);
    let messages = packed(&sections);
    let count = messages.len();
    let parts = messages.into_iter().enumerate().map(|(at, chunk)| {
        let mut blocks: Vec<Value> = chunk.iter().map(|text| section(text)).collect();
        if at + 1 == count {
            blocks.extend(ledger::blocks(output, ledger));
        }
        if count > 1 {
            blocks.push(context(&text::continued(at + 1, count)));
        }
        Post {
            channel: channel.clone(),
            thread_ts: thread_ts.clone(),
            text: head(
                chunk.first().copied().unwrap_or_default(),
                NOTIFICATION_CHARS,
            ),
            blocks,
            idempotency_key: format!("{}:{}", run.id, at + 1),
        }
    });
    Reply {
        parts: parts.collect(),
        ..Reply::default()
    }
}

/// Sections by message, as many as fit one.
fn packed(sections: &[String]) -> Vec<Vec<&str>> {
    let mut messages: Vec<Vec<&str>> = Vec::new();
    let mut size = 0;
    for text in sections {
        let needed = section(text).to_string().chars().count();
        match messages.last_mut() {
            Some(message) if size + needed <= SECTIONS_JSON_CHARS => {
                message.push(text);
                size += needed;
            }
            _ => {
                messages.push(vec![text]);
                size = needed;
            }
        }
    }
    messages
}

/// Where the answer goes. A user id as channel opens the direct message.
fn address(run: &Run) -> (ChannelId, Option<String>) {
    let slack = run.input.slack();
    let direct = slack.channel_id.as_str().starts_with('D');
    match slack.response_type {
        ResponseType::Thread | ResponseType::Channel => {
            (slack.channel_id.clone(), slack.thread_ts.clone())
        }
        ResponseType::Dm if direct => (slack.channel_id.clone(), slack.thread_ts.clone()),
        ResponseType::Dm => (ChannelId::from(run.user.as_str()), None),
    }
}

fn section(text: &str) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": text}, "expand": true})
}

fn context(text: &str) -> Value {
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": head(text, CONTEXT_CHARS)}]})
}

/// The first so many characters, with an ellipsis where there are more.
#[must_use]
pub fn head(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some(_) => {
            let end = text.char_indices().nth(chars - 1).map_or(0, |(at, _)| at);
            format!("{}…", &text[..end])
        }
        None => text.to_owned(),
    }
}
