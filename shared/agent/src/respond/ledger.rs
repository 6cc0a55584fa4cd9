//! The ledger as blocks, with a button for what can be undone.

use alfred_core::{WorkerOutput, text};
use serde_json::{Value, json};

use super::{context, head, mrkdwn};
use crate::claims;
use crate::ledger::{Entry, Ledger, State};

/// How the `action_id` of a button that undoes begins; a number follows, since
/// Slack wants each of a block's to differ. Its value is `RUN:CALL`.
pub const UNDO: &str = "effect_undo";
/// Lines of a ledger; Slack takes ten elements in one context block.
const LINES: usize = 10;
/// Characters of a line.
const LINE_CHARS: usize = 300;
/// Characters of a button; Slack takes 75.
const BUTTON_CHARS: usize = 70;
/// Buttons under one reply; Slack takes 25.
const BUTTONS: usize = 10;

/// What stands under a reply. One that offers or follows an effect always has it.
pub fn blocks(output: &WorkerOutput, ledger: &Ledger) -> Vec<Value> {
    if ledger.entries.is_empty() {
        let said = output.result.as_deref().unwrap_or_default();
        let speaks_of_effects = ledger.tried || !output.success || claims::mentions_effect(said);
        return if speaks_of_effects {
            vec![context(text::nothing_changed())]
        } else {
            Vec::new()
        };
    }
    let mut lines: Vec<String> = ledger.entries.iter().map(line).collect();
    if !ledger.has_effects() {
        lines.push(text::nothing_changed().to_owned());
    }
    if lines.len() > LINES {
        let hidden = lines.len() - (LINES - 1);
        lines.truncate(LINES - 1);
        lines.push(text::more_done(hidden));
    }
    let elements: Vec<Value> = lines
        .iter()
        .map(|line| json!({"type": "mrkdwn", "text": head(line, LINE_CHARS), "verbatim": true}))
        .collect();
    let mut blocks = vec![json!({"type": "context", "elements": elements})];
    let undoable = ledger.entries.iter().filter(|entry| is_undoable(entry));
    let buttons: Vec<Value> = undoable
        .take(BUTTONS)
        .enumerate()
        .map(|(at, entry)| undo(at, entry))
        .collect();
    if !buttons.is_empty() {
        blocks.push(json!({"type": "actions", "block_id": "undo", "elements": buttons}));
    }
    blocks
}

fn line(entry: &Entry) -> String {
    let line = mrkdwn::escape(&entry.line());
    let link = entry
        .receipt
        .as_ref()
        .and_then(|receipt| receipt.link.as_ref());
    match link.filter(|_| entry.state == State::Done) {
        Some(link) => format!("{line} <{}|{}>", mrkdwn::escape(link), text::open_it()),
        None => line,
    }
}

fn is_undoable(entry: &Entry) -> bool {
    let receipt = entry.receipt.as_ref();
    entry.state == State::Done && receipt.is_some_and(|receipt| receipt.undo.is_some())
}

fn undo(at: usize, entry: &Entry) -> Value {
    let label = format!("{}: {}", text::button_undo(), entry.what);
    json!({
        "type": "button",
        "action_id": format!("{UNDO}_{at}"),
        "text": {"type": "plain_text", "text": head(&label, BUTTON_CHARS)},
        "value": format!("{}:{}", entry.run, entry.call_id),
    })
}
