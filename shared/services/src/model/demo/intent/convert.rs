//! A time here, and the same time there.

use super::time::FILLER;
use super::{Call, Reading, only_filler, take};
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, find, has};
use crate::model::demo::places::{self, Place};

/// Words that make it somebody's plan rather than a question.
const PLANS: &[&str] = &[
    "block", "book", "schedule", "add", "put", "reserve", "create", "remind", "task", "todo",
    "call",
];

/// A zone in a sentence, and where it stands.
#[derive(Clone)]
struct Zone {
    start: usize,
    place: Place,
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
        let len = if let Some(found) = places::at(words, place) {
            let len = found.len;
            zones.push(Zone {
                start: place,
                place: found,
            });
            len
        } else if let Some(own) = own {
            zones.push(Zone {
                start: place,
                place: own_place(now, own.len())?,
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
            let found = Place {
                zone: name.clone(),
                written: name,
                len,
            };
            zones.push(Zone {
                start: place,
                place: found,
            });
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

/// Where the person is.
fn own_place(now: &Now, len: usize) -> Option<Place> {
    let zone = now.zone.clone()?;
    Some(Place {
        written: zone.clone(),
        zone,
        len,
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

/// `time_convert`: one clock time with one or more places.
pub(super) fn convert(words: &[Word], now: &Now) -> Reading {
    if words
        .first()
        .is_some_and(|word| PLANS.contains(&word.low.as_str()))
    {
        return None;
    }
    let parts = parts(words, now)?;
    let (from, wanted) = direction(words, &parts, now)?;
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
    // Two places and a time leave little doubt; otherwise the rest must say nothing else.
    if parts.zones.len() != 2 && !only_filler(words, &parts.taken, &filler) {
        return None;
    }
    let time = match &parts.day {
        Some(day) if day.len() == 10 => format!("{day} {}", parts.clock.text()),
        _ => parts.clock.text(),
    };
    let call = |to: Place| {
        Call::new("time_convert")
            .with("time", time.clone())
            .at_place("from", from.clone())
            .at_place("to", to)
    };
    Some(Ok(wanted.into_iter().map(call).collect()))
}

/// Where the time is given and where it is wanted. The first place goes
/// with the time, unless it says "to", or stands before a time that has a place of its own.
fn direction(words: &[Word], parts: &Parts, now: &Now) -> Option<(Place, Vec<Place>)> {
    let after = |zone: &Zone, any: &[&str]| {
        let before = zone
            .start
            .checked_sub(1)
            .map(|place| words[place].low.as_str());
        before.is_some_and(|low| any.contains(&low))
    };
    match parts.zones.as_slice() {
        [one] => {
            let own = own_place(now, 0)?;
            let there = one.place.clone();
            let wanted = after(one, &["to", "into", "->"]) || one.start < parts.clock_at;
            Some(if wanted {
                (own, vec![there])
            } else {
                (there, vec![own])
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
            Some((from.place.clone(), vec![to.place.clone()]))
        }
        [first, rest @ ..] => {
            let wanted = rest.iter().map(|zone| zone.place.clone());
            Some((first.place.clone(), wanted.collect()))
        }
        [] => None,
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
