//! What a message asks for. Every word of it is part of a request, or nothing is done.

use jiff::civil::Date;

use crate::matching::{Matcher, Reading};
use crate::pattern::Phrasings;
use crate::words::{self, Word, written};

/// Words of a message; who writes more has something else in mind.
const LONGEST: usize = 100;
/// Requests in one message.
const MOST: usize = 4;
/// Spellings that are tried.
const SPELLINGS: usize = 6;

/// A message as its requests, or why it is none.
#[derive(Debug, PartialEq)]
pub(crate) enum Understood {
    /// Each with the ways to read it, the best first.
    Requests(Vec<Vec<Reading>>),
    /// Its words are those of this request but for letters.
    Misspelt(String),
    /// These words are part of nothing.
    Unclear(String),
}

/// Reads a message on this day.
pub(crate) fn understand(message: &str, phrasings: &Phrasings, today: Date) -> Understood {
    let words = words::words(message);
    let matcher = Matcher::new(phrasings, today);
    if words.is_empty() || words.len() > LONGEST {
        return Understood::Unclear(written(&words[..words.len().min(LONGEST)]));
    }
    if let Some(requests) = requests(&words, &matcher, MOST) {
        return Understood::Requests(requests);
    }
    let spelt = spellings(&words, phrasings).into_iter();
    let mut requested = spelt.filter(|words| requests(words, &matcher, MOST).is_some());
    match requested.next() {
        Some(words) => Understood::Misspelt(written(&words)),
        None => Understood::Unclear(unclear(&words, &matcher)),
    }
}

/// All of the words as one request, or as several with joints between them.
fn requests(words: &[Word], matcher: &Matcher<'_>, most: usize) -> Option<Vec<Vec<Reading>>> {
    let whole = matcher.find(words).readings;
    if !whole.is_empty() {
        return Some(vec![whole]);
    }
    let is_joint = |at: &usize| {
        let next = words[*at].low.as_str();
        words[at - 1].end.is_some() || matches!(next, "and" | "then" | "also" | "but")
    };
    let ends = (1..words.len()).filter(|_| most > 1).filter(is_joint);
    ends.into_iter().find_map(|at| {
        let first = matcher.find(&words[..at]).readings;
        let rest = requests(&words[at..], matcher, most - 1).filter(|_| !first.is_empty())?;
        Some([vec![first], rest].concat())
    })
}

/// The words behind the longest request, or behind what some request got to.
fn unclear(words: &[Word], matcher: &Matcher<'_>) -> String {
    let found = matcher.find(words);
    let from = [found.whole, found.reached]
        .into_iter()
        .find(|from| *from > 1);
    let rest = &words[from.unwrap_or_default()..];
    written(if rest.is_empty() { words } else { rest })
}

/// The message with words of ours for those that only look like them: all of them, since
/// who misspells one may misspell more, then with other words for each.
fn spellings(words: &[Word], phrasings: &Phrasings) -> Vec<Vec<Word>> {
    let mut spelt = vec![words.to_vec()];
    for (at, word) in words.iter().enumerate() {
        let near = near(word, phrasings);
        let pairs = near
            .iter()
            .flat_map(|near| spelt.iter().map(move |one| (near, one)));
        let more = pairs.take(SPELLINGS).map(|(near, one)| {
            let mut one = one.clone();
            (one[at].low, one[at].text) = ((*near).to_owned(), (*near).to_owned());
            one
        });
        let more: Vec<Vec<Word>> = more.collect();
        if !more.is_empty() {
            spelt = more;
        }
    }
    spelt.retain(|one| one != words);
    spelt
}

/// The words of ours that this may be misspelt for.
fn near<'a>(word: &Word, phrasings: &'a Phrasings) -> Vec<&'a str> {
    let most = match word.low.chars().count() {
        0..=3 => return Vec::new(),
        4..=6 => 1,
        _ => 2,
    };
    let known = &phrasings.vocabulary;
    if word.quoted || known.contains(&word.low) {
        return Vec::new();
    }
    let distance = |known: &str| strsim::damerau_levenshtein(known, &word.low);
    known
        .iter()
        .map(String::as_str)
        .filter(|known| distance(known) <= most)
        .collect()
}
