//! Tasks for a work block.

use super::changes::subject;
use super::{Call, Reading, slot, take};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, has};

pub(super) const TOOL: &str = "workflow_fillWorkBlock";

/// `workflow_fillWorkBlock`: "fill my deep work block", "pick the tasks for tomorrow's coding block".
pub(super) fn block(words: &[Word], now: &Now) -> Reading {
    if has(words, &["email block", "mail block", "called", "named"]) {
        return None;
    }
    let fills = ["fill", "populate", "stuff", "load"]
        .iter()
        .any(|verb| at(words, 0, &[verb]));
    let chooses = [
        "pick", "choose", "select", "find", "put", "assign", "plan", "slot", "what", "which",
        "get", "suggest",
    ]
    .iter()
    .any(|verb| at(words, 0, &[verb]))
        && has(words, &["tasks", "task", "work"]);
    let place = words.iter().position(|word| word.low == "block")?;
    if !(fills || chooses) {
        return None;
    }
    let before = if fills {
        1
    } else {
        const TO: [&str; 6] = ["for", "in", "into", "to", "on", "inside"];
        1 + words[..place]
            .iter()
            .rposition(|word| TO.contains(&word.low.as_str()))?
    };
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, before);
    slot::take_day(&words[..place], &mut taken[..place], now);
    let left: Vec<Word> = (before..place)
        .filter(|&n| !taken[n])
        .map(|n| words[n].clone())
        .collect();
    let mut words_of = &left[..];
    while let [first, rest @ ..] = words_of
        && ["up", "in", "out", "next", "this"].contains(&first.low.as_str())
    {
        words_of = rest;
    }
    let title = subject(words_of, &["block", "time"]);
    let call = Call::new(TOOL);
    // A work block is any of them.
    Some(Ok(vec![match title.as_str() {
        "" | "work" => call,
        title => call.with(
            "blockId",
            title
                .strip_suffix(" work")
                .filter(|_| title != "deep work")
                .unwrap_or(title),
        ),
    }]))
}
