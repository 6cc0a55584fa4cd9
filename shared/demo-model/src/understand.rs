//! What a message asks for. Every word of it is part of a request or of a remark, or nothing is done.

use jiff::civil::Date;

use crate::matching::{Matcher, Reading};
use crate::pattern::Phrasings;
use crate::slot::Reader;
use crate::words::{self, Word, written};

/// Words of a message; who writes more has something else in mind.
const LONGEST: usize = 100;
/// Requests in one message.
const MOST: usize = 4;

/// A message as its requests, or why it is none.
#[derive(Debug, PartialEq)]
pub(crate) enum Understood {
    /// Requests and remarks, each with the ways to read it, the best first.
    Requests(Vec<Vec<Reading>>),
    /// Its words are those of this request but for letters.
    Misspelt(String),
    /// These words are part of nothing.
    Unclear(String),
}

/// Reads a message on this day.
pub(crate) fn understand(message: &str, phrasings: &Phrasings, today: Date) -> Understood {
    let words = words::words(message);
    if words.is_empty() || words.len() > LONGEST {
        return Understood::Unclear(written(&words[..words.len().min(LONGEST)]));
    }
    let mut matcher = Matcher::new(Reader::new(today, phrasings, &words));
    if let Some(requests) = requests(&mut matcher) {
        return Understood::Requests(requests);
    }
    let spelt: Vec<Word> = words.iter().map(|word| spelt(word, phrasings)).collect();
    // Rather one word is misspelt than all that aren't known.
    let one = (0..words.len())
        .filter(|at| spelt[*at] != words[*at])
        .map(|at| {
            let mut other = words.clone();
            other[at] = spelt[at].clone();
            other
        });
    let meant = one
        .chain([spelt.clone()])
        .filter(|other| *other != words)
        .find(|other| requests(&mut Matcher::new(Reader::new(today, phrasings, other))).is_some());
    match meant {
        Some(meant) => Understood::Misspelt(written(&meant)),
        None => Understood::Unclear(unclear(&words, &mut matcher)),
    }
}

/// All of the words as requests, perhaps with remarks beside them.
fn requests(matcher: &mut Matcher<'_>) -> Option<Vec<Vec<Reading>>> {
    let mut found = behind(0, matcher, MOST)?;
    found.reverse();
    let asks = found.iter().flatten().any(|reading| !reading.is_remark());
    asks.then_some(found)
}

/// The words from one on, the last request first.
fn behind(from: usize, matcher: &mut Matcher<'_>, most: usize) -> Option<Vec<Vec<Reading>>> {
    let all = matcher.words().len();
    if from == all {
        return Some(Vec::new());
    }
    if most == 0 || most < MOST && matcher.is_contrast(from) {
        return None;
    }
    let found = matcher.find(from);
    let (whole, parts): (Vec<_>, Vec<_>) = found.requests.iter().partition(|(end, _)| *end == all);
    whole.into_iter().chain(parts).find_map(|(end, readings)| {
        let mut rest = behind(*end, matcher, most - 1)?;
        rest.push(readings.clone());
        Some(rest)
    })
}

/// The words behind the longest request, or behind what some request got to.
fn unclear(words: &[Word], matcher: &mut Matcher<'_>) -> String {
    let found = matcher.find(0);
    let whole = found.requests.last().map(|(end, _)| *end);
    let mut from = whole.into_iter().chain([found.reached]);
    let rest = &words[from.find(|from| *from > 1).unwrap_or_default()..];
    written(if rest.is_empty() { words } else { rest })
}

/// The word of ours that this may be misspelt for, else the word itself.
fn spelt(word: &Word, phrasings: &Phrasings) -> Word {
    let known = &phrasings.vocabulary;
    let one = word.low.strip_suffix('s').unwrap_or(&word.low);
    let most = match word.low.chars().count() {
        0..=3 => 0,
        4..=6 => 1,
        _ => 2,
    };
    if most == 0 || word.quoted || known.contains(&word.low) || known.contains(one) {
        return word.clone();
    }
    let near = |known: &&String| strsim::damerau_levenshtein(known, &word.low);
    let near = known
        .iter()
        .filter(|known| near(known) <= most)
        .min_by_key(near);
    let spelt = near.unwrap_or(&word.text).clone();
    Word {
        low: near.unwrap_or(&word.low).clone(),
        text: spelt,
        ..word.clone()
    }
}
