//! What stands in a pattern's slots.

use jiff::civil::Date;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;

use crate::pattern::Phrasings;
use crate::times;
use crate::words::{Word, capitalised, lower, written};

/// What slots hold: `title` is of what isn't there yet, `name` are words of what is, `text` is said to others,
/// `owner` is somebody with an 's. `range` is a start and an end.
pub(crate) const KINDS: [&str; 14] = [
    "day", "time", "range", "duration", "number", "person", "people", "owner", "channel", "quoted",
    "place", "name", "title", "text",
];

/// How many words are taken as they are; none where a parser reads them.
pub(crate) fn longest(kind: &str) -> usize {
    match kind {
        "name" => 6,
        "title" => 25,
        "text" => 80,
        _ => 0,
    }
}

/// What slots are read with.
pub(crate) struct Reader<'a> {
    pub(crate) today: Date,
    pub(crate) phrasings: &'a Phrasings,
    /// What is known of places.
    pub(crate) places: RefCell<HashMap<String, bool>>,
}

/// How many words each, and what they mean.
pub(crate) type Read = Vec<(usize, Value)>;

impl Reader<'_> {
    /// All that may stand here: how many words, and what they mean.
    pub(crate) fn read(&self, kind: &str, words: &[Word]) -> Read {
        let Some(first) = words.first() else {
            return Vec::new();
        };
        let one = |is: bool| is.then(|| (1, Value::from(first.text.as_str())));
        let owner = || {
            first
                .text
                .strip_suffix("'s")
                .filter(|name| self.is_somebody(name))
        };
        let day = |text: &str| Some(times::day(text, self.today)?.to_string().into());
        let clock = |text: &str| Some(times::time(text)?.likely()?.to_string().into());
        let found = match kind {
            "day" => upto(5, words, day),
            "duration" => upto(5, words, |text| Some(times::duration(text)?.into())),
            "time" => upto(3, words, clock),
            "range" => upto(7, words, |text| {
                let (start, end) = times::range(text)?;
                Some(json!([start.to_string(), end.to_string()]))
            }),
            "number" => times::number(&first.low).map(|number| (1, number.into())),
            "owner" => owner().map(|name| (1, name.into())),
            "channel" => one(first.text.starts_with('#') || first.text.starts_with("<#")),
            "quoted" => one(first.quoted),
            "place" => {
                let longest = (1..=words.len().min(4)).rev();
                let known = longest.filter(|len| self.is_place(&lower(&words[..*len])));
                return known
                    .map(|len| (len, written(&words[..len]).into()))
                    .collect();
            }
            "person" => return self.person(words),
            "people" => return self.people(words),
            _ => return self.free(kind, words),
        };
        found.into_iter().collect()
    }

    /// Every length that may be meant, the shortest first.
    fn free(&self, kind: &str, words: &[Word]) -> Read {
        let lengths = 1..=words.len().min(longest(kind));
        let ours = lengths
            .take_while(|len| *len < 2 || !self.begins_anew(&words[len - 2], &words[len - 1..]));
        let fitting = ours.filter(|len| self.fits(kind, &words[..*len]));
        let text = |len: usize| {
            let article = kind == "name" && len > 1 && self.is("articles", &words[0]);
            let text = written(&words[usize::from(article)..len]);
            let begins = matches!(kind, "title" | "text");
            (len, if begins { capitalised(&text) } else { text }.into())
        };
        fitting.map(text).collect()
    }

    /// Whether behind this word the next request begins: "…, and tell Ben", ". Plan".
    fn begins_anew(&self, before: &Word, words: &[Word]) -> bool {
        let joint = before.end.is_some() || self.is("joints", before);
        let next = words.iter().find(|word| !self.is("joints", word));
        joint && next.is_some_and(|word| !word.quoted && self.is("beginnings", word))
    }

    /// Whether these words say no more than such a text can hold.
    fn fits(&self, kind: &str, words: &[Word]) -> bool {
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return false;
        };
        let stops = |ends: &[char]| {
            words[..words.len() - 1]
                .iter()
                .any(|word| word.end.is_some_and(|end| ends.contains(&end)))
        };
        let several = words.len() > 1;
        if !several && first.quoted {
            return true;
        }
        let open = self.is("polite", last) || several && self.is("prepositions", last);
        let part = kind != "text" && open || self.is("joints", first) || self.is("joints", last);
        let letters = words
            .iter()
            .any(|word| word.text.contains(char::is_alphabetic));
        let leading = match kind {
            "text" => self.is("conjunctions", first),
            "title" => {
                let open = ["prepositions", "persons"];
                several && open.iter().any(|list| self.is(list, first))
                    || stops(&['.', '!', '?', ';'])
            }
            _ => {
                self.is("pointers", first)
                    || words.iter().any(|word| self.is("elsewhere", word))
                    || stops(&[',', '.', '!', '?', ';', ':'])
            }
        };
        let pointing = words.iter().all(|word| self.is("pointers", word));
        letters && !(part || leading || pointing) && self.says_only_itself(kind, words)
    }

    /// No day, time, length or wish hides in it; others read it in a text.
    fn says_only_itself(&self, kind: &str, words: &[Word]) -> bool {
        let hides = |at: usize| {
            let (here, word) = (&words[at..], &words[at]);
            let digit = word.text.starts_with(|c: char| c.is_ascii_digit());
            let time = (digit || self.is("times", word))
                && !self.read("time", here).is_empty()
                && (kind != "title" || word.text.contains([':', 'm']) || !digit);
            let day =
                || !self.read("day", here).is_empty() || !self.read("duration", here).is_empty();
            !word.quoted
                && (time
                    || words.len() > 1 && self.is("bounds", word)
                    || kind == "title" && words.len() > 1 && self.is("wishes", word)
                    || day())
        };
        kind == "text" || !(0..words.len()).any(hides)
    }

    fn is(&self, list: &str, word: &Word) -> bool {
        !word.quoted && self.phrasings.is(list, &word.low)
    }

    /// Zones are many, and each message asks for the same places again and again.
    fn is_place(&self, text: &str) -> bool {
        if let Some(known) = self.places.borrow().get(text) {
            return *known;
        }
        let is = times::place(text);
        self.places.borrow_mut().insert(text.to_owned(), is);
        is
    }

    fn is_somebody(&self, name: &str) -> bool {
        let low = name.to_lowercase();
        let shaped = name.starts_with(['@', '<']) || name.contains('@');
        let proper = name.starts_with(char::is_uppercase) && name.len() > 2;
        let letters = name.chars().all(|c| c.is_alphabetic() || "-'.".contains(c));
        let taken = self.phrasings.is("pointers", &low) || times::day(&low, self.today).is_some();
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
    let lengths = (1..=words.len().min(most)).rev();
    lengths
        .into_iter()
        .find_map(|len| Some((len, read(&lower(&words[..len]))?)))
}
