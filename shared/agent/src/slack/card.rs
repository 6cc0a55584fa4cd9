//! Renders approval cards as Slack blocks. Text written by other people goes into `rich_text`,
//! where Slack interprets nothing; `mrkdwn` holds only Alfred's own words.

use alfred_core::invisible::{self, shown_on_one_line};
use alfred_core::ports::Post;
use alfred_core::text;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::model::{Approval, Question, Status};
use crate::slack::content::{self, Extent, HEADER_CHARS};
use crate::slack::edit;
use crate::slack::respond::mrkdwn::escape;
use crate::slack::rich_text::{self, actions, cut, size};

const WORDS_COUNT_TOO: &str =
    "Saying \"yes\" or \"no\" counts too, as your next words here or in this card's thread.";

/// `action_id`s of the card's buttons. Each button's value is `APPROVAL_ID:REVISION`.
pub mod action {
    pub const APPROVE: &str = "approval_approve";
    /// Approves this call, and identical calls in this session for 12 hours.
    pub const REMEMBER: &str = "approval_remember";
    pub const EDIT: &str = "approval_edit";
    pub const MODIFY: &str = "approval_modify";
    pub const REJECT: &str = "approval_reject";
    pub const REJECT_WITH_REASON: &str = "approval_reject_reason";
    pub const FULL: &str = "approval_full";
    pub const RENEW: &str = "approval_renew";
    /// Checks again whether the effect happened.
    pub const LOOK: &str = "approval_look";
    /// Runs the call once more.
    pub const REPEAT: &str = "approval_repeat";
    pub const LEAVE: &str = "approval_leave";
}

/// Maximum JSON size, in characters, of a message's blocks without the buttons. Slack accepts 13,200.
const MESSAGE_SIZE: usize = 9_000;
/// Maximum number of blocks in a message, without header and buttons. Slack accepts 50.
const MESSAGE_BLOCKS: usize = 40;
/// Maximum characters of the owner's note or of the outcome, on a decided card.
const BEHIND_CHARS: usize = 700;

/// Maximum characters of an approval in one line.
const ROW_CHARS: usize = 200;

/// Parses a button's value; `None` if it isn't a well-formed id and a revision above 0.
pub fn parse_value(value: &str) -> Option<(alfred_core::ApprovalId, u32)> {
    let (id, revision) = value.split_once(':')?;
    let hex = id.strip_prefix("apr_")?;
    let plain = hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let revision = revision.parse().ok().filter(|revision| *revision > 0)?;
    plain.then(|| (id.into(), revision))
}

/// The messages of the card; nearly always one. Only the last has buttons, so they appear after all of the content.
pub fn posts(approval: &Approval) -> Vec<Post> {
    let (channel, thread_ts) = approval.place();
    let mut messages = messages(approval);
    let count = messages.len();
    if let Some(last) = messages.last_mut() {
        last.push(context(&who_decides(approval)));
        last.extend(actions("decide", buttons(approval)));
    }
    let key = format!("card:{}:{}", approval.id, approval.revision);
    let posts = messages.into_iter().zip(1..).map(|(blocks, number)| Post {
        channel: channel.clone(),
        thread_ts: thread_ts.clone(),
        text: format!("Waiting for your decision: {}", notification(approval)),
        blocks,
        idempotency_key: if number == count {
            key.clone()
        } else {
            format!("{key}:{number}")
        },
    });
    posts.collect()
}

/// The approval of a card message, by its idempotency key. `None` for messages without buttons.
pub fn asked_by(key: &str) -> Option<alfred_core::ApprovalId> {
    parse_value(key.strip_prefix("card:")?).map(|(id, _)| id)
}

fn messages(approval: &Approval) -> Vec<Vec<Value>> {
    let mut messages = packed(content::blocks(approval, Extent::Card));
    let asks = match approval.question {
        Question::MayItRun => "",
        Question::DidItHappen => "Did this happen? ",
    };
    let title = format!("{asks}{}", approval.preview.title);
    let header = rich_text::plain(&title, HEADER_CHARS);
    messages[0].insert(0, json!({"type": "header", "text": header}));
    let count = messages.len();
    for (blocks, number) in messages.iter_mut().zip(1..).filter(|_| count > 1) {
        blocks.push(context(&format!("_({number}/{count})_")));
    }
    messages
}

fn packed(blocks: Vec<Value>) -> Vec<Vec<Value>> {
    let mut messages = rich_text::packed(blocks, size, MESSAGE_SIZE, MESSAGE_BLOCKS);
    if messages.is_empty() {
        messages.push(Vec::new());
    }
    messages
}

fn who_decides(approval: &Approval) -> String {
    let until = date(approval.expires_at);
    let who = format!("Only <@{}> can decide, until {until}.", approval.owner);
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

fn verdict(approval: &Approval) -> String {
    const NOTHING: &str = "Nothing was sent or changed.";
    let by = approval.resolved_by.as_ref();
    let by = by.map_or_else(String::new, |user| format!(" by <@{user}>"));
    let when = approval.resolved_at.map(date).unwrap_or_default();
    let is_sure = approval.question == Question::MayItRun;
    match approval.status {
        Status::Pending => text::WAITS_FOR_YOU.to_owned(),
        Status::Approved if is_sure => format!(":white_check_mark: Approved{by} {when}"),
        Status::Approved => format!(":mag: Answered{by} {when}"),
        Status::Rejected if !is_sure => format!(
            ":grey_question: Left as it is{by} {when}. Nobody can tell whether it happened."
        ),
        Status::Rejected if approval.preview.answers.is_some() => {
            format!(":ok_hand: Left as it is{by} {when}. Nothing was changed.")
        }
        Status::Rejected if approval.is_proposal() => {
            format!(":no_entry: Cancelled{by} {when}. Nothing was changed.")
        }
        Status::Rejected => format!(":no_entry: Rejected{by} {when}. {NOTHING}"),
        Status::CalledOff => format!(":no_entry: Called off {when}. {NOTHING}"),
        Status::Edited => format!(
            ":pencil2: Edited{by} {when}. This version can't be approved any more; the new one follows."
        ),
        Status::Expired => format!(":hourglass: Expired {when}. {NOTHING}"),
        Status::Error => {
            format!(":heavy_minus_sign: The request ended without it {when}. {NOTHING}")
        }
    }
}

/// The notification text and blocks of a decided card. `happened` is the call's outcome, if known.
pub fn resolved(approval: &Approval, happened: Option<&str>) -> (String, Vec<Value>) {
    let verdict = verdict(approval);
    let quoted = |words: &str| rich_text::quotes(&cut(&invisible::shown(words), BEHIND_CHARS));
    // With several messages, only the last one is updated; it is the one that had buttons.
    let mut blocks = messages(approval).pop().unwrap_or_default();
    if let Some(note) = &approval.note {
        blocks.extend(quoted(&format!("\"{note}\"")));
    }
    blocks.push(context(&verdict));
    blocks.extend(happened.into_iter().flat_map(quoted));
    if approval.status == Status::Expired && approval.question == Question::MayItRun {
        let renew = rich_text::button(action::RENEW, "Renew", &approval.button_value());
        blocks.extend(actions("renew", vec![renew]));
    }
    (format!("{}: {verdict}", notification(approval)), blocks)
}

pub fn full(approval: &Approval) -> Vec<Vec<Value>> {
    packed(content::blocks(approval, Extent::Whole))
}

pub fn as_text(approval: &Approval) -> String {
    rich_text::as_text(&content::blocks(approval, Extent::Whole))
}

fn buttons(approval: &Approval) -> Vec<Value> {
    let value = approval.button_value();
    let plain = |id, label| rich_text::button(id, label, &value);
    let primary = |id, label| rich_text::styled_button(id, label, &value, "primary");
    let danger = |id, label| rich_text::styled_button(id, label, &value, "danger");
    let answers = approval.preview.answers.as_ref();
    let mut buttons = match (approval.question, answers) {
        (Question::DidItHappen, _) => vec![
            primary(action::LOOK, "Look again"),
            danger(action::REPEAT, "Repeat it"),
            plain(action::LEAVE, "Leave it"),
        ],
        (Question::MayItRun, _) if approval.is_proposal() => vec![
            primary(action::APPROVE, answers.map_or("Approve", |it| &it.yes)),
            plain(action::MODIFY, "Modify"),
            danger(action::REJECT, answers.map_or("Cancel", |it| &it.no)),
        ],
        (Question::MayItRun, Some(answers)) => vec![
            primary(action::APPROVE, &answers.yes),
            plain(action::REJECT, &answers.no),
        ],
        (Question::MayItRun, None) => {
            let mut buttons = vec![primary(action::APPROVE, "Approve")];
            let may_edit = edit::view(approval).is_some();
            buttons.extend(may_edit.then(|| plain(action::EDIT, "Edit")));
            buttons.push(danger(action::REJECT, "Reject"));
            buttons.push(plain(action::REJECT_WITH_REASON, "Reject, and say why"));
            buttons
        }
    };
    buttons.push(plain(action::FULL, "View full"));
    if answers.is_none() && !approval.is_proposal() && approval.can_be_remembered() {
        buttons.push(plain(action::REMEMBER, "Approve, and remember"));
    }
    buttons
}

/// An approval in one line, with the card's buttons that fit there. The last button shows all of it.
pub fn row(approval: &Approval) -> Vec<Value> {
    const LEFT_OUT: [&str; 2] = [action::REMEMBER, action::REJECT_WITH_REASON];
    let line = rich_text::line(&cut(&approval.in_short(), ROW_CHARS));
    let mut buttons = buttons(approval);
    buttons.retain(|button| !LEFT_OUT.iter().any(|id| button["action_id"] == *id));
    let id = format!("decide:{}", approval.id);
    let line = rich_text::line_block(vec![line]);
    [line].into_iter().chain(actions(&id, buttons)).collect()
}

fn date(at: Timestamp) -> String {
    let fallback = at.strftime("%Y-%m-%d %H:%M UTC");
    let seconds = at.as_second();
    format!("<!date^{seconds}^{{date_short_pretty}} {{time}}|{fallback}>")
}

fn context(text: &str) -> Value {
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": true}]})
}
