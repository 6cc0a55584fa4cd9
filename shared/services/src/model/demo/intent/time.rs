//! The time now, here and elsewhere.

use super::{Call, Reading, Wanted, only_filler, take};
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, has};
use crate::model::demo::places::{self, Place};

/// Words of a question about the time that say nothing about which.
pub(super) const FILLER: &[&str] = &[
    "what",
    "whats",
    "which",
    "when",
    "whens",
    "is",
    "it",
    "its",
    "the",
    "a",
    "an",
    "be",
    "will",
    "would",
    "was",
    "were",
    "are",
    "do",
    "does",
    "did",
    "you",
    "know",
    "tell",
    "give",
    "show",
    "me",
    "us",
    "we",
    "they",
    "have",
    "got",
    "there",
    "their",
    "here",
    "my",
    "our",
    "in",
    "at",
    "on",
    "for",
    "of",
    "to",
    "into",
    "now",
    "right",
    "currently",
    "current",
    "local",
    "exact",
    "present",
    "moment",
    "this",
    "time",
    "times",
    "clock",
    "hour",
    "late",
    "early",
    "how",
    "much",
    "date",
    "dates",
    "day",
    "today",
    "todays",
    "week",
    "say",
    "says",
    "and",
    "between",
    "difference",
    "zone",
    "@",
    "please",
    "by",
    "s",
    "that",
    "thats",
    "check",
    "get",
    "i",
    "need",
    "would",
    "like",
    "over",
    "as",
    "&",
    "then",
    "find",
    "out",
    "can",
    "could",
    "rn",
    "over",
    "vs",
    "versus",
    "compared",
    "already",
    "still",
    "her",
    "him",
    "them",
    "someone",
    "colleague",
    "oclock",
];

/// `time_now`, one call for each place. Everything that isn't a place must be filler.
pub(super) fn now(words: &[Word], _: &Now) -> Reading {
    if let Some(call) = own_zone(words) {
        return Some(Ok(vec![call]));
    }
    if !has(
        words,
        &[
            "time", "times", "clock", "hour", "late", "early", "date", "day",
        ],
    ) {
        return None;
    }
    let mut taken = vec![false; words.len()];
    let mut found = Vec::new();
    let mut start = 0;
    while start < words.len() {
        match places::at(words, start) {
            Some(place) => {
                take(&mut taken, start, place.len);
                start += place.len;
                found.push(place);
            }
            None => start += 1,
        }
    }
    if found.is_empty()
        && let Some((start, name)) = unknown_place(words)
    {
        let len = words.len() - start;
        take(&mut taken, start, len);
        found.push(Place {
            zone: name.clone(),
            written: name,
            len,
        });
    }
    if !only_filler(words, &taken, FILLER) {
        return None;
    }
    if found.is_empty() {
        return Some(Ok(vec![Call::new("time_now")]));
    }
    let call = |place: Place| Call::new("time_now").at_place("timezone", place);
    Some(Ok(found.into_iter().map(call).collect()))
}

/// "what's my timezone", "which time zone am I in".
fn own_zone(words: &[Word]) -> Option<Call> {
    let zone = has(words, &["timezone", "time zone", "tz"]);
    let own = has(words, &["my", "i", "me", "im"]);
    let mut filler = FILLER.to_vec();
    filler.extend(["timezone", "tz", "am", "im", "using", "set", "have", "mine"]);
    let only = only_filler(words, &vec![false; words.len()], &filler);
    let asks = has(words, &["what", "whats", "which", "show", "tell"]);
    (zone && own && asks && only).then(|| Call::new("time_now").wanting(Wanted::Zone))
}

/// The end of "what time is it in Atlantis": the tool knows more names than this parser, and says so if not.
fn unknown_place(words: &[Word]) -> Option<(usize, String)> {
    let start = words
        .iter()
        .rposition(|word| matches!(word.low.as_str(), "in" | "at" | "for" | "@"))?
        + 1;
    let name = words
        .get(start..)
        .filter(|name| (1..=4).contains(&name.len()))?;
    if name.iter().all(|word| FILLER.contains(&word.low.as_str()))
        || !name[0].text.starts_with(char::is_uppercase)
    {
        return None;
    }
    Some((start, super::written(name)))
}
