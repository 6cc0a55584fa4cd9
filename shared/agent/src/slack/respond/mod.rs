//! Turns a run's outcome into Slack messages and posts them once.

mod addresses;
mod deliver;
mod ledger;
pub mod mrkdwn;
pub mod pictures;
mod rating;
mod sources;
pub(super) mod split;

pub use addresses::{linked, unescaped};
pub(crate) use deliver::{ANSWER_REFUSED, NOT_HERE, delete_live};
pub use deliver::{Delivery, deliver};
pub use ledger::{UNDO, UNDO_BLOCK};
pub use rating::{RATE, rated};
pub use sources::in_plain_text;
pub(crate) use sources::without_marks;
pub(crate) use split::context;
pub use split::{head, pieces};

use alfred_core::ports::{Look, Post};
use alfred_core::{ChannelId, ResponseType, WorkerOutput, invisible, text};
use alfred_timeline::Timeline;
use serde_json::{Value, json};
use std::fmt::Display;
use std::iter;

use crate::history::ledger::{Entry, Ledger};
use crate::history::owner_words;
use crate::model::{Readers, Reply, Run, Work};
use crate::slack::notice;
use crate::slack::rich_text::{self, size};

const ANSWERED_IN_DM: &str =
    "The answer has private things in it, so I've sent it to you in our direct message.";
const SHOWN_TO_YOU_FIRST: &str =
    "The answer draws on what others wrote, so I've shown it to you first, in our direct message.";
const WHAT_WAS_DONE: &str = "What was done";
/// `action_id` of the button that posts an answer in the channel. Its value is the run id.
pub const PUBLISH: &str = "answer_publish";
/// Maximum characters of a section. Slack accepts 3,000.
const SECTION_CHARS: usize = 2_900;
/// Maximum JSON characters of a message's blocks. Slack refuses more than 13,200.
const MESSAGE_JSON_CHARS: usize = 12_800;
/// Maximum JSON characters of a message's sections. A ledger that doesn't fit after them gets its own message.
const SECTIONS_JSON_CHARS: usize = 9_000;
const NOTIFICATION_CHARS: usize = 1_000;

/// The reply to a run. Empty if nothing was done and the outcome is shown elsewhere.
pub fn render(
    run: &Run,
    output: &WorkerOutput,
    ledger: &Ledger,
    pictures: Vec<Timeline>,
    buttons: Vec<Value>,
) -> Reply {
    if ledger.entries.is_empty() && matches!(&run.work, Work::Call(call) if call.printed) {
        return Reply::default();
    }
    let silent = run.job.is_some() && output.result.as_deref() == Some("");
    if silent && ledger.entries.iter().all(Entry::is_declined) {
        return Reply::default();
    }
    let readers = run.readers();
    let sections = sections(run, output, silent);
    let mut messages = rich_text::packed(sections, size, SECTIONS_JSON_CHARS, usize::MAX);
    let mut behind: Vec<Value> = pictures::blocks(&pictures).chain(buttons).collect();
    // A note that echoes the person's own words needs no ledger.
    let own_words = matches!(run.work, Work::Say { .. }) && !run.is_tainted();
    if !own_words || !ledger.entries.is_empty() {
        behind.extend(ledger::blocks(ledger));
    }
    behind.extend(scheduled(run));
    if readers == Readers::OwnerFirst && output.result.is_some() {
        behind.extend(publish(run));
    }
    behind.extend(rating::thumbs(run, output));
    let last = messages.last().into_iter().flatten();
    let taken: usize = last.chain(&behind).map(size).sum();
    if taken > MESSAGE_JSON_CHARS {
        messages.push(Vec::new());
    }
    let mut parts = Vec::new();
    let count = messages.len();
    for (mut blocks, number) in messages.into_iter().zip(1..) {
        let first = blocks.first().map(|block| &block["text"]["text"]);
        let first = first.and_then(Value::as_str).unwrap_or(WHAT_WAS_DONE);
        let head = head(first, NOTIFICATION_CHARS);
        let part = message(run, readers, number, &head);
        if number == count {
            blocks.append(&mut behind);
        }
        if count > 1 {
            blocks.push(context(&format!("_({number}/{count})_")));
        }
        parts.push(Post { blocks, ..part });
    }
    // The line in the channel when the answer goes only to the owner.
    let line = |text| message(run, Readers::Here, "line", text);
    match readers {
        Readers::Here => {}
        Readers::OwnerFirst => parts.push(line(SHOWN_TO_YOU_FIRST)),
        Readers::Owner => parts.push(line(ANSWERED_IN_DM)),
    }
    Reply {
        parts,
        pictures,
        ..Reply::default()
    }
}

/// The answer or error in sections, then the sources that an answer cites.
fn sections(run: &Run, output: &WorkerOutput, silent: bool) -> Vec<Value> {
    let said = match output.result.as_ref().or(output.error.as_ref()) {
        Some(_) if silent => WHAT_WAS_DONE.to_owned(),
        Some(said) => in_mrkdwn(run, said),
        None => text::UNEXPECTED.to_owned(),
    };
    let given = output.result.as_ref().map_or(&[][..], |_| &output.sources);
    let cited = sources::Cited::of(&said, given);
    let mut sections = pieces(&cited.linked(&said), SECTION_CHARS);
    if sections.is_empty() {
        sections.push(text::UNEXPECTED.to_owned());
    }
    sections.extend(pieces(&cited.listed().unwrap_or_default(), SECTION_CHARS));
    sections.iter().map(|text| section(run, text)).collect()
}

fn message(run: &Run, readers: Readers, part: impl Display, text: &str) -> Post {
    let slack = run.input.slack();
    let direct = slack.channel_id.as_str().starts_with('D');
    let here = readers == Readers::Here && (direct || slack.response_type != ResponseType::Dm);
    // A user id as channel means the direct message.
    let (channel, thread_ts) = if here {
        (slack.channel_id.clone(), slack.thread_ts.clone())
    } else {
        (ChannelId::from(run.user.as_str()), None)
    };
    let key = format!("{}:{part}", run.id);
    notice::plain(channel, thread_ts, text.to_owned(), key)
}

/// The place of a run's live message, and the key by which it is found until it is completed.
pub(crate) fn live_post(run: &Run) -> Post {
    message(run, Readers::Here, "live", "")
}

pub(crate) fn look_for(run: &Run, part: usize) -> Look {
    message(run, run.readers(), part, "").look_since(run.created_at)
}

/// Replaces receipt marks at the start of a line, so that the answer can't imitate the ledger.
fn unreceipted(said: &str) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix(text::RECEIPT) {
        Some(rest) => format!("•{rest}"),
        None => line.to_owned(),
    };
    said.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Converts Markdown to mrkdwn. In a tainted run, only links that the owner wrote stay links.
fn in_mrkdwn(run: &Run, said: &str) -> String {
    let said = &unreceipted(said);
    if run.is_tainted() {
        mrkdwn::with_links(said, &may_be_linked(run))
    } else {
        mrkdwn::from_markdown(said)
    }
}

/// The answer or error of a run for a terminal. In a tainted run, only addresses that the owner wrote stay whole.
pub fn for_terminal(run: &Run, output: &WorkerOutput) -> Option<String> {
    let safe = |text: &String| {
        if run.is_tainted() {
            addresses::cut_in_text(&invisible::removed(text), &may_be_linked(run))
        } else {
            text.clone()
        }
    };
    let answer = WorkerOutput {
        result: output.result.as_ref().map(safe),
        ..output.clone()
    };
    in_plain_text(&answer).or_else(|| output.error.as_ref().map(safe))
}

/// Tells whether an address comes from the owner, and so may be a link in a tainted run.
fn may_be_linked(run: &Run) -> impl Fn(&str) -> bool {
    let given = match &run.work {
        Work::Say { links, .. } => &links[..],
        Work::Agent | Work::Call(_) | Work::Program { .. } => &[],
    };
    let own = owner_words(run);
    move |url: &str| {
        let ends = |c: char| c.is_whitespace() || ">|,.)".contains(c);
        let wrote = |words: &String| {
            let rest = words.split_once(url).map(|(_, rest)| rest);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
        };
        given.iter().any(|link| link == url) || own.iter().any(wrote)
    }
}

/// The button with which the owner publishes the answer; its value is the run id.
fn publish(run: &Run) -> impl Iterator<Item = Value> {
    let button = rich_text::button(PUBLISH, "Post it where you asked", run.id.as_str());
    let note = context("This draws on what others wrote, so nobody else has seen it yet.");
    iter::once(note).chain(rich_text::actions("publish", vec![button]))
}

/// The line under a scheduled reply. Reminders don't need one.
fn scheduled(run: &Run) -> Option<Value> {
    let of = run.job.as_ref()?;
    if let Work::Say { .. } = run.work {
        return None;
    }
    let due = of.missed.map(text::local_moment);
    let due = due.map_or_else(String::new, |due| format!(". This was due {due}."));
    let line = format!("Scheduled: {}{due}", of.name);
    Some(context(&mrkdwn::escape(&line)))
}

/// A text. In a tainted run, `verbatim` stops Slack from turning it into links.
fn section(run: &Run, text: &str) -> Value {
    let text = json!({"type": "mrkdwn", "text": text, "verbatim": run.is_tainted()});
    json!({"type": "section", "text": text, "expand": true})
}
