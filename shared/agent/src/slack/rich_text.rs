//! Builds Slack `rich_text` blocks. Slack shows their text as it is: no formatting, links, emoji or
//! mentions. So a value can't imitate a label, a link or a line of Alfred. See
//! docs.slack.dev/reference/block-kit/blocks/rich-text-block.

use alfred_core::invisible;
use serde_json::{Value, json};

/// Maximum JSON characters of a text piece. A few pieces fit in a message.
const PIECE: usize = 2_000;

/// A value with line breaks. Invisible characters are made visible.
pub fn text(value: &str) -> Value {
    element(&invisible::shown(value))
}

pub fn line(value: &str) -> Value {
    element(&invisible::shown_on_one_line(value))
}

/// A bold text of Alfred's, on one line.
pub fn bold(words: &str) -> Value {
    let words = invisible::shown(words).replace('\n', " ");
    styled(element(&words), "bold")
}

pub fn struck(value: &str) -> Value {
    styled(line(value), "strike")
}

pub fn link(url: &str, label: &str) -> Value {
    json!({"type": "link", "url": url, "text": label})
}

/// A value in pieces that each fit a block. Invisible characters are made visible.
pub fn pieces(value: &str) -> Vec<Value> {
    let shown = invisible::shown(value);
    let mut pieces = Vec::new();
    let mut rest = shown.as_str();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(cut_at(rest));
        pieces.push(element(piece));
        rest = behind;
    }
    pieces
}

/// A line of a block.
pub fn section(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text_section", "elements": elements})
}

/// Quoted lines with a bar, which a text can't imitate.
pub fn quote(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text_quote", "elements": elements})
}

pub fn list(items: Vec<Value>) -> Value {
    json!({"type": "rich_text_list", "style": "bullet", "elements": items})
}

pub fn block(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text", "elements": elements})
}

/// A one-line `plain_text` object for buttons and titles, cut to `most` characters. Doesn't turn
/// `:names:` into emoji.
pub fn plain(value: &str, most: usize) -> Value {
    let shown = invisible::shown_on_one_line(value);
    json!({"type": "plain_text", "text": cut(&not_empty(shown), most), "emoji": false})
}

/// Cuts a text to `most` characters, ending in `…` if shortened.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{kept}…")
        }
        None => text.to_owned(),
    }
}

/// The blocks as text for a terminal, with a bar before each quoted line.
pub fn as_text(blocks: &[Value]) -> String {
    let parts = blocks.iter().flat_map(inside);
    let lines: Vec<String> = parts
        .map(|part| match part["type"].as_str() {
            Some("rich_text_list") => {
                let items: Vec<String> = inside(part)
                    .map(|item| format!("• {}", said(item)))
                    .collect();
                items.join("\n")
            }
            Some("rich_text_quote") => {
                let said = said(part);
                let lines: Vec<String> = said.lines().map(|line| format!("│ {line}")).collect();
                lines.join("\n")
            }
            _ => said(part),
        })
        .collect();
    lines.join("\n")
}

fn inside(part: &Value) -> impl Iterator<Item = &Value> {
    part["elements"].as_array().into_iter().flatten()
}

fn said(part: &Value) -> String {
    inside(part)
        .filter_map(|one| one["text"].as_str())
        .collect()
}

/// The length of a value as JSON, in characters, as Slack counts it.
pub fn size(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Splits items into groups of at most `most` items and total size `largest`. An item that is
/// larger gets its own group.
pub fn packed<T>(
    things: impl IntoIterator<Item = T>,
    size: impl Fn(&T) -> usize,
    (largest, most): (usize, usize),
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut taken = 0;
    for thing in things {
        let needed = size(&thing);
        match groups.last_mut() {
            Some(group) if taken + needed <= largest && group.len() < most => group.push(thing),
            _ => {
                groups.push(vec![thing]);
                taken = 0;
            }
        }
        taken += needed;
    }
    groups
}

/// The text of each line of a block.
pub fn lines(block: &Value) -> Vec<String> {
    inside(block).map(said).collect()
}

fn element(shown: &str) -> Value {
    json!({"type": "text", "text": not_empty(shown.to_owned())})
}

/// Slack refuses empty texts.
fn not_empty(shown: String) -> String {
    if shown.is_empty() {
        "(empty)".to_owned()
    } else {
        shown
    }
}

fn styled(mut element: Value, style: &str) -> Value {
    element["style"] = json!({ style: true });
    element
}

/// Where to cut a long text: after a line or word if one ends in the second half.
fn cut_at(text: &str) -> usize {
    let mut taken = 0;
    let mut good = 0;
    for (at, c) in text.char_indices() {
        taken += match c {
            '"' | '\\' | '\n' | '\t' => 2,
            _ => 1,
        };
        if taken > PIECE {
            return if good > at / 2 { good } else { at };
        }
        if c.is_whitespace() {
            good = at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(elements: &[Value]) -> Vec<&str> {
        let texts = elements.iter().filter_map(|one| one["text"].as_str());
        texts.collect()
    }

    #[test]
    fn a_label_is_one_line_and_says_when_it_is_cut() {
        let label = plain("Undo: a\nb\u{202E}c :smile:", 75);
        assert_eq!(label["text"], "Undo: a b‹U+202E›c :smile:");
        assert_eq!(label["emoji"], false);
        assert_eq!(plain("abcdef", 4)["text"], "abc…");
        assert_eq!(plain("abcd", 4)["text"], "abcd");
        assert_eq!(plain(" \n", 4)["text"], cut("(empty)", 4));
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole_and_each_fits(text in "([a-z\"\\\\ \n]|\\PC|\u{202E}){0,60}", times in 1_usize..200) {
            let text = text.repeat(times);
            let pieces = pieces(&text);
            for piece in &pieces {
                prop_assert!(size(piece) <= PIECE + 40, "{}", size(piece));
            }
            prop_assert_eq!(texts(&pieces).concat(), invisible::shown(&text));
        }
    }
}
