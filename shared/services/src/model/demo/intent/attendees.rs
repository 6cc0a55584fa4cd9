//! The people of a meeting in a sentence.

use super::take as mark;
use crate::model::demo::clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::Word;

/// The people behind "with", or at a place that is given, and where they begin. Names are capitalised words, addresses and handles; of a
/// list without any, each word is one.
pub(super) fn take(
    words: &[Word],
    taken: &mut [bool],
    start: Option<usize>,
    now: &Now,
) -> Option<(Vec<String>, usize)> {
    let (start, with) = match start {
        Some(start) => (start, start),
        None => {
            let with = words
                .iter()
                .position(|word| matches!(word.low.as_str(), "with" | "w/"));
            // "a time for me and Chloe"
            let and_me = || {
                let pair = |pair: &[Word]| {
                    pair[0].low == "me" && matches!(pair[1].low.as_str(), "and" | "&")
                };
                words.windows(2).position(pair).map(|place| place + 1)
            };
            let with = with.or_else(and_me)?;
            (with + 1, with)
        }
    };
    let mut people: Vec<String> = Vec::new();
    let mut place = start;
    let mut open = true;
    while let Some(word) = words.get(place) {
        let joint = matches!(word.low.as_str(), "and" | "&" | "+");
        if joint {
            open = true;
        } else if ["me", "both"].contains(&word.low.as_str()) {
        } else if ends(words, place, now) {
            break;
        } else if open && nobody(&word.low) {
            return None;
        } else if open {
            people.push(name(word));
            open = false;
        } else if is_person(word) && is_person(&words[place - 1]) {
            // "Ana Ruiz" is one person.
            if let Some(last) = people.last_mut() {
                last.push(' ');
                last.push_str(&name(word));
            }
        } else {
            break;
        }
        open |= word.end == Some(',');
        place += 1;
        if word.end.is_some_and(|end| end != ',') {
            break;
        }
    }
    while place > start && matches!(words[place - 1].low.as_str(), "and" | "&") {
        place -= 1;
    }
    mark(taken, with, place - with);
    (!people.is_empty()).then_some((people, with))
}

fn name(word: &Word) -> String {
    word.text
        .strip_suffix("'s")
        .unwrap_or(&word.text)
        .to_owned()
}

/// Whether it looks like a name, an address or a handle.
pub(super) fn is_person(word: &Word) -> bool {
    word.text.contains('@')
        || word.text.starts_with(char::is_uppercase) && dates::weekday(&word.low).is_none()
}

/// Whether it is the beginning of something else than a name: "with no meetings", "with the bank".
fn nobody(low: &str) -> bool {
    [
        "no",
        "few",
        "fewer",
        "some",
        "any",
        "lots",
        "people",
        "someone",
        "somebody",
        "everyone",
        "everybody",
        "the",
        "my",
        "our",
        "his",
        "her",
        "their",
        "it",
        "that",
        "this",
        "nothing",
        "nobody",
        "least",
        "more",
        "less",
    ]
    .contains(&low)
}

/// Whether something else than a person begins here.
fn ends(words: &[Word], place: usize, now: &Now) -> bool {
    let low = words[place].low.as_str();
    dates::day(words, place, now).is_some()
        || clock::clock(words, place, false).is_some()
        || low.parse::<f64>().is_ok()
        || [
            "for",
            "on",
            "at",
            "about",
            "to",
            "in",
            "next",
            "this",
            "some",
            "sometime",
            "from",
            "between",
            "an",
            "a",
            "half",
            "regarding",
            "re",
            "please",
            "before",
            "after",
            "around",
            "put",
            "find",
            "whenever",
            "until",
        ]
        .contains(&low)
}
