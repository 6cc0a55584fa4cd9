//! Builds Slack `rich_text` blocks, and buttons. Slack shows rich text as it is, so a value can't imitate a label, a link
//! or a line of Alfred. See docs.slack.dev/reference/block-kit/blocks/rich-text-block.

use alfred_core::invisible;
use serde_json::{Value, json};

use crate::slack::respond::split;

/// Maximum characters of a text piece. In JSON it is at most twice as long, and fits in a message.
const PIECE: usize = 2_000;
/// Maximum characters of a button label. Slack accepts 75.
pub(crate) const BUTTON_CHARS: usize = 75;

/// A value with line breaks. Invisible characters are made visible.
pub fn text(value: &str) -> Value {
    element(invisible::shown(value))
}

/// A text in which people and channels have their names.
pub fn with_names(value: &str) -> Vec<Value> {
    let (first, rest) = value.split_once('<').unwrap_or((value, ""));
    let mut elements = Vec::new();
    if !first.is_empty() || rest.is_empty() {
        elements.push(text(first));
    }
    for part in value.split('<').skip(1) {
        let found = part.split_once('>');
        let found = found.and_then(|(inside, rest)| Some((mention(inside)?, rest)));
        match found {
            Some((mention, "")) => elements.push(mention),
            Some((mention, rest)) => elements.extend([mention, text(rest)]),
            None => elements.push(text(&format!("<{part}"))),
        }
    }
    elements
}

fn mention(inside: &str) -> Option<Value> {
    let (sign, id) = inside.split_at_checked(1)?;
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric());
    match sign {
        "@" if is_id => Some(json!({"type": "user", "user_id": id})),
        "#" if is_id => Some(json!({"type": "channel", "channel_id": id})),
        _ => None,
    }
}

pub fn line(value: &str) -> Value {
    element(invisible::shown_on_one_line(value))
}

/// A bold text of Alfred's, on one line.
pub fn bold(words: &str) -> Value {
    let words = invisible::shown(words).replace('\n', " ");
    styled(element(words), "bold")
}

pub fn link(url: &str, label: &str) -> Value {
    json!({"type": "link", "url": url, "text": label})
}

/// A value in quote blocks that each fit a message. The bar can't be imitated by a text.
pub fn quotes(value: &str) -> Vec<Value> {
    let quote = |piece| block(vec![part("rich_text_quote", vec![piece])]);
    pieces(value).into_iter().map(quote).collect()
}

/// A value in elements that each fit a message.
pub fn pieces(value: &str) -> Vec<Value> {
    let shown = invisible::shown(value);
    let mut pieces = Vec::new();
    let mut rest = shown.as_str();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(split::cut_at(rest, PIECE));
        pieces.push(element(piece.to_owned()));
        rest = behind;
    }
    pieces
}

pub fn section(elements: Vec<Value>) -> Value {
    part("rich_text_section", elements)
}

pub fn list(items: Vec<Value>) -> Value {
    json!({"type": "rich_text_list", "style": "bullet", "elements": items})
}

pub fn block(elements: Vec<Value>) -> Value {
    part("rich_text", elements)
}

pub fn line_block(elements: Vec<Value>) -> Value {
    block(vec![section(elements)])
}

/// A one-line `plain_text` object, cut to `most` characters. Doesn't turn `:names:` into emoji.
pub fn plain(value: &str, most: usize) -> Value {
    let shown = invisible::shown_on_one_line(value);
    json!({"type": "plain_text", "text": cut(&not_empty(shown), most), "emoji": false})
}

pub fn button(action_id: &str, label: &str, value: &str) -> Value {
    let label = plain(label, BUTTON_CHARS);
    json!({"type": "button", "action_id": action_id, "text": label, "value": value})
}

/// A button of a style: "primary" or "danger".
pub fn styled_button(action_id: &str, label: &str, value: &str, style: &str) -> Value {
    let mut button = button(action_id, label, value);
    button["style"] = style.into();
    button
}

/// A row of buttons. `None` without any.
pub fn actions(block_id: &str, buttons: Vec<Value>) -> Option<Value> {
    let any = !buttons.is_empty();
    any.then(|| json!({"type": "actions", "block_id": block_id, "elements": buttons}))
}

/// Cuts a text to `most` characters, ending in `…` if shortened.
pub fn cut(text: &str, most: usize) -> String {
    if text.char_indices().nth(most).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{kept}…")
}

pub fn as_text(blocks: &[Value]) -> String {
    let mut lines = Vec::new();
    for part in blocks.iter().flat_map(inside) {
        match part["type"].as_str() {
            Some("rich_text_list") => {
                lines.extend(inside(part).map(|item| format!("• {}", said(item))));
            }
            Some("rich_text_quote") => {
                lines.extend(said(part).lines().map(|line| format!("│ {line}")));
            }
            _ => lines.push(said(part)),
        }
    }
    lines.join("\n")
}

fn inside(part: &Value) -> impl Iterator<Item = &Value> {
    part["elements"].as_array().into_iter().flatten()
}

fn said(part: &Value) -> String {
    let said = inside(part).filter_map(|one| {
        let id = |field: &str, sign| Some(format!("<{sign}{}>", one[field].as_str()?));
        let text = one["text"].as_str().map(str::to_owned);
        text.or_else(|| id("user_id", '@'))
            .or_else(|| id("channel_id", '#'))
    });
    said.collect()
}

/// The length of a value as JSON, in characters, as Slack counts it.
pub fn size(value: &Value) -> usize {
    value.to_string().chars().count()
}

/// Splits items into groups of at most `most` items and total size `largest`. A larger item gets its own group.
pub fn packed<T>(
    items: impl IntoIterator<Item = T>,
    size: impl Fn(&T) -> usize,
    largest: usize,
    most: usize,
) -> Vec<Vec<T>> {
    let mut groups: Vec<Vec<T>> = Vec::new();
    let mut taken = 0;
    for item in items {
        let needed = size(&item);
        match groups.last_mut() {
            Some(group) if taken + needed <= largest && group.len() < most => group.push(item),
            _ => {
                groups.push(vec![item]);
                taken = 0;
            }
        }
        taken += needed;
    }
    groups
}

fn part(kind: &str, elements: Vec<Value>) -> Value {
    json!({"type": kind, "elements": elements})
}

fn element(shown: String) -> Value {
    json!({"type": "text", "text": not_empty(shown)})
}

/// Slack refuses empty texts.
fn not_empty(shown: String) -> String {
    if shown.is_empty() {
        "(empty)".to_owned()
    } else {
        shown
    }
}

/// Sets a style: "bold", "italic", "strike".
pub fn styled(mut element: Value, style: &str) -> Value {
    element["style"] = json!({ style: true });
    element
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_label_is_one_line_and_says_when_it_is_cut() {
        let label = plain("Undo: a\nb\u{202E}c :smile:", 75);
        assert_eq!(label["text"], "Undo: a b‹U+202E›c :smile:");
        assert_eq!(label["emoji"], false);
        for (text, label) in [("abcdef", "abc…"), ("abcd", "abcd"), (" \n", "(em…")] {
            assert_eq!(plain(text, 4)["text"], label);
        }
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole_and_each_fits(text in "([a-z\"\\\\ \n]|\\PC|\u{202E}){0,60}", times in 1_usize..200) {
            let text = text.repeat(times);
            let pieces = pieces(&text);
            prop_assert!(pieces.iter().all(|piece| size(piece) <= 2 * PIECE + 40));
            let texts = pieces.iter().filter_map(|one| one["text"].as_str());
            prop_assert_eq!(texts.collect::<String>(), invisible::shown(&text));
        }
    }
}
