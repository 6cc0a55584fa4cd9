//! Renders the ledger as blocks, with undo buttons.

use alfred_core::invisible::shown_on_one_line;
use alfred_core::text;
use serde_json::Value;

use crate::history::ledger::{Entry, Ledger, State};
use crate::model::Effect;
use crate::slack::respond::split::context;
use crate::slack::rich_text::{self, packed, size};

/// Prefix of the undo buttons' `action_id`s; a suffix follows. Values are `RUN:CALL`, or `RUN` to undo everything.
pub const UNDO: &str = "effect_undo";
pub const UNDO_BLOCK: &str = "undo";
/// Maximum JSON characters of all lines; together with the buttons they fit one message.
const LINES_JSON_CHARS: usize = 8_000;
const BUTTONS_JSON_CHARS: usize = 4_000;
const LINE_CHARS: usize = 300;
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
    let all = entries.len();
    let lines = packed(entries.into_iter().map(line), size, LINES_JSON_CHARS, all);
    let mut lines = lines.into_iter().next().unwrap_or_default();
    if lines.len() < all {
        let (mark, more) = (text::RECEIPT, all - lines.len());
        let more = format!("{mark} and {more} more; `alfred trace` lists them all");
        lines.push(words(&more));
    }
    if !ledger.effects().iter().any(|effect| effect.state.counts()) {
        lines.push(words(text::NOTHING_CHANGED));
    }
    let buttons = packed(undo_buttons(ledger), size, BUTTONS_JSON_CHARS, BUTTONS);
    let buttons = buttons.into_iter().next().unwrap_or_default();
    let mut blocks = vec![rich_text::block(lines)];
    blocks.extend(rich_text::actions(UNDO_BLOCK, buttons));
    blocks
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

fn undo_buttons(ledger: &Ledger) -> Vec<Value> {
    let undoable = |entry: &&Entry| {
        let receipt = entry.receipt.as_ref();
        entry.state == State::Done && receipt.is_some_and(|receipt| !receipt.undo.is_empty())
    };
    let undoable: Vec<&Entry> = ledger.entries.iter().filter(undoable).collect();
    let mut buttons = Vec::new();
    if let [first, _, ..] = &*undoable
        && undoable.iter().all(|entry| entry.run == first.run)
    {
        let id = format!("{UNDO}_all");
        buttons.push(rich_text::button(&id, "Undo all of it", first.run.as_str()));
        if ledger.is_undo {
            return buttons;
        }
    }
    for (at, entry) in undoable.iter().enumerate() {
        // With a single effect, the line above already names it.
        let label = match undoable.len() {
            1 => "Undo".to_owned(),
            _ => format!("Undo: {}", entry.what),
        };
        let value = format!("{}:{}", entry.run, entry.call_id);
        buttons.push(rich_text::button(&format!("{UNDO}_{at}"), &label, &value));
    }
    buttons
}
