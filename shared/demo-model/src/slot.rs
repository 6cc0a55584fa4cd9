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
use crate::words::{Word, plain, written};

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
        let values = match self.words.get(at) {
            Some(_) if is_free(kind) => self.free(kind, at),
            Some(first) => self.typed(kind, first, &self.words[at..]),
            None => Vec::new(),
        };
        let shared = |(len, value)| (len, Arc::new(value));
        let values: Shared = Rc::new(values.into_iter().map(shared).collect());
        let mut known = self.known.borrow_mut();
        known.insert((kind, at), Rc::clone(&values));
        values
    }

    fn typed(&self, kind: &str, first: &Word, words: &[Word]) -> Values {
        let text = first.text.as_str();
        let one = match kind {
            "person" => return self.person(words),
            "people" => return self.people(words),
            "owner" => text.strip_suffix("'s").filter(|it| self.is_somebody(it)),
            "channel" => Some(text).filter(|text| text.starts_with('#') || text.starts_with("<#")),
            "quoted" => Some(text).filter(|_| first.quoted),
            "url" => address(text),
            _ => {
                let lengths = (1..=words.len().min(longest(kind))).rev();
                let whole = lengths.filter(|len| !is_broken(&words[..*len]));
                let values = whole.filter_map(|len| Some((len, self.parse(kind, &words[..len])?)));
                // A search for a place takes several words as names of several places.
                let most = if kind == "place" { usize::MAX } else { 1 };
                return values.take(most).collect();
            }
        };
        one.map(|one| (1, one.into())).into_iter().collect()
    }

    fn parse(&self, kind: &str, words: &[Word]) -> Option<Value> {
        let lower: Vec<String> = words.iter().map(|word| word.text.to_lowercase()).collect();
        let mut text = lower.join(" ");
        if kind == "duration" {
            text = text.replace('-', " ");
        }
        // "Morning" is a part of the day, and no range.
        let digits = text.contains(|c: char| c.is_ascii_digit());
        let text = self.phrasings.usual(&text);
        let both = |(start, end): times::Span| json!([start.to_string(), end.to_string()]);
        Some(match kind {
            "day" => times::day(&text, self.today)?.to_string().into(),
            "weekday" => times::weekday(&text, self.today)?.to_string().into(),
            "time" => times::time(&text)?.to_string().into(),
            "range" => both(times::range(&text).filter(|_| digits)?),
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
        let first = &words[0];
        if first.quoted || !self.is_somebody(&first.text) {
            return Vec::new();
        }
        let capital =
            |word: &Word| word.text.starts_with(char::is_uppercase) && !word.text.contains('\'');
        let known = |word: &Word| self.phrasings.vocabulary.contains(&word.low);
        let goes_on = first.end.is_none() && capital(first);
        let is_last = |word: &&Word| goes_on && capital(word) && !known(word);
        vec![match words.get(1).filter(is_last) {
            Some(last) => (2, format!("{} {}", first.text, last.text).into()),
            None => (1, first.text.as_str().into()),
        }]
    }

    /// Names with "and" or commas between them: the whole list only.
    fn people(&self, words: &[Word]) -> Values {
        let mut names: Vec<Value> = Vec::new();
        let (mut at, mut end) = (0, 0);
        while at < words.len() {
            let Some((len, name)) = self.person(&words[at..]).pop() else {
                break;
            };
            names.push(name);
            end = at + len;
            let joint = words.get(end).is_some_and(|word| word.low == "and");
            if !joint && words[end - 1].end != Some(',') {
                break;
            }
            at = end + usize::from(joint);
        }
        let found = (!names.is_empty()).then(|| (end, names.into()));
        found.into_iter().collect()
    }
}

/// Whether punctuation stands within the words.
fn is_broken(words: &[Word]) -> bool {
    let mut within = words[..words.len() - 1].iter();
    within.any(|word| word.end.is_some())
}

/// A web address, as it is written or as Slack marks it: `<https://a.example/|a.example>`.
fn address(word: &str) -> Option<&str> {
    let bare = word.trim_matches(['<', '>']);
    let bare = bare.split('|').next().unwrap_or(bare);
    let schemes = ["https://", "http://"];
    let is_url = schemes.iter().any(|scheme| bare.starts_with(scheme));
    is_url.then_some(bare)
}
