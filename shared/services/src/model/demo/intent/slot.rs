//! Day, time and length of a block in a sentence.

use super::take;
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::length;
use crate::model::demo::lex::Word;

/// Minutes of a day.
pub(super) const DAY: i32 = 1_440;

/// The longest block that is guessed at, in minutes.
const LONGEST: i32 = 480;

/// A block's time as found in a sentence. An end that isn't later than the
/// start lies on the next day.
pub(super) struct Slot {
    pub(super) start: Clock,
    pub(super) end: Option<Clock>,
}

pub(super) fn take_day(words: &[Word], taken: &mut [bool], now: &Now) -> Option<String> {
    let (place, (day, len)) = (0..words.len())
        .filter(|&place| !taken[place])
        .find_map(|place| dates::day(words, place, now).map(|found| (place, found)))?;
    let before = usize::from(
        place > 0 && matches!(words[place - 1].low.as_str(), "on" | "by" | "due" | "for"),
    );
    take(taken, place - before, len + before);
    Some(day)
}

pub(super) fn take_length(words: &[Word], taken: &mut [bool]) -> Option<i64> {
    let (place, (length, len)) = (0..words.len())
        .filter(|&place| !taken[place])
        .find_map(|place| length::length(words, place).map(|found| (place, found)))?;
    let minutes = length.minutes()?;
    let before = usize::from(place > 0 && words[place - 1].low == "for");
    take(taken, place - before, len + before);
    Some(minutes)
}

/// "from 2pm to 3pm", "9 to 11", "between 9 and 10", "at 3pm", "8-10".
pub(super) fn take_slot(words: &[Word], taken: &mut [bool]) -> Option<Slot> {
    let free = |place: usize, taken: &[bool]| taken.get(place).is_some_and(|taken| !taken);
    for place in 0..words.len() {
        if !free(place, taken) {
            continue;
        }
        let Some((written, len)) = clock::clock(words, place, true) else {
            continue;
        };
        let joint = words.get(place + len).map(|word| word.low.as_str());
        let between = place > 0 && words[place - 1].low == "between";
        let joined = matches!(joint, Some("to" | "-" | "until" | "till" | "til" | "->"))
            || between && joint == Some("and");
        let end = clock::clock(words, place + len + 1, true).filter(|_| joined);
        let before = place
            .checked_sub(1)
            .map_or("", |place| words[place].low.as_str());
        let marked = matches!(before, "from" | "between" | "at" | "@" | "starting");
        if end.is_none() && !marked && clock::clock(words, place, false).is_none() {
            continue;
        }
        // "starting at 10"
        let starting = marked
            && place > 1
            && matches!(
                words[place - 2].low.as_str(),
                "starting" | "start" | "starts"
            );
        let before = usize::from(marked) + usize::from(starting);
        take(taken, place - before, len + before);
        let Some((end, end_len)) = end else {
            return Some(Slot {
                start: written.by_day(),
                end: None,
            });
        };
        take(taken, place + len, 1 + end_len);
        return Some(range(written, len == 1, end));
    }
    None
}

/// "4 to 5:30pm" is in the afternoon, "9 to 5pm" begins in the morning.
fn range(written: Clock, one_word: bool, end: Clock) -> Slot {
    let mut start = written.by_day();
    let end_was_sure = end.sure;
    let mut end = end.by_day();
    if written.wrong.is_some() || end.wrong.is_some() {
        return Slot {
            start,
            end: Some(end),
        };
    }
    if !written.sure
        && end_was_sure
        && written.minutes + 720 < end.minutes
        && one_word
        && end.minutes < 1200
    {
        let both_afternoon = written.minutes < 420;
        start.minutes = written.minutes + if both_afternoon { 720 } else { 0 };
    }
    if end.minutes == 0 {
        end.minutes = DAY;
    }
    // "10 to 9" is no day's work of eleven hours.
    let evening = end.minutes + 720;
    if !end_was_sure && end.minutes <= start.minutes && evening <= start.minutes + LONGEST {
        end.minutes = evening;
    }
    Slot {
        start,
        end: Some(end),
    }
}
