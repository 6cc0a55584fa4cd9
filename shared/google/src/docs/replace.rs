//! The requests that replace a passage. Google searches plain text within one paragraph, so each changed line
//! of the passage must occur exactly once in the whole document, without formatting inside.

use alfred_core::ports::{AccountError, Edit};
use serde_json::{Value, json};

use super::markdown::{split, unescaped};
use crate::Result;

const PASSAGE_NOT_PLAIN: &str =
    "That passage isn't plain text within one paragraph; please change it in the document itself.";

/// `Refused` if a changed line isn't there exactly once, or if only its format would change.
pub(super) fn requests(paragraphs: &[String], old: &str, new: &str) -> Result<Vec<Value>> {
    let not_plain = || AccountError::refused(PASSAGE_NOT_PLAIN);
    let mut text = paragraphs.concat();
    let mut requests = Vec::new();
    for (old, new) in lines(old, new) {
        let ((old_mark, old), (new_mark, new)) = (split(old), split_all(&new));
        let number = |c: char| c.is_ascii_digit();
        if !new.is_empty() && old_mark.replace(number, "") != new_mark.replace(number, "") {
            return Err(not_plain());
        }
        let old = unescaped(old);
        if old == new {
            continue;
        }
        if old.is_empty() || !text.contains(&old) {
            return Err(not_plain());
        }
        requests.push(json!({"replaceAllText": {
            "containsText": {"text": old, "matchCase": true}, "replaceText": new,
        }}));
        text = Edit::Replace { old, new }.applied_to(&text)?;
    }
    if requests.is_empty() {
        return Err(not_plain());
    }
    Ok(requests)
}

/// The mark of the first line, and the plain text of all lines. Further lines get the format of the first.
fn split_all(lines: &str) -> (&str, String) {
    let plain = lines.split('\n').map(|line| unescaped(split(line).1));
    (split(lines).0, plain.collect::<Vec<_>>().join("\n"))
}

/// Pairs the changed lines. The last old line gets all remaining new ones.
fn lines<'a>(old: &'a str, new: &'a str) -> Vec<(&'a str, String)> {
    let mut old: Vec<&str> = old.split('\n').collect();
    let mut new: Vec<&str> = new.split('\n').collect();
    while old.len() > 1 && old.last() == new.last() {
        old.pop();
        new.pop();
    }
    while old.len() > 1 && old.first() == new.first() {
        old.remove(0);
        new.remove(0);
    }
    let last = old.len() - 1;
    let rest = |at: usize| new.get(at..).unwrap_or_default().join("\n");
    let new_of = |at: usize| match new.get(at) {
        Some(line) if at < last => (*line).to_owned(),
        _ => rest(at),
    };
    let pairs = old.iter().enumerate().map(|(at, line)| (*line, new_of(at)));
    pairs.collect()
}
