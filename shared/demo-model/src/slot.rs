//! What stands in a pattern's slots.

mod text;

use jiff::civil::Date;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::pattern::Phrasings;
use crate::times;
use crate::words::{self, Word, lower, written};

/// How many words are taken as they are; none where a parser reads them.
pub(crate) fn longest(kind: &str) -> usize {
    match kind {
        "name" => 6,
        "title" => 25,
        "text" | "said" => 80,
        _ => 0,
    }
}

/// Whether a parser reads it; others are as they were written.
pub(crate) fn is_parsed(kind: &str) -> bool {
    let parsed = [
        "day", "days", "time", "range", "span", "duration", "number", "place",
    ];
    parsed.contains(&kind)
}

/// How many words each, and what they mean.
pub(crate) type Read = Vec<(usize, Value)>;

type Shared = Rc<Vec<(usize, Arc<Value>)>>;

/// Words, and what slots are read with.
pub(crate) struct Reader<'a> {
    today: Date,
    pub(crate) phrasings: &'a Phrasings,
    pub(crate) words: &'a [Word],
    /// What slots hold at each word: many patterns ask the same.
    known: RefCell<HashMap<(&'static str, usize), Shared>>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(today: Date, phrasings: &'a Phrasings, words: &'a [Word]) -> Self {
        Self {
            today,
            phrasings,
            words,
            known: RefCell::default(),
        }
    }

    /// All that may stand at a word: how many words, and what they mean.
    pub(crate) fn read(&self, kind: &'static str, at: usize) -> Shared {
        if let Some(known) = self.known.borrow().get(&(kind, at)) {
            return Rc::clone(known);
        }
        let words = self.words.get(at..).unwrap_or_default();
        let read = match words.first() {
            Some(first) => self.parsed(kind, first, at),
            None => Vec::new(),
        };
        let read = read.into_iter().map(|(len, value)| (len, Arc::new(value)));
        let read: Shared = Rc::new(read.collect());
        self.known.borrow_mut().insert((kind, at), Rc::clone(&read));
        read
    }

    fn parsed(&self, kind: &str, first: &Word, at: usize) -> Read {
        let words = &self.words[at..];
        let one = |is: bool| is.then(|| (1, Value::from(first.text.as_str())));
        let both = |(start, end): times::Span| json!([start.to_string(), end.to_string()]);
        let owner = || {
            first
                .text
                .strip_suffix("'s")
                .filter(|name| self.is_somebody(name))
        };
        let found = match kind {
            "day" => upto(5, words, |text| {
                Some(times::day(text, self.today)?.to_string().into())
            }),
            "days" => upto(8, words, |text| {
                let days = times::days(text, self.today)?.into_iter();
                Some(days.map(|day| day.to_string()).collect())
            }),
            "duration" => upto(6, words, |text| Some(times::duration(text)?.into())),
            "time" => upto(4, words, |text| {
                Some(times::time(text)?.likely()?.to_string().into())
            }),
            "range" => upto(7, words, |text| times::range(text).map(both)),
            "span" => upto(7, words, |text| times::span(text).map(both)),
            "place" => {
                // Most words are none, and all zones are searched for each.
                let ours = |word: &Word| self.phrasings.vocabulary.contains(&word.low);
                let fits = |words: &[Word]| !words.iter().all(ours) && times::place(&lower(words));
                let lengths = (1..=words.len().min(4)).rev();
                return lengths
                    .filter(|len| fits(&words[..*len]))
                    .map(|len| (len, written(&words[..len]).into()))
                    .collect();
            }
            "number" => times::number(&first.low).map(|number| (1, number.into())),
            "owner" => owner().map(|name| (1, name.into())),
            "channel" => one(first.text.starts_with('#') || first.text.starts_with("<#")),
            "quoted" => one(first.quoted),
            "person" => return self.person(words),
            "people" => return self.people(words),
            _ => return self.free(kind, at),
        };
        found.into_iter().collect()
    }

    pub(crate) fn is(&self, list: &str, word: &Word) -> bool {
        !word.quoted && self.phrasings.is(list, &word.low)
    }

    fn is_somebody(&self, name: &str) -> bool {
        let low = name.to_lowercase();
        let shaped = name.starts_with(['@', '<']) || name.contains('@');
        let proper = name.starts_with(char::is_uppercase) && name.len() > 2;
        let letters = name.chars().all(|c| c.is_alphabetic() || "-'.".contains(c));
        let lists = ["pointers", "clauses"];
        let plain = words::plain(name);
        let taken = lists.iter().any(|list| self.phrasings.is(list, &plain))
            || times::day(&low, self.today).is_some();
        shaped || letters && !taken && (proper || !self.phrasings.vocabulary.contains(&low))
    }

    /// A word, or two that are both written as names.
    fn person(&self, words: &[Word]) -> Read {
        let name = |word: &&Word| word.quoted || self.is_somebody(&word.text);
        let Some(first) = words.first().filter(name) else {
            return Vec::new();
        };
        let one = (1, Value::from(first.text.as_str()));
        let capital =
            |word: &Word| word.text.starts_with(char::is_uppercase) && !word.text.contains('\'');
        let second = words.get(1).filter(|second| {
            let proper = capital(first) && capital(second) && first.end.is_none();
            proper && !self.phrasings.vocabulary.contains(&second.low)
        });
        let two = second.map(|second| (2, format!("{} {}", first.text, second.text).into()));
        two.into_iter().chain([one]).collect()
    }

    /// Names with "and" or commas between them, the longest list first.
    fn people(&self, words: &[Word]) -> Read {
        let mut found: Read = Vec::new();
        let mut names: Vec<Value> = Vec::new();
        let mut at = 0;
        while let Some((len, name)) = self.person(&words[at..]).into_iter().next() {
            at += len;
            names.push(name);
            found.insert(0, (at, names.clone().into()));
            let joint = words.get(at).is_some_and(|word| word.low == "and");
            if !joint && words[at - 1].end != Some(',') {
                break;
            }
            at += usize::from(joint);
        }
        found
    }
}

/// The longest beginning of at most so many words that can be read.
fn upto(
    most: usize,
    words: &[Word],
    read: impl Fn(&str) -> Option<Value>,
) -> Option<(usize, Value)> {
    let mut lengths = (1..=words.len().min(most)).rev();
    lengths.find_map(|len| Some((len, read(&lower(&words[..len]))?)))
}
