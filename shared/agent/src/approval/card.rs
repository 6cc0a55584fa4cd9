//! The card: everything that would run, why it is asked, who may decide, and
//! until when. What others wrote is shown as text and never interpreted: values
//! stand in `rich_text`, and mrkdwn is our own words alone.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::ports::Post;
use alfred_core::{invisible, text};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::content::{self, Extent, HEADER_CHARS};
use super::{Approval, Question, Status};
use crate::respond::mrkdwn::escape;
use crate::rich_text::{self, cut, size};

const WORDS_COUNT_TOO: &str =
    "Saying \"yes\" or \"no\" counts too, as your next words here or in this card's thread.";
const BUTTON_APPROVE: &str = "Approve";
const BUTTON_FULL: &str = "View full";

/// `action_id`s of the card's buttons. Their value is `APPROVAL:REVISION`.
pub mod action {
    /// Yes, exactly this.
    pub const APPROVE: &str = "approval_approve";
    /// Yes, and the same again in this session.
    pub const REMEMBER: &str = "approval_remember";
    /// Opens the modal in which it is changed.
    pub const EDIT: &str = "approval_edit";
    /// Opens the modal in which a proposal is changed.
    pub const MODIFY: &str = "approval_modify";
    /// No.
    pub const REJECT: &str = "approval_reject";
    /// Opens the modal in which a reason can be given.
    pub const REJECT_WITH_REASON: &str = "approval_reject_reason";
    /// Shows the whole of it.
    pub const FULL: &str = "approval_full";
    /// Asks an expired one anew.
    pub const RENEW: &str = "approval_renew";
    /// Look again what became of it.
    pub const LOOK: &str = "approval_look";
    /// Do it once more.
    pub const REPEAT: &str = "approval_repeat";
    /// Leave it unknown.
    pub const LEAVE: &str = "approval_leave";
}

/// Characters of JSON the blocks of one message may take beside the buttons; Slack takes 13,200.
const MESSAGE_SIZE: usize = 9_000;
/// Blocks of one message beside its ends; Slack takes 50.
const MESSAGE_BLOCKS: usize = 40;
/// Characters of a button; Slack takes 75.
const BUTTON_CHARS: usize = 75;
/// Characters of an owner's words, or of what became of a call, on a card that is decided.
const BEHIND_CHARS: usize = 700;

/// What a button's value names.
pub fn value(approval: &Approval) -> String {
    format!("{}:{}", approval.id, approval.revision)
}

/// The approval and revision a button's value names.
pub fn parse_value(value: &str) -> Option<(alfred_core::ApprovalId, u32)> {
    let (id, revision) = value.split_once(':')?;
    let hex = id.strip_prefix("apr_")?;
    let plain = hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let revision = revision.parse().ok().filter(|revision| *revision > 0)?;
    plain.then(|| (id.into(), revision))
}

/// The messages that ask, in their order: all but very long ones are one. The last has the buttons, so that they
/// come when everything was said.
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

/// The approval that a message with this key asks about, if it is one with the buttons.
pub fn asked_by(key: &str) -> Option<alfred_core::ApprovalId> {
    parse_value(key.strip_prefix("card:")?).map(|(id, _)| id)
}

/// What is said about the approval, as the blocks of one or more messages.
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

/// Blocks by message, as many as fit one; one message where there are none.
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
        // It has more than two answers.
        Question::DidItHappen => who,
    }
}

/// The title where no block shows it: one line, in which nothing acts.
fn notification(approval: &Approval) -> String {
    escape(&cut(
        &shown_on_one_line(&approval.preview.title),
        HEADER_CHARS,
    ))
}

/// What became of it, with who and when.
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

/// The card of something that is decided: what happened, with who and when.
pub fn resolved(approval: &Approval, happened: Option<&str>) -> (String, Vec<Value>) {
    let verdict = verdict(approval);
    // Of several messages this is the last: the others stay as they are.
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

/// The whole of what would run, for "View full": the blocks of as many messages as it takes.
pub fn full(approval: &Approval) -> Vec<Vec<Value>> {
    packed(content::blocks(approval, Extent::Whole))
}

/// The same for a terminal.
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
            offered
                .map(|(_, id, label, style)| button(id, label, style))
                .collect()
        }
        Question::DidItHappen => vec![
            button(action::LOOK, "Look again", Some("primary")),
            button(action::REPEAT, "Repeat it", Some("danger")),
            button(action::LEAVE, "Leave it", None),
            button(action::FULL, BUTTON_FULL, None),
        ],
    }
}

/// What the yes and the no of a card say.
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

/// A moment in the reader's own time zone, as Slack shows it.
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

/// What somebody said, or what became of it; its lines are its own.
fn said(words: &str) -> Value {
    let shown = cut(&invisible::shown(words), BEHIND_CHARS);
    rich_text::block(vec![rich_text::quote(rich_text::pieces(&shown))])
}
