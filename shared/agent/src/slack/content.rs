//! Builds the content of a card. All recipients are always shown; "View full" shows all of long values.

use alfred_core::invisible::{self, shown_on_one_line};
use alfred_core::text;
use serde_json::Value;
use std::collections::HashSet;

use crate::model::{Addressee, Approval, Audience, Change, Question, Reason};
use crate::slack::rich_text::{
    block, bold, cut, line, line_block, list, packed, pieces, quotes, section, size, styled,
};

const CANT_TELL: &str = "I can't tell whether this was sent. Look at it yourself, let me look again, repeat it (it may then happen twice), or leave it.";
/// Maximum characters of a header. Slack accepts 150.
pub(crate) const HEADER_CHARS: usize = 140;
/// Characters reserved for the text that the header puts before the title.
const ASKS_CHARS: usize = 20;
const BODY_CHARS: usize = 1_500;
const VALUE_CHARS: usize = 500;
const LINES: usize = 12;
/// Maximum characters of a value on the line of its label.
const BESIDE_LABEL: usize = 300;
/// Maximum JSON size of one list, in characters.
const LIST_SIZE: usize = 2_500;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Card,
    Whole,
}

pub(crate) fn blocks(approval: &Approval, extent: Extent) -> Vec<Value> {
    let preview = &approval.preview;
    let mut blocks = Vec::new();
    if extent == Extent::Whole || is_cut(&preview.title) {
        blocks.push(said(&preview.title));
    }
    if !approval.path.is_empty() {
        let path = approval.path.join(" › ");
        blocks.push(said(&format!("{path} wants to do this:")));
    }
    if approval.question == Question::DidItHappen {
        blocks.push(said(CANT_TELL));
    }
    blocks.extend(people(approval));
    let facts = preview.fields.iter();
    let facts = facts.map(|field| fact(&field.label, &field.value, extent));
    let changes = preview.changes.iter().map(|one| change(one, extent));
    let mut lines: Vec<Vec<Value>> = facts.chain(changes).collect();
    let hidden = match extent {
        Extent::Card => lines.len().saturating_sub(LINES),
        Extent::Whole => 0,
    };
    lines.truncate(lines.len() - hidden);
    blocks.extend(lines.into_iter().flatten());
    if hidden > 0 {
        blocks.push(note(&format!("and {hidden} more: \"View full\" shows all")));
    }
    if let Some(body) = &preview.body {
        blocks.extend(quoted(body, extent, BODY_CHARS));
    }
    if let Some(trouble) = &approval.trouble {
        let said = pieces(&format!(
            "⚠️ Your edit couldn't be used, so this is as it was before: {trouble}"
        ));
        blocks.extend(said.into_iter().map(|piece| line_block(vec![piece])));
    }
    blocks.extend(why(approval));
    blocks
}

/// Lists everybody the call reaches, people unknown to the workspace first, with counts.
fn people(approval: &Approval) -> Vec<Value> {
    let audience = approval.preview.audience.clone().unwrap_or_else(|| {
        // The tool has no audience in its preview, so the recipients found in its arguments are shown.
        let recipients = approval.recipients.iter();
        let addressees = recipients.map(|to| Addressee {
            shown: to.who.clone(),
            id: Some(to.who.clone()),
        });
        Audience {
            label: text::RECIPIENTS_LABEL.to_owned(),
            people: addressees.collect(),
        }
    });
    let is_stranger = |one: &&Addressee| is_stranger(approval, one);
    let (strangers, known): (Vec<_>, Vec<_>) = audience.people.iter().partition(is_stranger);
    let marked = |one: &Addressee| vec![line(&one.shown), bold(" ⚠️ not known to your workspace")];
    let mut items: Vec<Vec<Value>> = strangers.iter().map(|one| marked(one)).collect();
    items.extend(known.iter().map(|one| vec![line(&one.shown)]));
    let mut title = vec![bold(&format!("{}: ", audience.label))];
    match (items.len(), strangers.len()) {
        (0, _) => return Vec::new(),
        (1, _) => {}
        (all, outside) => title.push(line(&match outside {
            0 => format!("{all} people, nobody outside your workspace"),
            some => format!("{all} people, {some} outside your workspace"),
        })),
    }
    listed(title, items)
}

/// True if Alfred doesn't serve this person, or without an audience: if no trusted source named the address.
fn is_stranger(approval: &Approval, one: &Addressee) -> bool {
    if let (Some(_), Some(id)) = (&approval.preview.audience, &one.id) {
        return approval.outside.contains(id);
    }
    let mut untrusted = approval.recipients.iter().filter(|to| !to.trusted);
    untrusted.any(|to| one.shown.contains(&to.who))
}

/// A title with its only item, or above as many lists as `LIST_SIZE` requires.
fn listed(mut title: Vec<Value>, mut items: Vec<Vec<Value>>) -> Vec<Value> {
    if items.len() == 1 {
        title.append(&mut items.remove(0));
    }
    let mut blocks = vec![line_block(title)];
    let lists = packed(items.into_iter().map(section), size, LIST_SIZE, usize::MAX);
    blocks.extend(lists.into_iter().map(|items| block(vec![list(items)])));
    blocks
}

/// A label and a value. The value goes below the label if it is long or has several lines.
fn fact(label: &str, value: &str, extent: Extent) -> Vec<Value> {
    let label = bold(&format!("{label}: "));
    if is_short(value) {
        return vec![line_block(vec![label, line(value)])];
    }
    let mut blocks = vec![line_block(vec![label])];
    blocks.extend(quoted(value, extent, VALUE_CHARS));
    blocks
}

fn change(change: &Change, extent: Extent) -> Vec<Value> {
    let (before, after) = (change.before.as_str(), change.after.as_str());
    if !is_short(before) || !is_short(after) {
        let both = [("as it is", before), ("as it would be", after)].into_iter();
        let there = both.filter(|(_, value)| !value.is_empty());
        let facts =
            there.map(|(when, value)| fact(&format!("{}, {when}", change.label), value, extent));
        return facts.flatten().collect();
    }
    let mut elements = vec![bold(&format!("{}: ", change.label))];
    match (before, after) {
        (before, "") => elements.push(styled(line(before), "strike")),
        ("", after) => elements.extend([bold("+ "), line(after)]),
        (before, after) => {
            elements.extend([styled(line(before), "strike"), bold(" → "), line(after)])
        }
    }
    vec![line_block(elements)]
}

/// True if the value fits beside its label. A value with line breaks could imitate further lines of the card.
fn is_short(value: &str) -> bool {
    let has_lines = invisible::removed(value).trim_end().contains('\n');
    value.chars().count() <= BESIDE_LABEL && !has_lines
}

fn quoted(value: &str, extent: Extent, most: usize) -> Vec<Value> {
    let count = value.chars().count();
    if extent == Extent::Whole || count <= most {
        return quotes(value);
    }
    let mut blocks = quotes(&cut(value, most));
    blocks.push(note(&format!(
        "{count} characters in all; \"View full\" shows every one of them."
    )));
    blocks
}

fn why(approval: &Approval) -> Vec<Value> {
    let reaches = approval.preview.audience.is_some() || !approval.recipients.is_empty();
    let reasons = approval.reasons.iter().map(|one| reason(one, reaches));
    let mut reasons: Vec<String> = reasons.collect();
    if reasons.is_empty() {
        reasons.push("It may have happened already. Repeating it could do it twice.".to_owned());
    }
    let items = reasons.iter().map(|reason| vec![line(reason)]);
    listed(vec![bold("Why I ask: ")], items.collect())
}

fn note(words: &str) -> Value {
    line_block(vec![styled(line(words), "italic")])
}

fn said(words: &str) -> Value {
    line_block(vec![line(words)])
}

/// True if the header can't show the whole title.
fn is_cut(title: &str) -> bool {
    shown_on_one_line(title).chars().count() > HEADER_CHARS - ASKS_CHARS
}

fn reason(reason: &Reason, reaches: bool) -> String {
    match reason {
        Reason::Outward if !reaches => "This changes something outside of Alfred.".to_owned(),
        Reason::Outward => "This reaches other people.".to_owned(),
        Reason::Destructive => "This deletes something.".to_owned(),
        Reason::Always => "I always check before I do this.".to_owned(),
        Reason::ToolAsks => "I usually check before I do this.".to_owned(),
        Reason::Configured { by_worker: true } => "This worker always checks first.".to_owned(),
        Reason::Configured { by_worker: false } => "An administrator wants your OK.".to_owned(),
        Reason::RuleOfTwo { untrusted, private } => format!(
            "I read other people's text before writing this ({}), and private data ({}). Please check it.",
            sources(untrusted),
            sources(private)
        ),
        Reason::Tainted { untrusted } => format!(
            "I read other people's text earlier ({}). Did you want this?",
            sources(untrusted)
        ),
        Reason::UnknownAddress { private } => format!(
            "You didn't give this address, and I read private data earlier ({}). Its owner sees what the address says.",
            sources(private)
        ),
        Reason::UnknownRecipient { who } => {
            format!("You didn't name {who}, and I don't know them from your workspace.")
        }
    }
}

/// Where words came from, as a person knows it.
fn sources(from: &[String]) -> String {
    let mut known: Vec<&str> = from.iter().map(|from| source(from)).collect();
    let mut named = HashSet::new();
    known.retain(|source| named.insert(*source));
    known.join(", ")
}

fn source(from: &str) -> &str {
    match from.split_once('_').map_or(from, |(toolset, _)| toolset) {
        "email" => "your mail",
        "calendar" => "your calendar",
        "docs" => "your documents",
        "sheets" => "your sheets",
        "schedule" => "your days",
        "job" => "your reminders",
        "task" => "your tasks",
        "slack" => "Slack",
        "web" => "the web",
        "user" => "people's names",
        "approval" | "system" | "workflow" => "what was proposed before",
        "preference" | "preferences" | "personality" => "your settings",
        "files" | "file" | "read" | "list" | "write" | "delete" => "files",
        "quote" => "a quotation",
        "thread" => "this thread",
        "memory" => "what was said before",
        "request" => "your request",
        _ if from.contains(' ') => from,
        _ => "other programs",
    }
}
