//! New blocks of the day.

use super::block_kind::{default_title, kind};
use super::slot::{DAY, Slot, take_day, take_length, take_slot};
use super::{Call, Reading, Refusal, recurrence, take};
use crate::model::demo::clock::Clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::help;
use crate::model::demo::lex::{Word, at, has};

/// "Tuesday 3-4pm: 1:1 with Kim", "lunch with Bo on Thursday at 12:30".
fn is_note(words: &[Word], now: &Now) -> bool {
    let mut taken = vec![false; words.len()];
    let dated = take_day(words, &mut taken, now).is_some();
    let timed = take_slot(words, &mut taken).is_some();
    let title = title(words, &taken);
    let plain = !title.is_empty() && kind(&title, &[]) != "work" && words.len() <= 12;
    let other = [
        "what",
        "whats",
        "when",
        "is",
        "are",
        "was",
        "do",
        "did",
        "who",
        "how",
        "move",
        "cancel",
        "delete",
        "send",
        "call",
        "convert",
        "if",
        "reschedule",
        "remove",
        "change",
        "mark",
        "tell",
        "write",
    ];
    dated && timed && plain && !words.iter().any(|word| other.contains(&word.low.as_str()))
}

const VERBS: [&[&str]; 20] = [
    &["block", "off"],
    &["block", "out"],
    &["block"],
    &["book"],
    &["schedule"],
    &["reserve"],
    &["set", "up"],
    &["set", "aside"],
    &["add"],
    &["put"],
    &["create"],
    &["make"],
    &["plan"],
    &["pencil", "in"],
    &["pencil"],
    &["arrange"],
    &["new"],
    &["i", "need"],
    &["i", "have"],
    &["keep"],
];

/// `schedule_createTimeBlock`: a verb of planning and a clock time.
pub(super) fn create(words: &[Word], now: &Now) -> Reading {
    let verb = VERBS
        .iter()
        .filter(|verb| at(words, 0, verb))
        .max_by_key(|verb| verb.len());
    // Without a verb only a day, a time and a title that names its kind are plain enough.
    let verb = match verb {
        Some(verb) => *verb,
        None if is_note(words, now) => &[],
        None => return None,
    };
    // Things this can't arrange.
    if has(
        words,
        &[
            "flight", "hotel", "taxi", "table", "ticket", "task", "timezone", "post", "tweet",
            "linkedin", "blog", "what", "whats", "when", "make me", "get me",
        ],
    ) || at(words, 0, &["i", "need", "to"])
        || at(words, 0, &["i", "have", "to"])
    {
        return None;
    }
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, verb.len());
    let day = take_day(words, &mut taken, now);
    let length = take_length(words, &mut taken);
    let slot = take_slot(words, &mut taken)?;
    if recurrence::of_block(words, day.is_some()) {
        return Some(Err(Refusal(help::no_repetition("blocks"))));
    }
    let title = title(words, &taken);
    let kind = kind(&title, verb);
    let (start, end) = match span(&slot, length, kind, &title) {
        Ok(span) => span,
        Err(refusal) => return Some(Err(refusal)),
    };
    let title = if title.is_empty() {
        default_title(kind)
    } else {
        title
    };
    let today = || {
        now.date
            .map_or_else(|| "today".into(), |day| day.to_string())
    };
    let call = Call::new("schedule_createTimeBlock")
        .with("date", day.unwrap_or_else(today))
        .with("type", kind)
        .with("title", dates::capitalised(&title))
        .with("startTime", start)
        .with("endTime", end);
    Some(Ok(vec![call]))
}

/// Start and end as the tool takes them. A block ends on the day it starts.
fn span(
    slot: &Slot,
    length: Option<i64>,
    kind: &str,
    title: &str,
) -> Result<(String, String), Refusal> {
    let usual = match kind {
        _ if title.to_lowercase().contains("lunch") => 60,
        "break" => 15,
        "meeting" | "email" => 30,
        _ => 60,
    };
    let minutes = length
        .and_then(|minutes| i32::try_from(minutes).ok())
        .unwrap_or(usual);
    let start = slot.start;
    let end = slot
        .end
        .unwrap_or_else(|| Clock::sure(start.minutes.saturating_add(minutes)));
    let wrong = start.wrong.is_some() || end.wrong.is_some();
    if !wrong && (end.minutes <= start.minutes || end.minutes > DAY) {
        let there = Clock::sure(end.minutes.rem_euclid(DAY)).text();
        return Err(Refusal(help::past_midnight(&start.text(), &there)));
    }
    Ok((start.text(), end.text()))
}

/// What is left when verb, day, time and length are gone; a quoted or a called title wins.
fn title(words: &[Word], taken: &[bool]) -> String {
    let quoted: Vec<&str> = words
        .iter()
        .filter(|word| word.quoted)
        .map(|word| word.text.as_str())
        .collect();
    if !quoted.is_empty() {
        return quoted.join(" ");
    }
    let called = words
        .iter()
        .position(|word| matches!(word.low.as_str(), "called" | "titled" | "named"));
    let taken = |place: usize| taken[place] || called.is_some_and(|called| place <= called);
    let mut left: Vec<&Word> = words
        .iter()
        .enumerate()
        .filter(|(place, _)| !taken(*place))
        .map(|(_, word)| word)
        .collect();
    for phrase in [
        &["on", "my", "calendar"][..],
        &["in", "my", "calendar"],
        &["to", "my", "calendar"],
        &["on", "the", "calendar"],
        &["to", "my", "schedule"],
        &["in", "my", "schedule"],
        &["on", "my", "schedule"],
        &["my", "calendar"],
        &["my", "schedule"],
        &["a", "time", "block"],
        &["time", "block"],
        &["a", "block"],
        &["a", "slot"],
    ] {
        if let Some(place) = left
            .windows(phrase.len())
            .position(|span| span.iter().zip(phrase).all(|(word, low)| word.low == *low))
        {
            left.drain(place..place + phrase.len());
        }
    }
    let edges = [
        "a",
        "an",
        "for",
        "called",
        "titled",
        "named",
        "to",
        "on",
        "at",
        "in",
        "off",
        "out",
        "morning",
        "afternoon",
        "evening",
        "me",
        "please",
        "and",
        "some",
        "my",
        "of",
        "-",
        "from",
        "block",
        "blok",
    ];
    while left
        .first()
        .is_some_and(|word| edges.contains(&word.low.as_str()))
    {
        left.remove(0);
    }
    while left
        .last()
        .is_some_and(|word| edges.contains(&word.low.as_str()) || word.low == "the")
    {
        left.pop();
    }
    let texts: Vec<&str> = left.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}
