//! Days of the calendar: their weekday, and the time until then.

use jiff::Unit;
use jiff::civil::Date;

use super::time::FILLER;
use super::{Call, Reading, Refusal, Wait, Wanted, only_filler, take};
use crate::model::demo::clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::help;
use crate::model::demo::holidays;
use crate::model::demo::lex::{Word, at, has};
use crate::model::demo::places;

/// "what day is 4 July", "when is Christmas", "is 2027-03-01 a Monday": `time_add` of nothing.
pub(super) fn weekday(words: &[Word], now: &Now) -> Reading {
    let asks = has(
        words,
        &[
            "what day",
            "which day",
            "what date",
            "which date",
            "what weekday",
            "which weekday",
            "day of the week",
            "when is",
            "whens",
            "whats the date",
            "what is the date",
            "weekday",
            "when was",
            "when does",
            "when will",
        ],
    ) || at(words, 0, &["is"]);
    if !asks {
        return None;
    }
    if let Some(name) = holidays::movable(words) {
        return Some(Err(Refusal(help::movable_holiday(&name))));
    }
    let mut taken = vec![false; words.len()];
    let (start, day, len) = (0..words.len())
        .filter(|&place| !matches!(words[place].low.as_str(), "today" | "todays"))
        .find_map(|place| dates::day(words, place, now).map(|(day, len)| (place, day, len)))?;
    take(&mut taken, start, len);
    // The day that is asked about: "is 1 March a Monday".
    for place in start + len..words.len() {
        taken[place] |= dates::weekday(&words[place].low).is_some();
    }
    if at(words, 0, &["is"]) && taken.iter().filter(|taken| **taken).count() == len {
        return None;
    }
    let mut filler = FILLER.to_vec();
    filler.extend(["fall", "falls", "weekday", "year", "years", "come", "comes"]);
    if !only_filler(words, &taken, &filler) {
        return None;
    }
    let name = now
        .date
        .and_then(|today| holidays::fixed(words, start, today))
        .map(|(_, name, _)| name);
    let call = Call::new("time_add").with("start", day).with("days", 0);
    Some(Ok(vec![call.wanting(Wanted::Weekday(name))]))
}

/// "how many hours until 6pm", "how long until Friday": `time_now`, from which the wait follows.
pub(super) fn wait(words: &[Word], now: &Now) -> Reading {
    const UNTIL: [&str; 5] = ["until", "till", "til", "to", "before"];
    let until = words
        .iter()
        .position(|word| UNTIL.contains(&word.low.as_str()))?;
    let (before, after) = words.split_at(until);
    let unit = before.iter().find_map(|word| unit(&word.low));
    let asks = has(before, &["how long", "how much", "time left", "countdown"])
        || unit.is_some() && (has(before, &["how many"]) || unit_first(before));
    if !asks {
        return None;
    }
    if let Some(name) = holidays::movable(after) {
        return Some(Err(Refusal(help::movable_holiday(&name))));
    }
    let mut taken = vec![false; words.len()];
    let (mut day, mut time, mut place) = (None, None, None);
    let mut start = until + 1;
    while start < words.len() {
        let bare = matches!(
            words[start - 1].low.as_str(),
            "until" | "till" | "til" | "to" | "at" | "before"
        );
        let len = if let Some((text, len)) = dates::day(words, start, now) {
            day = Some(text);
            len
        } else if let Some((clock, len)) = clock::clock(words, start, bare) {
            time = Some(clock);
            len
        } else if let Some(found) = places::at(words, start) {
            let len = found.len;
            place = Some(found);
            len
        } else {
            start += 1;
            continue;
        };
        take(&mut taken, start, len);
        start += len;
    }
    let mut filler = FILLER.to_vec();
    filler.extend([
        "until",
        "till",
        "til",
        "before",
        "long",
        "many",
        "much",
        "left",
        "remain",
        "remaining",
        "more",
        "go",
        "countdown",
        "days",
        "hours",
        "minutes",
        "weeks",
        "months",
        "am",
        "must",
        "wait",
        "take",
        "takes",
        "next",
    ]);
    if day.is_none() && time.is_none() || !only_filler(words, &taken, &filler) {
        return None;
    }
    if let Some(problem) = time.and_then(|time| time.problem()) {
        return Some(Err(Refusal(problem)));
    }
    let day = match day.map(|day| day.parse::<Date>().map_err(|_| day)) {
        None => None,
        Some(Ok(day)) => Some(day),
        Some(Err(written)) => return Some(Err(Refusal(help::no_such_day(&written)))),
    };
    let wait = Wait {
        day,
        clock: time.map(clock::Clock::by_day),
        unit,
    };
    let call = Call::new("time_now").wanting(Wanted::Wait(wait));
    Some(Ok(vec![match place {
        Some(place) => call.at_place("timezone", place),
        None => call,
    }]))
}

/// "days until Christmas".
fn unit_first(words: &[Word]) -> bool {
    words.len() <= 2 && words.first().is_some_and(|word| unit(&word.low).is_some())
}

fn unit(low: &str) -> Option<Unit> {
    Some(match low {
        "days" => Unit::Day,
        "hours" => Unit::Hour,
        "minutes" => Unit::Minute,
        "weeks" => Unit::Week,
        "months" => Unit::Month,
        _ => return None,
    })
}
