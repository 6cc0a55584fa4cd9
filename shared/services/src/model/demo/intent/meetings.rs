//! Meetings with others.

use super::attendees::{self, is_person};
use super::block_changes::TIME_FILLER;
use super::gaps::part_of_day;
use super::{Call, Reading, Refusal, clause, only_filler, slot, take};
use crate::model::demo::clock::{self, Clock};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::help;
use crate::model::demo::length;
use crate::model::demo::lex::{Word, at, has};

/// What a meeting is called.
const NOUNS: [&str; 19] = [
    "meeting",
    "call",
    "sync",
    "1:1",
    "one-on-one",
    "catch-up",
    "catchup",
    "chat",
    "appointment",
    "interview",
    "standup",
    "stand-up",
    "review",
    "workshop",
    "session",
    "huddle",
    "event",
    "slot",
    "time",
];

const VERBS: [&[&str]; 20] = [
    &["find", "me"],
    &["find"],
    &["book", "me"],
    &["book"],
    &["set", "up"],
    &["schedule"],
    &["arrange"],
    &["organise"],
    &["organize"],
    &["get", "me"],
    &["get"],
    &["plan"],
    &["put"],
    &["i", "need", "to", "meet"],
    &["i", "want", "to", "meet"],
    &["i", "need"],
    &["meet"],
    &["make"],
    &["invite"],
    &["add"],
];

/// `calendar_scheduleMeeting`: a verb of arranging, people, and a length or a word for a meeting.
pub(super) fn schedule(words: &[Word], now: &Now) -> Reading {
    let verb = VERBS
        .iter()
        .filter(|verb| at(words, 0, verb))
        .max_by_key(|verb| verb.len())?;
    if has(
        words,
        &[
            "block",
            "task",
            "lunch",
            "dinner",
            "mail",
            "email",
            "flight",
            "table",
            "tasks",
            "breakfast",
        ],
    ) {
        return None;
    }
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, verb.len());
    let meets = verb.last() == Some(&"meet") || verb[0] == "invite";
    let (people, mark) = attendees::take(words, &mut taken, meets.then_some(verb.len()), now)?;
    let about = topic(words, &mut taken);
    let day = slot::take_day(words, &mut taken, now);
    let range = slot::take_slot(words, &mut taken);
    let length = slot::take_length(words, &mut taken);
    let noun = words[..mark]
        .iter()
        .any(|word| NOUNS.contains(&word.low.as_str()));
    if !(meets || noun || length.is_some()) {
        return None;
    }
    let mut call = Call::new("calendar_scheduleMeeting").with("attendees", people);
    let ends = range
        .as_ref()
        .and_then(|range| Some((range.start, range.end?)));
    let from_range = ends.map(|(start, end)| i64::from(end.minutes - start.minutes));
    if let Some(minutes) = length.or(from_range.filter(|minutes| *minutes > 0)) {
        call = call.with("duration", minutes);
    }
    let times = starts(words, day, range.map(|range| range.start), now);
    if !times.is_empty() {
        call = call.with("preferredTimes", times);
    }
    if let Some(title) = about {
        call = call.with("title", dates::capitalised(&title));
    }
    Some(Ok(vec![call]))
}

/// The starts to try, the best first: the one that was said, or five spread over the day or part of it.
fn starts(words: &[Word], day: Option<String>, start: Option<Clock>, now: &Now) -> Vec<String> {
    const DAY: [&str; 5] = ["10:00", "11:00", "14:00", "15:00", "09:00"];
    let on = |day: &str, time: &str| format!("{day}T{time}");
    match (start, day) {
        (Some(start), day) => vec![on(&day.unwrap_or_else(|| super::today(now)), &start.text())],
        // The first free time of today is the tool's to find: some of it has passed.
        (None, Some(day)) if day == super::today(now) => Vec::new(),
        (None, Some(day)) => {
            let times = match part_of_day(words) {
                Some(("08:00", _)) => ["09:00", "09:30", "10:00", "10:30", "11:00"],
                Some(("12:00", _)) => ["13:00", "14:00", "15:00", "16:00", "16:30"],
                Some(_) => ["18:00", "18:30", "19:00", "19:30", "20:00"],
                None => DAY,
            };
            times.iter().map(|time| on(&day, time)).collect()
        }
        (None, None) => {
            let week = dates::week(words, now).unwrap_or_default();
            let ahead = |day: &String| now.date.is_some_and(|today| *day > today.to_string());
            let days = week.iter().filter(|day| ahead(day));
            days.map(|day| on(day, "10:00")).collect()
        }
    }
}

/// What it is about: "to talk about pricing".
fn topic(words: &[Word], taken: &mut [bool]) -> Option<String> {
    const MARKS: [&[&str]; 7] = [
        &["to", "talk", "about"],
        &["to", "talk", "through"],
        &["to", "discuss"],
        &["to", "go", "over"],
        &["about"],
        &["regarding"],
        &["re"],
    ];
    let (place, mark) = (0..words.len()).find_map(|place| {
        MARKS
            .iter()
            .find(|mark| at(words, place, mark))
            .map(|mark| (place, mark))
    })?;
    let start = place + mark.len();
    let stop = |word: &Word| {
        matches!(
            word.low.as_str(),
            "on" | "at" | "tomorrow" | "today" | "next" | "for"
        )
    };
    let len = words[start..].iter().take_while(|word| !stop(word)).count();
    take(taken, place, mark.len() + len);
    (len > 0).then(|| super::written(&words[start..start + len]))
}

/// `calendar_rescheduleMeeting`: a verb of moving, a meeting with somebody, and when.
pub(super) fn reschedule(words: &[Word], now: &Now) -> Reading {
    const MOVES: [&str; 11] = [
        "move",
        "reschedule",
        "push",
        "postpone",
        "shift",
        "bump",
        "change",
        "bring",
        "put",
        "delay",
        "switch",
    ];
    let to = words
        .iter()
        .rposition(|word| matches!(word.low.as_str(), "to" | "->" | "until" | "till"))?;
    let moves = words
        .first()
        .is_some_and(|word| MOVES.contains(&word.low.as_str()));
    let start = usize::from(moves);
    if !(moves || words[to].low == "->") || to <= start {
        return None;
    }
    let what = &words[start..to];
    let noun = what
        .iter()
        .position(|word| NOUNS.contains(&word.low.as_str()))?;
    let with = what
        .iter()
        .position(|word| matches!(word.low.as_str(), "with" | "w/"))?;
    if with < noun || has(what, &["block", "task"]) {
        return None;
    }
    let who: Vec<&str> = what[with + 1..]
        .iter()
        .take_while(|word| {
            is_person(word) || ["the", "and", "&"].contains(&word.low.as_str()) || !when(word)
        })
        .filter(|word| !["the", "and", "&", "my"].contains(&word.low.as_str()))
        .map(|word| word.text.as_str())
        .collect();
    if who.is_empty() {
        return None;
    }
    let behind = clause(&words[to + 1..]);
    let mut taken = vec![false; behind.len()];
    let day = slot::take_day(behind, &mut taken, now);
    let time = (0..behind.len())
        .filter(|&place| !taken[place] && length::length(behind, place).is_none())
        .find_map(|place| clock::clock(behind, place, true).map(|(time, len)| (place, time, len)));
    if let Some((place, _, len)) = time {
        take(&mut taken, place, len);
    }
    if !only_filler(behind, &taken, &TIME_FILLER) {
        return None;
    }
    let Some((_, time, _)) = time else {
        let day = day?;
        return Some(Err(Refusal(help::no_time(&day))));
    };
    let time = time.by_day().text();
    let call = Call::new("calendar_rescheduleMeeting").with("eventId", who.join(" "));
    Some(Ok(vec![call.with(
        "newTime",
        day.map_or(time.clone(), |day| format!("{day}T{time}")),
    )]))
}

fn when(word: &Word) -> bool {
    dates::weekday(&word.low).is_some()
        || matches!(
            word.low.as_str(),
            "today" | "tomorrow" | "on" | "at" | "from" | "this" | "next" | "back" | "forward"
        )
}
