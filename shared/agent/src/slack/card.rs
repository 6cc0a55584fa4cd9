//! Renders approval cards as Slack blocks. Text written by other people goes into `rich_text`,
//! where Slack interprets nothing; `mrkdwn` holds only Alfred's own words.

use alfred_core::invisible::{self, shown_on_one_line};
use alfred_core::ports::Post;
use alfred_core::text;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::model::approval::{Approval, Question, Status};
use crate::slack::content::{self, Extent, HEADER_CHARS};
use crate::slack::respond::mrkdwn::escape;
use crate::slack::rich_text::{self, cut, size};

const WORDS_COUNT_TOO: &str =
    "Saying \"yes\" or \"no\" counts too, as your next words here or in this card's thread.";
const BUTTON_APPROVE: &str = "Approve";
const BUTTON_FULL: &str = "View full";

/// `action_id`s of the card's buttons. Each button's value is `APPROVAL_ID:REVISION`.
pub mod action {
    pub const APPROVE: &str = "approval_approve";
    /// Approves this call, and identical calls in this session for 12 hours.
    pub const REMEMBER: &str = "approval_remember";
    /// Opens the modal that edits the arguments.
    pub const EDIT: &str = "approval_edit";
    /// Opens the modal that changes a proposal.
    pub const MODIFY: &str = "approval_modify";
    pub const REJECT: &str = "approval_reject";
    /// Opens the modal that asks for a reason.
    pub const REJECT_WITH_REASON: &str = "approval_reject_reason";
    /// Shows the full content of a shortened card.
    pub const FULL: &str = "approval_full";
    /// Asks again about an expired approval.
    pub const RENEW: &str = "approval_renew";
    /// Unknown outcome: checks again whether the effect happened.
    pub const LOOK: &str = "approval_look";
    /// Unknown outcome: runs the call once more.
    pub const REPEAT: &str = "approval_repeat";
    pub const LEAVE: &str = "approval_leave";
}

/// Maximum JSON size, in characters, of a message's blocks without the buttons. Slack accepts 13,200.
const MESSAGE_SIZE: usize = 9_000;
/// Maximum number of blocks in a message, without header and buttons. Slack accepts 50.
const MESSAGE_BLOCKS: usize = 40;
/// Maximum characters of a button label. Slack accepts 75.
const BUTTON_CHARS: usize = 75;
/// Maximum characters of the owner's note or of the outcome, on a decided card.
const BEHIND_CHARS: usize = 700;

/// A button's value: `APPROVAL_ID:REVISION`.
pub fn value(approval: &Approval) -> String {
    format!("{}:{}", approval.id, approval.revision)
}

/// Parses a button's value; `None` if it isn't a well-formed id and a revision above 0.
pub fn parse_value(value: &str) -> Option<(alfred_core::ApprovalId, u32)> {
    let (id, revision) = value.split_once(':')?;
    let hex = id.strip_prefix("apr_")?;
    let plain = hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let revision = revision.parse().ok().filter(|revision| *revision > 0)?;
    plain.then(|| (id.into(), revision))
}

/// The messages that make up the card, in posting order; nearly always one. Only the last has
/// buttons, so they appear after all of the content.
pub fn posts(approval: &Approval) -> Vec<Post> {
    let (channel, thread_ts) = approval.place();
    let messages = messages(approval);
    let count = messages.len();
    let posts = messages.into_iter().enumerate().map(|(at, mut blocks)| {
        let is_last = at + 1 == count;
        let mut key = format!("card:{}:{}", approval.id, approval.revision);
        if is_last {
            blocks.push(context(&who_decides(approval)));
            blocks.push(
                json!({"type": "actions", "block_id": "decide", "elements": buttons(approval)}),
            );
        } else {
            key.push_str(&format!(":{}", at + 1));
        }
        Post {
            channel: channel.clone(),
            thread_ts: thread_ts.clone(),
            text: format!("Waiting for your decision: {}", notification(approval)),
            blocks,
            idempotency_key: key,
        }
    });
    posts.collect()
}

/// Returns the approval of a card message, given the idempotency key. `None` for messages without buttons.
pub fn asked_by(key: &str) -> Option<alfred_core::ApprovalId> {
    parse_value(key.strip_prefix("card:")?).map(|(id, _)| id)
}

/// The card's content as the blocks of one or more messages, without buttons.
fn messages(approval: &Approval) -> Vec<Vec<Value>> {
    let mut messages = packed(content::blocks(approval, Extent::Card));
    let count = messages.len();
    for (at, blocks) in messages.iter_mut().enumerate() {
        if at == 0 {
            blocks.insert(0, header(&approval.preview.title, approval.question));
        }
        if count > 1 {
            blocks.push(context(&format!("_({}/{count})_", at + 1)));
        }
    }
    messages
}

/// Splits blocks into messages that fit Slack's limits. Returns one empty message for no blocks.
fn packed(blocks: Vec<Value>) -> Vec<Vec<Value>> {
    let mut messages = rich_text::packed(blocks, size, (MESSAGE_SIZE, MESSAGE_BLOCKS));
    if messages.is_empty() {
        messages.push(Vec::new());
    }
    messages
}

fn who_decides(approval: &Approval) -> String {
    let until = date(approval.expires_at);
    let owner = approval.owner.as_str();
    let who = format!("Only <@{owner}> can decide, until {until}.");
    match approval.question {
        Question::MayItRun => format!("{who} {WORDS_COUNT_TOO}"),
        // This question has more answers than yes and no, so a plain "yes" isn't accepted.
        Question::DidItHappen => who,
    }
}

/// The notification text: the title on one line, with Slack markup escaped.
fn notification(approval: &Approval) -> String {
    let title = shown_on_one_line(&approval.preview.title);
    escape(&cut(&title, HEADER_CHARS))
}

/// One line with the decision, who made it and when.
fn verdict(approval: &Approval) -> String {
    let by = approval.resolved_by.as_ref();
    let by = by.map_or_else(String::new, |user| format!(" by <@{}>", user.as_str()));
    let when = approval.resolved_at.map(date).unwrap_or_default();
    match (approval.status, approval.question) {
        (Status::Pending, _) => text::WAITS_FOR_YOU.to_owned(),
        (Status::Approved, Question::MayItRun) => format!(":white_check_mark: Approved{by} {when}"),
        (Status::Approved, Question::DidItHappen) => format!(":mag: Answered{by} {when}"),
        (Status::Rejected, Question::MayItRun) if approval.preview.answers.is_some() => {
            format!(":ok_hand: Left as it is{by} {when}. Nothing was changed.")
        }
        (Status::Rejected, Question::MayItRun) if approval.is_proposal() => {
            format!(":no_entry: Cancelled{by} {when}. Nothing was changed.")
        }
        (Status::Rejected, Question::MayItRun) => {
            format!(":no_entry: Rejected{by} {when}. Nothing was sent or changed.")
        }
        (Status::Rejected, Question::DidItHappen) => format!(
            ":grey_question: Left as it is{by} {when}. Nobody can tell whether it happened."
        ),
        (Status::CalledOff, _) => {
            format!(":no_entry: Called off {when}. Nothing was sent or changed.")
        }
        (Status::Edited, _) => format!(
            ":pencil2: Edited{by} {when}. This version can't be approved any more; the new one follows."
        ),
        (Status::Expired, _) => format!(":hourglass: Expired {when}. Nothing was sent or changed."),
        (Status::Error, _) => format!(
            ":heavy_minus_sign: The request ended without it {when}. Nothing was sent or changed."
        ),
    }
}

/// The notification text and blocks of a decided card. `happened` is the call's outcome, if known.
pub fn resolved(approval: &Approval, happened: Option<&str>) -> (String, Vec<Value>) {
    let verdict = verdict(approval);
    // With several messages, only the last one is updated; it is the one that had buttons.
    let mut blocks = messages(approval).pop().unwrap_or_default();
    if let Some(note) = &approval.note {
        blocks.push(said(&format!("\"{note}\"")));
    }
    blocks.push(context(&verdict));
    blocks.extend(happened.map(said));
    let renewable = approval.status == Status::Expired && approval.question == Question::MayItRun;
    if renewable {
        let renew = button(action::RENEW, "Renew", approval, None);
        blocks.push(json!({"type": "actions", "block_id": "renew", "elements": [renew]}));
    }
    (format!("{}: {verdict}", notification(approval)), blocks)
}

/// The full content for "View full", as the blocks of one or more messages.
pub fn full(approval: &Approval) -> Vec<Vec<Value>> {
    packed(content::blocks(approval, Extent::Whole))
}

/// The full content as plain text, for a terminal.
pub fn as_text(approval: &Approval) -> String {
    rich_text::as_text(&content::blocks(approval, Extent::Whole))
}

fn header(title: &str, question: Question) -> Value {
    let title = match question {
        Question::MayItRun => title.to_owned(),
        Question::DidItHappen => format!("Did this happen? {title}"),
    };
    json!({"type": "header", "text": rich_text::plain(&title, HEADER_CHARS)})
}

fn buttons(approval: &Approval) -> Vec<Value> {
    let button = |id, label, style| button(id, label, approval, style);
    let (yes, no) = answers(approval);
    match approval.question {
        Question::MayItRun if approval.is_proposal() => vec![
            button(action::APPROVE, yes, Some("primary")),
            button(action::MODIFY, "Modify", None),
            button(action::REJECT, no, Some("danger")),
            button(action::FULL, BUTTON_FULL, None),
        ],
        Question::MayItRun if approval.preview.answers.is_some() => vec![
            button(action::APPROVE, yes, Some("primary")),
            button(action::REJECT, no, None),
            button(action::FULL, BUTTON_FULL, None),
        ],
        Question::MayItRun => {
            let may_edit = super::edit::view(approval).is_some();
            let (why_not, remember) = ("Reject, and say why", "Approve, and remember");
            let all = [
                (true, action::APPROVE, yes, Some("primary")),
                (may_edit, action::EDIT, "Edit", None),
                (true, action::REJECT, no, Some("danger")),
                (true, action::REJECT_WITH_REASON, why_not, None),
                (true, action::FULL, BUTTON_FULL, None),
                (
                    approval.can_be_remembered(),
                    action::REMEMBER,
                    remember,
                    None,
                ),
            ];
            let offered = all.into_iter().filter(|(offered, ..)| *offered);
            let buttons = offered.map(|(_, id, label, style)| button(id, label, style));
            buttons.collect()
        }
        Question::DidItHappen => vec![
            button(action::LOOK, "Look again", Some("primary")),
            button(action::REPEAT, "Repeat it", Some("danger")),
            button(action::LEAVE, "Leave it", None),
            button(action::FULL, BUTTON_FULL, None),
        ],
    }
}

/// The labels of the approve and reject buttons.
fn answers(approval: &Approval) -> (&str, &str) {
    match &approval.preview.answers {
        Some(answers) => (&answers.yes, &answers.no),
        None if approval.is_proposal() => (BUTTON_APPROVE, "Cancel"),
        None => (BUTTON_APPROVE, "Reject"),
    }
}

fn button(id: &str, label: &str, approval: &Approval, style: Option<&str>) -> Value {
    let mut button = json!({
        "type": "button",
        "action_id": id,
        "text": rich_text::plain(label, BUTTON_CHARS),
        "value": value(approval),
    });
    if let Some(style) = style {
        button["style"] = style.into();
    }
    button
}

/// A Slack date that shows in the reader's own time zone.
fn date(at: Timestamp) -> String {
    let fallback = at.strftime("%Y-%m-%d %H:%M UTC");
    format!(
        "<!date^{}^{{date_short_pretty}} {{time}}|{fallback}>",
        at.as_second()
    )
}

fn context(text: &str) -> Value {
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": true}]})
}

/// A quoted block with the owner's note or the outcome. It keeps line breaks.
fn said(words: &str) -> Value {
    let shown = cut(&invisible::shown(words), BEHIND_CHARS);
    rich_text::block(vec![rich_text::quote(rich_text::pieces(&shown))])
}
