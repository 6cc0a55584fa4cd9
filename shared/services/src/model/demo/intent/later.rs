//! Times and dates ahead and back.

use super::time::FILLER;
use super::{Call, Reading, only_filler, take};
use crate::model::demo::clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::length;
use crate::model::demo::lex::{Word, has};
use crate::model::demo::places;

/// `time_add`: a length of time before or after a moment.
pub(super) fn add(words: &[Word], now: &Now) -> Reading {
    let mut taken = vec![false; words.len()];
    let (start, length, len) = (0..words.len())
        .find_map(|place| length::length(words, place).map(|(length, len)| (place, length, len)))?;
    take(&mut taken, start, len);
    let end = start + len;
    let sign = sign(words, start, end)?;
    let mut call = Call::new("time_add");
    let mut place = 0;
    let (mut day, mut clock) = (None, None);
    while place < words.len() {
        if taken[place] {
            place += 1;
            continue;
        }
        let bare = place > 0
            && matches!(
                words[place - 1].low.as_str(),
                "at" | "to" | "from" | "after" | "before"
            );
        let len =
            if let Some((found, len)) = dates::day(words, place, now).filter(|_| day.is_none()) {
                day = Some((words[place].low.clone(), found));
                len
            } else if let Some((found, len)) =
                clock::clock(words, place, bare).filter(|_| clock.is_none())
            {
                clock = Some(found);
                len
            } else if let Some(found) = places::at(words, place) {
                let len = found.len;
                call = call.at_place("timezone", found);
                len
            } else {
                1
            };
        if len > 1 || day.is_some() || clock.is_some() || places::at(words, place).is_some() {
            let is_new = dates::day(words, place, now).is_some()
                || clock::clock(words, place, bare).is_some()
                || places::at(words, place).is_some();
            if is_new {
                take(&mut taken, place, len);
            }
        }
        place += len;
    }
    let mut filler = FILLER.to_vec();
    filler.extend([
        "add",
        "plus",
        "minus",
        "subtract",
        "take",
        "from",
        "after",
        "before",
        "past",
        "since",
        "ago",
        "later",
        "hence",
        "now",
        "+",
        "-",
        "prior",
        "until",
        "away",
        "off",
        "calculate",
        "compute",
        "earlier",
        "ahead",
    ]);
    if !only_filler(words, &taken, &filler) {
        return None;
    }
    let moment = match (day, clock) {
        // From today is from now.
        (Some((word, _)), None) if word.starts_with("today") => None,
        (Some((_, day)), Some(clock)) => Some(format!("{day} {}", clock.text())),
        (Some((_, day)), None) => Some(day),
        (None, Some(clock)) => Some(clock.text()),
        (None, None) => None,
    };
    if let Some(moment) = moment {
        call = call.with("start", moment);
    }
    length.arguments(sign, &mut call.arguments);
    Some(Ok(vec![call]))
}

/// Forwards, backwards, or no such request.
fn sign(words: &[Word], start: usize, end: usize) -> Option<i64> {
    let low = |place: usize| words.get(place).map(|word| word.low.as_str());
    let before = start.checked_sub(1).and_then(low);
    match low(end) {
        Some("ago" | "before" | "earlier" | "prior") => return Some(-1),
        Some("after" | "past" | "since" | "later" | "hence" | "ahead") => return Some(1),
        Some("from") if has(words, &["subtract", "take", "deduct"]) => return Some(-1),
        Some("from") => return Some(1),
        _ => {}
    }
    match before {
        Some("minus" | "-" | "subtract") => Some(-1),
        Some("plus" | "+" | "add") => Some(1),
        Some("in")
            if has(
                words,
                &["time", "date", "day", "late", "hour", "when", "clock"],
            ) =>
        {
            Some(1)
        }
        _ => None,
    }
}
