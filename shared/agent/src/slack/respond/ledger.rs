//! Renders the ledger as blocks, with undo buttons.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::text;
use serde_json::{Value, json};

use crate::history::ledger::{Entry, Ledger, State};
use crate::model::effect::Effect;
use crate::slack::respond::{context, size};
use crate::slack::rich_text;

/// Prefix of the undo buttons' `action_id`s; Slack needs a unique suffix in a block. Values are
/// `RUN:CALL`, or `RUN` to undo everything.
pub const UNDO: &str = "effect_undo";
pub const UNDO_BLOCK: &str = "undo";
/// Maximum JSON characters of all lines; together with the buttons they fit one message.
const LINES_JSON_CHARS: usize = 8_000;
const BUTTONS_JSON_CHARS: usize = 4_000;
const LINE_CHARS: usize = 300;
/// Maximum characters of a button label. Slack accepts 75.
const BUTTON_CHARS: usize = 70;
/// Maximum buttons under a reply. Slack accepts 25.
const BUTTONS: usize = 25;

/// The blocks under every reply; one small line if nothing was done.
pub fn blocks(ledger: &Ledger) -> Vec<Value> {
    if ledger.entries.is_empty() {
        return vec![context(text::NOTHING_CHANGED)];
    }
    // Outward and destructive effects come first, where nothing is cut off.
    let mut entries: Vec<&Entry> = ledger.entries.iter().collect();
    entries.sort_by_key(|entry| !matches!(entry.effect, Effect::Outward | Effect::Destructive));
    let mut lines = fitting(LINES_JSON_CHARS, entries.into_iter().map(line));
    if lines.len() < ledger.entries.len() {
        lines.push(words(&format!(
            "{} and {} more; `alfred trace` lists them all",
            text::RECEIPT,
            ledger.entries.len() - lines.len()
        )));
    }
    if !ledger.has_effects() {
        lines.push(words(text::NOTHING_CHANGED));
    }
    let mut blocks = vec![rich_text::block(lines)];
    let undoable: Vec<&Entry> = ledger.entries.iter().filter(|it| is_undoable(it)).collect();
    let each = undoable.iter().take(BUTTONS - 1).enumerate();
    let alone = undoable.len() == 1;
    let each = each.map(|(at, entry)| undo(at, entry, alone));
    let all = undo_all(&undoable).into_iter().chain(each);
    let buttons = fitting(BUTTONS_JSON_CHARS, all);
    if !buttons.is_empty() {
        blocks.push(json!({"type": "actions", "block_id": UNDO_BLOCK, "elements": buttons}));
    }
    blocks
}

/// The first values that fit in `left` JSON characters.
fn fitting(mut left: usize, values: impl Iterator<Item = Value>) -> Vec<Value> {
    let fits = |value: &Value| {
        let rest = left.checked_sub(size(value));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    values.take_while(fits).collect()
}

/// One ledger line, with the provider's link if there is one.
fn line(entry: &Entry) -> Value {
    let said = rich_text::cut(&shown_on_one_line(&entry.line()), LINE_CHARS);
    let receipt = entry.receipt.as_ref();
    let link = receipt.and_then(|receipt| receipt.link.as_ref());
    let mut elements = vec![rich_text::line(&said)];
    if let Some(link) = link.filter(|_| entry.state == State::Done) {
        elements.extend([rich_text::text(" "), rich_text::link(link, "open")]);
    }
    rich_text::section(elements)
}

fn words(said: &str) -> Value {
    rich_text::section(vec![rich_text::line(said)])
}

fn is_undoable(entry: &Entry) -> bool {
    let receipt = entry.receipt.as_ref();
    entry.state == State::Done && receipt.is_some_and(|receipt| !receipt.undo.is_empty())
}

/// The "undo all" button, if several effects belong to one run.
fn undo_all(undoable: &[&Entry]) -> Option<Value> {
    let (first, rest) = undoable.split_first()?;
    let one_run = !rest.is_empty() && rest.iter().all(|entry| entry.run == first.run);
    one_run.then(|| {
        json!({
            "type": "button",
            "action_id": format!("{UNDO}_all"),
            "text": rich_text::plain("Undo all of it", BUTTON_CHARS),
            "value": first.run,
        })
    })
}

/// With a single effect, the line above already names it.
fn undo(at: usize, entry: &Entry, alone: bool) -> Value {
    let label = if alone {
        "Undo".to_owned()
    } else {
        format!("Undo: {}", entry.what)
    };
    json!({
        "type": "button",
        "action_id": format!("{UNDO}_{at}"),
        "text": rich_text::plain(&label, BUTTON_CHARS),
        "value": format!("{}:{}", entry.run, entry.call_id),
    })
}
