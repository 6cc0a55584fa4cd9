//! Removes or shows invisible characters, and those that change text direction. Some stay where they have a
//! visible effect: joiners between letters or emoji, direction marks next to punctuation in right-to-left
//! lines, and presentation selectors after emoji. Elsewhere they only hide something.

use icu_properties::props::{
    BidiClass, BidiControl, DefaultIgnorableCodePoint, Emoji, EmojiModifier, ExtendedPictographic,
    GeneralCategory, IndicSyllabicCategory, JoiningType, NoncharacterCodePoint, Script,
};
use icu_properties::{CodePointMapData, CodePointSetData};
use serde_json::Value;

/// Tag sequences after a black flag: England, Scotland and Wales. Slack and phones draw no others.
const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const BLACK_FLAG: char = '\u{1F3F4}';
const TAG_END: char = '\u{E007F}';
const ZWNJ: char = '\u{200C}';
const ZWJ: char = '\u{200D}';
const TEXT_STYLE: char = '\u{FE0E}';
const EMOJI_STYLE: char = '\u{FE0F}';
const KEYCAP: char = '\u{20E3}';

/// Removes invisible characters and turns all line separators into ` `. Idempotent.
pub fn removed(text: &str) -> String {
    // Removing a character can make others neighbours, so it repeats until nothing changes.
    let mut clean = pass(text, |_, _| {});
    loop {
        let again = pass(&clean, |_, _| {});
        if again == clean {
            return clean;
        }
        clean = again;
    }
}

/// Replaces invisible characters by visible codes: `‹U+202E›`.
pub fn shown(text: &str) -> String {
    pass(text, |out, c| {
        out.push_str(&format!("‹U+{:04X}›", u32::from(c)));
    })
}

/// Like [`shown`], on one line. For titles and list entries, where a second line could imitate another entry.
pub fn shown_on_one_line(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(shown).collect();
    words.join(" ")
}

/// Applies [`removed`] to all strings in a JSON value, except field names.
pub fn remove_from(value: &mut Value) {
    match value {
        Value::String(text) => *text = removed(text),
        Value::Array(items) => items.iter_mut().for_each(remove_from),
        Value::Object(fields) => fields.values_mut().for_each(remove_from),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn pass(text: &str, gone: impl Fn(&mut String, char)) -> String {
    // Fast path: nearly all text consists of these characters, which are never removed.
    let plain =
        |c: char| matches!(c, ' '..='~' | '\n' | '\t' | '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{2FF}');
    if text.chars().all(plain) {
        return text.to_owned();
    }
    let all: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while from < all.len() {
        let rest = &all[from..];
        let end = rest.iter().position(|c| is_separator(*c));
        let line = &rest[..end.unwrap_or(rest.len())];
        let runs_back = line.iter().any(|c| is_right_to_left(*c));
        for at in 0..line.len() {
            if stays(line, at, runs_back) {
                out.push(line[at])
            } else {
                gone(&mut out, line[at])
            }
        }
        from += line.len();
        if end.is_some() {
            out.push('\n');
            let two = all[from] == '\r' && all.get(from + 1) == Some(&'\n');
            from += if two { 2 } else { 1 };
        }
    }
    out
}

fn is_separator(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Whether the character or its effect is visible in this line.
fn stays(line: &[char], at: usize, runs_back: bool) -> bool {
    let c = line[at];
    match c {
        '\t' => true,
        c if c.is_control() => false,
        ZWJ => joins_emoji(line, at) || joins_indic(line, at) || joins_letters(line, at, c),
        ZWNJ => joins_indic(line, at) || joins_letters(line, at, c),
        TEXT_STYLE | EMOJI_STYLE => styles_emoji(line, at),
        '\u{200E}' | '\u{200F}' | '\u{61C}' => runs_back && marks_direction(line, at),
        '\u{180B}'..='\u{180F}' => {
            before(line, at).is_some_and(|c| script(c) == Script::Mongolian && is_letter(c))
        }
        '\u{E0020}'..='\u{E007F}' => in_flag(line, at),
        '\u{FFF9}'..='\u{FFFC}' => false,
        c => {
            !(set::<DefaultIgnorableCodePoint>(c)
                || set::<BidiControl>(c)
                || set::<NoncharacterCodePoint>(c))
        }
    }
}

fn before(line: &[char], at: usize) -> Option<char> {
    at.checked_sub(1).map(|at| line[at])
}

fn after(line: &[char], at: usize) -> Option<char> {
    line.get(at + 1).copied()
}

fn set<P: icu_properties::props::BinaryProperty>(c: char) -> bool {
    CodePointSetData::new::<P>().contains(c)
}

fn script(c: char) -> Script {
    CodePointMapData::<Script>::new().get(c)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

fn is_mark(c: char) -> bool {
    CodePointMapData::<GeneralCategory>::new().get(c) == GeneralCategory::NonspacingMark
}

fn is_right_to_left(c: char) -> bool {
    let class = CodePointMapData::<BidiClass>::new().get(c);
    let strong = matches!(class, BidiClass::RightToLeft | BidiClass::ArabicLetter);
    strong && !set::<DefaultIgnorableCodePoint>(c)
}

/// Whether a joiner combines two emoji: a family, a profession, a rainbow flag.
fn joins_emoji(line: &[char], at: usize) -> bool {
    let mut left = line[..at].iter().rev().copied();
    let first = match left.next() {
        Some(EMOJI_STYLE) => left.next(),
        other => other,
    };
    let emoji = |c| set::<ExtendedPictographic>(c) || set::<EmojiModifier>(c);
    let next = after(line, at).is_some_and(set::<ExtendedPictographic>);
    next && first.is_some_and(emoji)
}

fn styles_emoji(line: &[char], at: usize) -> bool {
    match before(line, at) {
        Some('0'..='9' | '#' | '*') => after(line, at) == Some(KEYCAP),
        Some(c) => set::<Emoji>(c),
        None => false,
    }
}

/// Whether a joiner selects the form of an Indic cluster: after a virama, or between a consonant
/// and a virama.
fn joins_indic(line: &[char], at: usize) -> bool {
    let kind = |c: Option<char>| {
        let of = CodePointMapData::<IndicSyllabicCategory>::new();
        c.map_or(IndicSyllabicCategory::Other, |c| of.get(c))
    };
    let (left, right) = (kind(before(line, at)), kind(after(line, at)));
    left == IndicSyllabicCategory::Virama
        || (left == IndicSyllabicCategory::Consonant && right == IndicSyllabicCategory::Virama)
}

/// Whether a joiner changes the shape of the cursive letters next to it.
fn joins_letters(line: &[char], at: usize, c: char) -> bool {
    let joining = |c: char| CodePointMapData::<JoiningType>::new().get(c);
    let left = line[..at].iter().rev().find(|c| !is_mark(**c));
    let right = line[at + 1..].iter().find(|c| !is_mark(**c));
    let is =
        |c: Option<&char>, kinds: [JoiningType; 2]| c.is_some_and(|c| kinds.contains(&joining(*c)));
    let forward = is(left, [JoiningType::DualJoining, JoiningType::LeftJoining]);
    let back = is(right, [JoiningType::DualJoining, JoiningType::RightJoining]);
    match c {
        ZWNJ => forward && back,
        _ => forward != back,
    }
}

/// Whether a direction mark has an effect; between two letters it has none.
fn marks_direction(line: &[char], at: usize) -> bool {
    let neighbour = |c: Option<char>| c.is_none_or(|c| !is_letter(c) || c.is_numeric());
    let invisible = |c: Option<char>| c.is_some_and(set::<DefaultIgnorableCodePoint>);
    let (left, right) = (before(line, at), after(line, at));
    (neighbour(left) || neighbour(right)) && !invisible(left)
}

/// Whether a tag character is part of one of `FLAGS`.
fn in_flag(line: &[char], at: usize) -> bool {
    let tag = |c: &char| ('\u{E0020}'..=TAG_END).contains(c);
    let start = line[..at].iter().rposition(|c| !tag(c));
    let Some(flag) = start.filter(|start| line[*start] == BLACK_FLAG) else {
        return false;
    };
    let tags: String = line[flag + 1..].iter().take_while(|c| tag(c)).collect();
    FLAGS.iter().any(|name| {
        let bytes = name.bytes();
        let spelled = bytes.filter_map(|b| char::from_u32(0xE0000 + u32::from(b)));
        spelled.chain([TAG_END]).eq(tags.chars())
    })
}

#[cfg(test)]
#[path = "invisible_tests.rs"]
mod tests;
