//! `rich_text` blocks: what stands in their elements is shown as it is. Nothing in it is read as
//! formatting, an address, an emoji or a mention, so a value can't pass for a label, a link or a line of ours.
//! Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block.

use alfred_core::invisible;
use serde_json::{Value, json};

/// Characters of JSON one piece of a text takes: a few fit one message, whatever is in them.
const PIECE: usize = 2_000;

/// A value, whole, with what no reader sees written out.
pub fn text(value: &str) -> Value {
    element(&invisible::shown(value))
}

/// A value on one line.
pub fn line(value: &str) -> Value {
    element(&invisible::shown_on_one_line(value))
}

/// Words of ours in bold; spaces at their ends stay.
pub fn bold(words: &str) -> Value {
    let words = invisible::shown(words).replace('\n', " ");
    styled(element(&words), "bold")
}

/// A value that goes.
pub fn struck(value: &str) -> Value {
    styled(line(value), "strike")
}

/// A link that we made. The label is ours.
pub fn link(url: &str, label: &str) -> Value {
    json!({"type": "link", "url": url, "text": label})
}

/// A value in pieces that fit a block each; joined they are the whole, with what no reader sees written out.
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

/// Lines with a bar before each, which no text can draw.
pub fn quote(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text_quote", "elements": elements})
}

/// A list; each item is a section.
pub fn list(items: Vec<Value>) -> Value {
    json!({"type": "rich_text_list", "style": "bullet", "elements": items})
}

/// The block around them.
pub fn block(elements: Vec<Value>) -> Value {
    json!({"type": "rich_text", "elements": elements})
}

/// A `plain_text` object of one line, as buttons and titles take it: at most so many characters, with `…`
/// where there are more, and no emoji made of `:names:`.
pub fn plain(value: &str, most: usize) -> Value {
    let shown = invisible::shown_on_one_line(value);
    json!({"type": "plain_text", "text": cut(&not_empty(shown), most), "emoji": false})
}

/// At most so many characters, with `…` where there are more.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let kept: String = text.chars().take(most.saturating_sub(1)).collect();
            format!("{kept}…")
        }
        None => text.to_owned(),
    }
}

/// The same blocks for a terminal: a line each, a bar before each line of a quote.
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

/// Characters a value takes as JSON; Slack counts these.
pub fn size(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Things in their order in as many groups as it takes, each of at most so many and, together, of at most
/// this size; what is larger by itself has a group of its own.
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

/// What each line of a block says.
pub fn lines(block: &Value) -> Vec<String> {
    inside(block).map(said).collect()
}

fn element(shown: &str) -> Value {
    json!({"type": "text", "text": not_empty(shown.to_owned())})
}

/// Slack takes no empty text.
fn not_empty(shown: String) -> String {
    match shown.is_empty() {
        true => "(empty)".to_owned(),
        false => shown,
    }
}

fn styled(mut element: Value, style: &str) -> Value {
    element["style"] = json!({ style: true });
    element
}

/// Where to cut: behind a line or a word if one ends late enough.
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
