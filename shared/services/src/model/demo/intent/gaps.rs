//! Free time of a day.

use serde_json::json;

use super::{Call, Reading, slot};
use crate::model::demo::clock;
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, has};

/// Minutes of a gap about whose length nothing is said.
const USUAL: i64 = 30;

/// `schedule_findGaps`.
pub(super) fn find(words: &[Word], now: &Now) -> Reading {
    let asks = has(
        words,
        &[
            "gap",
            "gaps",
            "free slot",
            "free slots",
            "free time",
            "free hour",
            "free hours",
            "free minutes",
            "spare time",
            "spare hour",
            "open slot",
            "open slots",
            "squeeze in",
            "squeeze",
            "when am i free",
            "when im free",
            "am i free",
            "availability",
            "when am i available",
            "room for",
            "time free",
            "free blocks",
            "breathing room",
            "when do i have time",
            "when do i have",
        ],
    ) || has(words, &["fit in", "fit"])
        && has(words, &["where can i", "when can i", "can i"]);
    let other = has(
        words,
        &[
            "task", "tasks", "add", "delete", "remove", "book", "with", "move", "plan", "keep",
            "block",
        ],
    );
    // Whether one is free at some time is for the schedule to show.
    let timed = (0..words.len()).any(|place| {
        let at = place > 0 && words[place - 1].low == "at";
        at && !has(&words[place..], &["least", "most"])
            && clock::clock(words, place, true).is_some()
    });
    if !asks || other || timed {
        return None;
    }
    let mut taken = vec![false; words.len()];
    let length = slot::take_length(words, &mut taken).or_else(|| counted(words));
    let day = slot::take_day(words, &mut taken, now);
    let call = Call::new("schedule_findGaps")
        .with("date", day.unwrap_or_else(|| super::today(now)))
        .with("minDuration", length.unwrap_or(USUAL));
    Some(Ok(vec![match part_of_day(words) {
        Some((start, end)) => call.with("between", json!({"start": start, "end": end})),
        None => call,
    }]))
}

/// "a free hour", "two free hours", "any spare minutes": an adjective stands between number and unit.
pub(super) fn counted(words: &[Word]) -> Option<i64> {
    let place = words
        .iter()
        .position(|word| matches!(word.low.as_str(), "free" | "spare" | "open"))?;
    let without: Vec<Word> = words
        .iter()
        .enumerate()
        .filter(|(n, _)| *n != place)
        .map(|(_, word)| word.clone())
        .collect();
    slot::take_length(&without, &mut vec![false; without.len()])
}

/// The hours of "tomorrow morning" and the like.
pub(super) fn part_of_day(words: &[Word]) -> Option<(&'static str, &'static str)> {
    let parts = [
        ("morning", ("08:00", "12:00")),
        ("afternoon", ("12:00", "18:00")),
        ("evening", ("18:00", "22:00")),
    ];
    let said = |part: &str| words.iter().any(|word| word.low == part);
    parts
        .into_iter()
        .find(|(part, _)| said(part))
        .map(|(_, hours)| hours)
}
