//! The card: everything that would run, why it is asked, who may decide, and
//! until when. What others wrote is shown as text and never interpreted.

use alfred_core::ports::Post;
use alfred_core::text;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Approval, Question, Status, show};
use crate::gate::Reason;
use crate::preview::{Change, Preview};
use crate::respond::mrkdwn::escape;

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

/// Characters of a body on the card; the whole is behind "View full" (annex 1: 1,500).
const BODY_CHARS: usize = 1_500;
/// Characters of a header; Slack takes 150.
const HEADER_CHARS: usize = 140;
/// Characters of one section; Slack takes 3,000.
const SECTION_CHARS: usize = 2_900;
/// Fields or changes a card shows; the rest is behind "View full".
const LINES: usize = 12;

/// What a button's value names.
#[must_use]
pub fn value(approval: &Approval) -> String {
    format!("{}:{}", approval.id, approval.revision)
}

/// The approval and revision a button's value names.
#[must_use]
pub fn parse_value(value: &str) -> Option<(alfred_core::ApprovalId, u32)> {
    let (id, revision) = value.split_once(':')?;
    let hex = id.strip_prefix("apr_")?;
    let plain = hex.len() == 32 && hex.bytes().all(|b| b.is_ascii_hexdigit());
    let revision = revision.parse().ok().filter(|revision| *revision > 0)?;
    plain.then(|| (id.into(), revision))
}

/// The message that asks.
#[must_use]
pub fn post(approval: &Approval) -> Post {
    let (channel, thread_ts) = show::place(approval);
    let mut blocks = vec![header(&approval.preview.title, approval.question)];
    blocks.extend(details(&approval.preview, approval));
    if let Some(trouble) = &approval.trouble {
        blocks.push(context(&text::edit_not_used(&escape(trouble))));
    }
    blocks.push(context(&why(approval)));
    blocks.push(context(&text::who_may_decide(
        approval.owner.as_str(),
        &date(approval.expires_at),
    )));
    blocks.push(json!({"type": "actions", "block_id": "decide", "elements": buttons(approval)}));
    Post {
        channel,
        thread_ts,
        text: text::please_decide(&approval.preview.title),
        blocks,
        idempotency_key: format!("card:{}:{}", approval.id, approval.revision),
    }
}

/// The card of something that is decided: what happened, with who and when.
#[must_use]
pub fn resolved(approval: &Approval, happened: Option<&str>) -> (String, Vec<Value>) {
    let who = approval.resolved_by.as_ref().map(|user| user.as_str());
    let when = approval.resolved_at.map(date).unwrap_or_default();
    let verdict = match (approval.status, approval.question) {
        (Status::Pending, _) => text::waits_for_you(),
        (Status::Approved, Question::MayItRun) => text::was_approved(who, &when),
        (Status::Approved, Question::DidItHappen) => text::was_answered(who, &when),
        (Status::Rejected, Question::MayItRun) if approval.is_proposal() => {
            text::was_cancelled(who, &when)
        }
        (Status::Rejected, Question::MayItRun) => text::was_rejected(who, &when),
        (Status::Rejected, Question::DidItHappen) => text::was_left(who, &when),
        (Status::Edited, _) => text::was_edited(who, &when),
        (Status::Expired, _) => text::has_expired(&when),
        (Status::Error, _) => text::ended_without(&when),
    };
    let mut blocks = vec![header(&approval.preview.title, approval.question)];
    blocks.extend(details(&approval.preview, approval));
    if let Some(note) = &approval.note {
        blocks.push(context(&text::with_the_words(&escape(note))));
    }
    blocks.push(context(&verdict));
    blocks.extend(happened.map(|happened| context(&escape(happened))));
    let renewable = approval.status == Status::Expired && approval.question == Question::MayItRun;
    if renewable {
        let renew = button(action::RENEW, text::button_renew(), approval, None);
        blocks.push(json!({"type": "actions", "block_id": "renew", "elements": [renew]}));
    }
    (format!("{}: {verdict}", approval.preview.title), blocks)
}

/// The whole of what would run, for "View full".
#[must_use]
pub fn full(approval: &Approval) -> String {
    let mut whole = escape(&approval.preview.as_text());
    let strangers = approval.recipients.iter().filter(|to| !to.trusted);
    for to in strangers {
        whole.push('\n');
        whole.push_str(&text::reason_unknown_recipient(&escape(&to.who)));
    }
    whole.push_str(&format!("\n\nSHA-256 {}", approval.digest));
    whole
}

fn header(title: &str, question: Question) -> Value {
    let title = match question {
        Question::MayItRun => title.to_owned(),
        Question::DidItHappen => text::cant_tell_title(title),
    };
    json!({"type": "header", "text": {"type": "plain_text", "text": cut(&title, HEADER_CHARS)}})
}

fn details(preview: &Preview, approval: &Approval) -> Vec<Value> {
    let mut blocks = Vec::new();
    if approval.question == Question::DidItHappen {
        blocks.push(section(&text::cant_tell()));
    }
    let mut lines: Vec<String> = preview
        .fields
        .iter()
        .map(|field| {
            let stranger = approval
                .recipients
                .iter()
                .any(|to| !to.trusted && field.value.contains(&to.who));
            let mark = if stranger { text::stranger_mark() } else { "" };
            format!("*{}:* {}{mark}", escape(&field.label), escape(&field.value))
        })
        .collect();
    lines.extend(preview.changes.iter().map(change));
    let hidden = lines.len().saturating_sub(LINES);
    lines.truncate(LINES);
    if hidden > 0 {
        lines.push(text::more_behind_full(hidden));
    }
    for line in lines {
        blocks.push(section(&line));
    }
    if let Some(body) = &preview.body {
        let shown = cut(body, BODY_CHARS);
        for piece in crate::respond::pieces(&escape(&shown), SECTION_CHARS) {
            blocks.push(section(&quote(&piece)));
        }
        if shown.len() < body.len() {
            blocks.push(context(&text::body_is_longer(body.chars().count())));
        }
    }
    blocks
}

fn change(change: &Change) -> String {
    let (label, before, after) = (
        escape(&change.label),
        escape(&change.before),
        escape(&change.after),
    );
    match (before.as_str(), after.as_str()) {
        (before, "") => format!("*{label}:* ~{before}~"),
        ("", after) => format!("*{label}:* + {after}"),
        (before, after) => format!("*{label}:* ~{before}~ → {after}"),
    }
}

fn quote(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// Why it is asked, in words.
fn why(approval: &Approval) -> String {
    text::why_asked(&reasons(approval))
}

/// The reasons for which it is asked, each in words.
#[must_use]
pub fn reasons(approval: &Approval) -> Vec<String> {
    let mut words: Vec<String> = approval.reasons.iter().map(reason).collect();
    if words.is_empty() {
        words.push(text::reason_unknown_outcome());
    }
    words
}

fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Outward => text::reason_outward(),
        Reason::Destructive => text::reason_destructive(),
        Reason::Always => text::reason_always(),
        Reason::ToolAsks => text::reason_tool(),
        Reason::Configured => text::reason_configured(),
        Reason::RuleOfTwo { untrusted, private } => text::reason_rule_of_two(untrusted, private),
        Reason::Tainted { untrusted } => text::reason_tainted(untrusted),
        Reason::UnknownRecipient { who } => text::reason_unknown_recipient(&escape(who)),
    }
}

fn buttons(approval: &Approval) -> Vec<Value> {
    let button = |id, label, style| button(id, label, approval, style);
    match approval.question {
        Question::MayItRun if approval.is_proposal() => vec![
            button(action::APPROVE, text::button_approve(), Some("primary")),
            button(action::MODIFY, text::button_modify(), None),
            button(action::REJECT, text::button_cancel(), Some("danger")),
            button(action::FULL, text::button_full(), None),
        ],
        Question::MayItRun => {
            let mut buttons = vec![
                button(action::APPROVE, text::button_approve(), Some("primary")),
                button(action::EDIT, text::button_edit(), None),
                button(action::REJECT, text::button_reject(), Some("danger")),
                button(
                    action::REJECT_WITH_REASON,
                    text::button_reject_reason(),
                    None,
                ),
                button(action::FULL, text::button_full(), None),
            ];
            if approval.can_be_remembered() {
                buttons.push(button(action::REMEMBER, text::button_remember(), None));
            }
            buttons
        }
        Question::DidItHappen => vec![
            button(action::LOOK, text::button_look(), Some("primary")),
            button(action::REPEAT, text::button_repeat(), Some("danger")),
            button(action::LEAVE, text::button_leave(), None),
            button(action::FULL, text::button_full(), None),
        ],
    }
}

fn button(id: &str, label: &str, approval: &Approval, style: Option<&str>) -> Value {
    let mut button = json!({
        "type": "button",
        "action_id": id,
        "text": {"type": "plain_text", "text": label},
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

fn section(text: &str) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": cut_escaped(text), "verbatim": true}})
}

fn context(text: &str) -> Value {
    json!({"type": "context", "elements": [{"type": "mrkdwn", "text": cut_escaped(text), "verbatim": true}]})
}

fn cut_escaped(text: &str) -> String {
    crate::respond::head(text, SECTION_CHARS)
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
