//! Preferences about time: working hours, lunch, lengths.

use super::Call;
use super::preferences::{TOOL, set};
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::length;
use crate::model::demo::lex::{Word, has};

/// Working hours and lunch.
pub(super) fn hours(words: &[Word], _: &Now) -> Option<Call> {
    let creates = has(
        words,
        &[
            "block", "book", "schedule", "add", "put", "reserve", "today", "tomorrow", "with",
        ],
    ) || words.iter().any(|word| dates::weekday(&word.low).is_some());
    if creates {
        return None;
    }
    if has(words, &["lunch"])
        && has(
            words,
            &[
                "my lunch",
                "i have lunch",
                "i eat lunch",
                "i take lunch",
                "lunch time",
                "lunch is",
                "set",
                "lunch should",
            ],
        )
    {
        return lunch(words);
    }
    let about_work = has(words, &["work", "working", "workday", "office"])
        && has(words, &["my", "i", "set", "work hours", "working hours"]);
    if !about_work {
        return None;
    }
    let clocks = clocks(words);
    let ends = has(
        words,
        &[
            "end", "ends", "finish", "stop", "until", "till", "leave", "finishes",
        ],
    );
    let starts = has(
        words,
        &["start", "starts", "begin", "begins", "from", "hours"],
    );
    match clocks.as_slice() {
        [start, written] => {
            let end = if written.minutes <= start.minutes && !written.sure {
                written.minutes + 720
            } else {
                written.minutes
            };
            let end = Clock {
                minutes: end,
                sure: true,
                wrong: written.wrong,
            };
            set("workStartTime", start.text()).map(|call| call.with("workEndTime", end.text()))
        }
        [one] if ends => {
            let late = if one.minutes < 720 && !one.sure {
                one.minutes + 720
            } else {
                one.minutes
            };
            let end = Clock {
                minutes: late,
                ..*one
            };
            set("workEndTime", end.text())
        }
        [one] if starts => set("workStartTime", one.text()),
        _ => None,
    }
}

fn lunch(words: &[Word]) -> Option<Call> {
    let mut call = Call::new(TOOL);
    if let Some(clock) = clocks(words).first() {
        call = call.with("lunchTime", clock.by_day().text());
    }
    if let Some(minutes) = minutes(words) {
        call = call.with("lunchDuration", minutes);
    }
    (!call.arguments.is_empty()).then_some(call)
}

/// Lengths of blocks, breaks and buffers.
pub(super) fn lengths(words: &[Word], _: &Now) -> Option<Call> {
    let minutes = minutes(words)?;
    // A clock time or a day makes it one block, not a habit.
    if !clocks(words).is_empty() || has(words, &["today", "tomorrow", "remind"]) {
        return None;
    }
    if has(
        words,
        &[
            "focus blocks",
            "focus block",
            "focus time blocks",
            "focus sessions",
            "deep work blocks",
        ],
    ) {
        set("focusBlockDuration", minutes)
    } else if has(
        words,
        &[
            "break every",
            "breaks every",
            "break after",
            "break frequency",
        ],
    ) {
        set("breakFrequency", minutes)
    } else if has(
        words,
        &[
            "email blocks",
            "e-mail blocks",
            "email batches",
            "e-mail batches",
            "email block",
            "email batch",
            "mail blocks",
        ],
    ) {
        set("emailBatchSize", minutes)
    } else if has(
        words,
        &[
            "between meetings",
            "meeting buffer",
            "around meetings",
            "before meetings",
            "buffer",
        ],
    ) {
        set("meetingBuffer", minutes)
    } else {
        None
    }
}

fn minutes(words: &[Word]) -> Option<i64> {
    (0..words.len())
        .find_map(|place| length::length(words, place))
        .and_then(|(length, _)| length.minutes())
        .filter(|minutes| *minutes > 0)
}

/// All clock times, lone hours after a preposition included.
fn clocks(words: &[Word]) -> Vec<Clock> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < words.len() {
        let before = place
            .checked_sub(1)
            .map_or("", |place| words[place].low.as_str());
        let bare = matches!(
            before,
            "at" | "from"
                | "to"
                | "until"
                | "till"
                | "-"
                | "by"
                | "and"
                | "are"
                | "work"
                | "is"
                | "starts"
                | "ends"
        ) || words.get(place + 1).is_some_and(|word| word.low == "-");
        let length = length::length(words, place);
        match clock::clock(words, place, bare).filter(|_| length.is_none()) {
            Some((clock, len)) => {
                found.push(clock);
                place += len;
            }
            None => place += length.map_or(1, |(_, len)| len),
        }
    }
    found
}
