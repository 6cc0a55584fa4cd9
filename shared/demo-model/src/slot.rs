//! What pattern slots accept, and the values they give.

mod free;

use jiff::civil::Date;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::pattern::Phrasings;
use crate::times;
use crate::words::{Word, lower, plain, written};

/// Free slots take words as they are: `name` something that exists, `title` something new, `activity` something
/// that the person does alone, `text` a
/// message, `line` a message without a time, `query` a search, `said` a message after a colon.
/// `owner` is a person with 's, `range` a start and an end, `span` a range or a part of the day, and
/// `weekday` the next day of that name after today.
pub(crate) const KINDS: [&str; 21] = [
    "name", "title", "activity", "text", "line", "query", "said", "day", "weekday", "time",
    "range", "span", "duration", "number", "person", "people", "owner", "channel", "quoted", "url",
    "place",
];

/// Whether a slot takes words as they are.
pub(crate) fn is_free(kind: &str) -> bool {
    free::longest(kind) > 0
}

/// Maximum words of a value that a parser reads.
fn longest(kind: &str) -> usize {
    match kind {
        "number" | "weekday" => 1,
        "time" | "place" => 4,
        "day" => 5,
        "duration" => 6,
        "range" | "span" => 7,
        _ => 0,
    }
}

/// Lengths in words, each with the value.
type Values = Vec<(usize, Value)>;

type Shared = Rc<Vec<(usize, Arc<Value>)>>;

/// Reads slots at the words of a message.
pub(crate) struct Reader<'a> {
    today: Date,
    pub(crate) phrasings: &'a Phrasings,
    pub(crate) words: &'a [Word],
    /// The values at each word: many patterns ask for the same.
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

    /// The values of a slot that begin at a word.
    pub(crate) fn read(&self, kind: &'static str, at: usize) -> Shared {
        if let Some(known) = self.known.borrow().get(&(kind, at)) {
            return Rc::clone(known);
        }
        let read = match self.words.get(at) {
            Some(first) => self.values(kind, first, at),
            None => Vec::new(),
        };
        let read = read.into_iter().map(|(len, value)| (len, Arc::new(value)));
        let read: Shared = Rc::new(read.collect());
        self.known.borrow_mut().insert((kind, at), Rc::clone(&read));
        read
    }

    fn values(&self, kind: &str, first: &Word, at: usize) -> Values {
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
            _ if is_free(kind) => return self.free(kind, at),
            _ => {
                let lengths = (1..=words.len().min(longest(kind))).rev();
                let whole = lengths.filter(|len| !is_broken(&words[..*len]));
                let mut read =
                    whole.filter_map(|len| Some((len, self.parse(kind, &words[..len])?)));
                // A search for a place takes several words as names of several places.
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
            "weekday" => times::weekday(&text, self.today)?.to_string().into(),
            "time" => times::time(&text)?.to_string().into(),
            "range"
                if words
                    .iter()
                    .any(|word| word.text.contains(|c: char| c.is_ascii_digit())) =>
            {
                both(times::range(&text)?)
            }
            "range" => return None,
            "span" => both(times::span(&text, |name| self.phrasings.same(name))?),
            "duration" => times::duration(&text)?.into(),
            "number" => text.parse::<u32>().ok().filter(|it| *it <= 1_000)?.into(),
            _ => {
                // Searching all zones for words that are none would take long.
                let ours = |word: &Word| self.phrasings.vocabulary.contains(&word.low);
                let joined = words.iter().any(|word| self.is("splits", word));
                let place = !joined && !words.iter().all(ours) && times::place(&text);
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
        let taken = self.phrasings.is_barred("person.any", &plain(name))
            || times::day(&self.phrasings.usual(&low), self.today).is_some();
        shaped || letters && !taken && (proper || !self.phrasings.vocabulary.contains(&low))
    }

    /// One word, or a first and a last name with capitals.
    fn person(&self, words: &[Word]) -> Values {
        let name = |word: &&Word| !word.quoted && self.is_somebody(&word.text);
        let Some(first) = words.first().filter(name) else {
            return Vec::new();
        };
        let capital =
            |word: &Word| word.text.starts_with(char::is_uppercase) && !word.text.contains('\'');
        let second = words.get(1).filter(|second| {
            let proper = capital(first) && capital(second) && first.end.is_none();
            proper && !self.phrasings.vocabulary.contains(&second.low)
        });
        match second {
            Some(second) => vec![(2, format!("{} {}", first.text, second.text).into())],
            None => vec![(1, first.text.as_str().into())],
        }
    }

    /// Names with "and" or commas between them: the whole list only.
    fn people(&self, words: &[Word]) -> Values {
        let mut names: Vec<Value> = Vec::new();
        let mut at = 0;
        let mut end = 0;
        while let Some((len, name)) = self.person(&words[at..]).into_iter().next() {
            at += len;
            end = at;
            names.push(name);
            let joint = words.get(at).is_some_and(|word| word.low == "and");
            if !joint && words[at - 1].end != Some(',') {
                break;
            }
            at += usize::from(joint);
        }
        if names.is_empty() {
            return Vec::new();
        }
        vec![(end, names.into())]
    }
}

/// Whether punctuation stands within the words.
fn is_broken(words: &[Word]) -> bool {
    words[..words.len() - 1]
        .iter()
        .any(|word| word.end.is_some())
}

/// A web address, as it is written or as Slack marks it: `<https://a.example/|a.example>`.
fn address(word: &str) -> Option<&str> {
    let bare = word.trim_matches(['<', '>']);
    let bare = bare.split('|').next().unwrap_or(bare);
    let schemes = ["https://", "http://"];
    let is_url = schemes.iter().any(|scheme| bare.starts_with(scheme));
    is_url.then_some(bare)
}
