//! Time now, elsewhere, and later.

use super::{Call, only_filler, take};
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, find, has};
use crate::model::demo::places;

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

/// Words that make it somebody's plan rather than a question.
const PLANS: &[&str] = &[
    "block", "book", "schedule", "add", "put", "reserve", "create", "remind", "task", "todo",
    "call",
];

/// `time_now`, one call for each place. Everything that isn't a place must be filler.
pub(super) fn now(words: &[Word], _: &Now) -> Option<Vec<Call>> {
    if !has(
        words,
        &[
            "time", "times", "clock", "hour", "late", "early", "date", "day",
        ],
    ) {
        return None;
    }
    let mut taken = vec![false; words.len()];
    let mut zones = Vec::new();
    let mut place = 0;
    while place < words.len() {
        let qualifier =
            matches!(words[place].low.as_str(), "ca" | "usa" | "uk") && !zones.is_empty();
        match places::at(words, place) {
            // "San Francisco, CA": the state or country behind a city only says which.
            Some(found) if qualifier || follows_with_comma(words, &taken, place) => {
                take(&mut taken, place, found.len);
                place += found.len;
            }
            Some(found) => {
                take(&mut taken, place, found.len);
                place += found.len;
                zones.push(found.zone);
            }
            None => {
                taken[place] |= qualifier;
                place += 1;
            }
        }
    }
    if zones.is_empty()
        && let Some((start, name)) = unknown_place(words)
    {
        let len = words.len() - start;
        take(&mut taken, start, len);
        zones.push(name);
    }
    if !only_filler(words, &taken, FILLER) {
        return None;
    }
    if zones.is_empty() {
        return Some(vec![Call::new("time_now")]);
    }
    let call = |zone: String| Call::new("time_now").with("timezone", zone);
    Some(zones.into_iter().map(call).collect())
}

/// Whether the word before belongs to a place and ends with a comma, and no "and" follows.
fn follows_with_comma(words: &[Word], taken: &[bool], place: usize) -> bool {
    place > 0
        && taken[place - 1]
        && words[place - 1].end == Some(',')
        && !has(words, &["and", "&"])
        && place + 1 == words.len()
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

/// A zone in a sentence, and where it stands.
struct Zone {
    start: usize,
    name: String,
}

/// What a sentence about converting consists of.
struct Parts {
    clock: Clock,
    day: Option<String>,
    clock_at: usize,
    zones: Vec<Zone>,
    taken: Vec<bool>,
}

fn parts(words: &[Word], now: &Now) -> Option<Parts> {
    let mut taken = vec![false; words.len()];
    let (mut found, mut day, mut zones) = (None, None, Vec::new());
    let mut place = 0;
    while place < words.len() {
        let bare = place > 0 && matches!(words[place - 1].low.as_str(), "at" | "its" | "is");
        let own = [
            "here",
            "my time",
            "my timezone",
            "my time zone",
            "our time",
            "local time",
            "home",
        ]
        .iter()
        .map(|phrase| phrase.split(' ').collect::<Vec<_>>())
        .find(|phrase| at(words, place, phrase));
        let len = if let Some(zone) = places::at(words, place) {
            zones.push(Zone {
                start: place,
                name: zone.zone,
            });
            zone.len
        } else if let Some(own) = own {
            zones.push(Zone {
                start: place,
                name: now.zone.clone()?,
            });
            own.len()
        } else if let Some((clock, len)) =
            clock::clock(words, place, bare).filter(|_| found.is_none())
        {
            found = Some((clock, place));
            len
        } else if let Some((text, len)) = dates::day(words, place, now).filter(|_| day.is_none()) {
            day = Some(text);
            len
        } else if let Some(len) = unknown_zone(words, place) {
            let name = super::written(&words[place..place + len]);
            zones.push(Zone { start: place, name });
            len
        } else {
            place += 1;
            continue;
        };
        take(&mut taken, place, len);
        place += len;
    }
    let (clock, clock_at) = found?;
    Some(Parts {
        clock,
        day,
        clock_at,
        zones,
        taken,
    })
}

/// Words that are written as a name where a place is due: the tool says whether it is one.
fn unknown_zone(words: &[Word], start: usize) -> Option<usize> {
    let before = words.get(start.checked_sub(1)?)?;
    if !matches!(before.low.as_str(), "in" | "from" | "to" | "into" | "->") {
        return None;
    }
    let len = words[start..]
        .iter()
        .take_while(|word| {
            word.text.starts_with(char::is_uppercase) && !FILLER.contains(&word.low.as_str())
        })
        .count();
    (1..=3).contains(&len).then_some(len)
}

/// `time_convert`: one clock time with one or two places.
pub(super) fn convert(words: &[Word], now: &Now) -> Option<Vec<Call>> {
    if words
        .first()
        .is_some_and(|word| PLANS.contains(&word.low.as_str()))
    {
        return None;
    }
    let parts = parts(words, now)?;
    let (from, to) = direction(words, &parts, now)?;
    let mut filler = FILLER.to_vec();
    filler.extend([
        "convert",
        "translate",
        "if",
        "someone",
        "somebody",
        "people",
        "from",
        "-",
        "->",
        "equals",
        "equal",
        "same",
        "mean",
        "means",
        "make",
        "would",
        "and",
        "time",
    ]);
    // Two places and a time leave little doubt; with one the rest must say nothing else.
    if parts.zones.len() < 2 && !only_filler(words, &parts.taken, &filler) {
        return None;
    }
    let time = match &parts.day {
        Some(day) if day.len() == 10 => format!("{day} {}", parts.clock.text()),
        _ => parts.clock.text(),
    };
    let call = Call::new("time_convert");
    Some(vec![
        call.with("time", time).with("from", from).with("to", to),
    ])
}

/// Which zone the time is given in and which is wanted. The first place goes
/// with the time, unless it says "to", or stands before a time that has a place of its own.
fn direction(words: &[Word], parts: &Parts, now: &Now) -> Option<(String, String)> {
    let after = |zone: &Zone, any: &[&str]| {
        let before = zone
            .start
            .checked_sub(1)
            .map(|place| words[place].low.as_str());
        before.is_some_and(|low| any.contains(&low))
    };
    match parts.zones.as_slice() {
        [one] => {
            let own = now.zone.clone()?;
            let wanted = after(one, &["to", "into", "->"]) || one.start < parts.clock_at;
            Some(if wanted {
                (own, one.name.clone())
            } else {
                (one.name.clone(), own)
            })
        }
        [first, second] => {
            // "what time is it in Denver when it's noon in Paris"
            let turned = second.start > parts.clock_at && first.start < parts.clock_at;
            let (from, to) = if turned {
                (second, first)
            } else {
                (first, second)
            };
            Some((from.name.clone(), to.name.clone()))
        }
        _ => None,
    }
}

/// Whether clauses that could stand alone are one conversion: a time somewhere,
/// and a question about the time elsewhere.
pub(super) fn is_one_conversion(words: &[Word], now: &Now) -> bool {
    if words
        .first()
        .is_some_and(|word| PLANS.contains(&word.low.as_str()))
    {
        return false;
    }
    let clocks = (0..words.len())
        .filter(|&place| clock::clock(words, place, false).is_some())
        .count();
    let question = has(
        words,
        &[
            "what time",
            "whats that",
            "whats it",
            "what is that",
            "how late",
        ],
    );
    clocks <= 2
        && (question || has(words, &["if", "when"]))
        && parts(words, now).is_some_and(|parts| {
            let marked = has(
                words,
                &["if", "when", "whats that", "what is that", "when is that"],
            );
            parts.zones.len() == 2 && (marked || clocks > 0 && find(words, &["and"]).is_none())
        })
}
