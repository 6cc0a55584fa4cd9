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
        "title" | "remark" => 25,
        "text" | "words" | "said" => 80,
        _ => 0,
    }
}

/// How many words a parser is given at most; none where they are as they were written.
pub(crate) fn parsed(kind: &str) -> usize {
    match kind {
        "number" => 1,
        "time" | "place" => 4,
        "day" => 5,
        "duration" => 6,
        "range" | "span" => 7,
        "days" => 8,
        _ => 0,
    }
}

/// How many words each, and what they mean.
type Read = Vec<(usize, Value)>;

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
        let read = match self.words.get(at) {
            Some(first) => self.at(kind, first, at),
            None => Vec::new(),
        };
        let read = read.into_iter().map(|(len, value)| (len, Arc::new(value)));
        let read: Shared = Rc::new(read.collect());
        self.known.borrow_mut().insert((kind, at), Rc::clone(&read));
        read
    }

    fn at(&self, kind: &str, first: &Word, at: usize) -> Read {
        let words = &self.words[at..];
        let one = |is: bool| is.then(|| (1, first.text.as_str().into()));
        let found = match kind {
            "owner" => {
                let name = first.text.strip_suffix("'s");
                let name = name.filter(|name| self.is_somebody(name));
                name.map(|name| (1, name.into()))
            }
            "channel" => one(first.text.starts_with('#') || first.text.starts_with("<#")),
            "quoted" => one(first.quoted),
            "url" => address(&first.text).map(|url| (1, url.into())),
            "person" => return self.person(words),
            "people" => return self.people(words),
            _ if longest(kind) > 0 => return self.free(kind, at),
            _ => {
                let lengths = (1..=words.len().min(parsed(kind))).rev();
                let mut read =
                    lengths.filter_map(|len| Some((len, self.parse(kind, &words[..len])?)));
                // What is called as several places are may be short for one.
                if kind == "place" {
                    return read.collect();
                }
                read.next()
            }
        };
        found.into_iter().collect()
    }

    fn parse(&self, kind: &str, words: &[Word]) -> Option<Value> {
        let mut text = lower(words);
        if kind == "duration" {
            text = text.replace('-', " ");
        }
        let text = self.phrasings.usual(&text);
        let both = |(start, end): times::Span| json!([start.to_string(), end.to_string()]);
        Some(match kind {
            "day" => times::day(&text, self.today)?.to_string().into(),
            "days" => {
                let days = times::days(&text, self.today)?.into_iter();
                days.map(|day| day.to_string()).collect()
            }
            "time" => times::time(&text)?.to_string().into(),
            "range" => both(times::range(&text)?),
            "span" => both(times::span(&text, |name| self.phrasings.same(name))?),
            "duration" => times::duration(&text)?.into(),
            "number" => text.parse::<u32>().ok().filter(|it| *it <= 1_000)?.into(),
            _ => {
                // Most words are none, and all zones are searched for each.
                let ours = |word: &Word| self.phrasings.vocabulary.contains(&word.low);
                let place = !words.iter().all(ours) && times::place(&text);
                place.then(|| written(words).into())?
            }
        })
    }

    pub(crate) fn is(&self, list: &str, word: &Word) -> bool {
        !word.quoted && self.phrasings.is(list, &word.low)
    }

    fn is_somebody(&self, name: &str) -> bool {
        let low = name.to_lowercase();
        let shaped = name.starts_with(['@', '<']) || name.contains('@');
        let proper = name.starts_with(char::is_uppercase) && name.len() > 2;
        let letters = name.chars().all(|c| c.is_alphabetic() || "-'.".contains(c));
        let plain = words::plain(name);
        let taken = ["pointers", "clauses"]
            .iter()
            .any(|list| self.phrasings.is(list, &plain))
            || times::day(&self.phrasings.usual(&low), self.today).is_some();
        shaped || letters && !taken && (proper || !self.phrasings.vocabulary.contains(&low))
    }

    /// A word, or two that are both written as names.
    fn person(&self, words: &[Word]) -> Read {
        let name = |word: &&Word| word.quoted || self.is_somebody(&word.text);
        let Some(first) = words.first().filter(name) else {
            return Vec::new();
        };
        let capital =
            |word: &Word| word.text.starts_with(char::is_uppercase) && !word.text.contains('\'');
        let second = words.get(1).filter(|second| {
            let proper = capital(first) && capital(second) && first.end.is_none();
            proper && !self.phrasings.vocabulary.contains(&second.low)
        });
        let two = second.map(|second| (2, format!("{} {}", first.text, second.text).into()));
        two.into_iter()
            .chain([(1, first.text.as_str().into())])
            .collect()
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

/// A web address, as it is written or as Slack marks it: `<https://a.example/|a.example>`.
fn address(word: &str) -> Option<&str> {
    let bare = word.trim_matches(['<', '>']);
    let bare = bare.split('|').next().unwrap_or(bare);
    let schemes = ["https://", "http://"];
    schemes
        .iter()
        .any(|scheme| bare.starts_with(scheme))
        .then_some(bare)
}
