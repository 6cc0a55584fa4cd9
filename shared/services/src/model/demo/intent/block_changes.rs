//! Moving and deleting blocks.

use serde_json::Map;

use super::changes::{Change, NOUNS, punctual, subject};
use super::{Call, Reading, Wanted, clause, only_filler, slot, take};
use crate::model::demo::clock;
use crate::model::demo::dates::Now;
use crate::model::demo::lex::{Word, at, find, has};

const DELETES: [&[&str]; 8] = [
    &["delete"],
    &["remove"],
    &["cancel"],
    &["drop"],
    &["scrap"],
    &["get", "rid", "of"],
    &["take"],
    &["clear"],
];
const MOVES: [&str; 10] = [
    "move",
    "shift",
    "reschedule",
    "push",
    "bump",
    "bring",
    "postpone",
    "start",
    "delay",
    "put",
];

/// What may stand around a time.
pub(super) const TIME_FILLER: [&str; 14] = [
    "at", "in", "on", "the", "for", "please", "instead", "then", "oclock", "from", "now", "start",
    "of", "me",
];

/// "delete the deep work block tomorrow", "move the 10am block to 3pm".
pub(super) fn change(words: &[Word], now: &Now) -> Reading {
    let call = moved(words, now).or_else(|| deleted(words, now))?;
    Some(Ok(vec![call]))
}

fn deleted(words: &[Word], now: &Now) -> Option<Call> {
    let verb = DELETES.iter().find(|verb| at(words, 0, verb))?;
    // "take the yoga block off my calendar", "remove yoga from my schedule"
    let off = [
        &["off", "my", "schedule"][..],
        &["off", "my", "calendar"],
        &["off", "the", "schedule"],
        &["off", "the", "calendar"],
        &["from", "my", "schedule"],
        &["from", "my", "calendar"],
        &["out", "of", "my", "calendar"],
        &["out", "of", "my", "schedule"],
    ]
    .into_iter()
    .find_map(|off| find(words, off).map(|place| (place, off.len())));
    let takes = verb[0] == "take";
    let kinds = ["break", "lunch"];
    let noun = has(words, &NOUNS) || verb[0] == "get" && has(words, &kinds);
    if takes && off.is_none() || !noun && off.is_none() {
        return None;
    }
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, verb.len());
    if let Some((place, len)) = off {
        take(&mut taken, place, len);
    }
    meant("schedule_deleteTimeBlock", words, taken, Map::new(), now)
}

fn moved(words: &[Word], now: &Now) -> Option<Call> {
    let verb = words
        .first()
        .filter(|word| MOVES.contains(&word.low.as_str()))?;
    let is_block = has(words, &NOUNS);
    if has(
        words,
        &[
            "task", "todo", "deadline", "inbox", "mail", "archive", "list", "tasks",
        ],
    ) && !has(words, &["block"])
    {
        return None;
    }
    let mark = match verb.low.as_str() {
        "start" | "put" if !is_block => return None,
        "start" => "at",
        _ => "to",
    };
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, 1);
    // "instead of 9:30" says when it was.
    let instead = find(words, &["instead", "of"]).unwrap_or(words.len());
    take(&mut taken, instead, words.len() - instead);
    let to = words[..instead].iter().rposition(|word| {
        word.low == mark || word.low == "->" || mark == "to" && word.low == "until"
    })?;
    let mut more = Map::new();
    let target = clause(&words[to + 1..instead]);
    take(&mut taken, to + 1 + target.len(), words.len());
    let mut there = vec![false; target.len()];
    if mark == "to"
        && let Some(day) = slot::take_day(target, &mut there, now)
    {
        more.insert("newDate".into(), day.into());
    }
    let time = (0..target.len())
        .filter(|&place| !there[place])
        .find_map(|place| clock::clock(target, place, true).map(|(time, len)| (place, time, len)));
    match time {
        Some((place, time, len)) => {
            more.insert("newStartTime".into(), time.by_day().text().into());
            take(&mut there, place, len);
        }
        // "to tomorrow" keeps the time.
        None if more.is_empty() => return None,
        None => {}
    }
    // "Bring cake to the meeting at 3" moves nothing: behind "to" only a time may stand.
    if mark == "to" && !only_filler(target, &there, &TIME_FILLER) {
        return None;
    }
    for (n, word) in target.iter().enumerate() {
        taken[to + 1 + n] |= there[n] || TIME_FILLER.contains(&word.low.as_str());
    }
    take(&mut taken, to, 1);
    for (place, word) in words.iter().enumerate().take(to) {
        taken[place] |= matches!(word.low.as_str(), "back" | "forward" | "up" | "over");
    }
    meant("schedule_moveTimeBlock", words, taken, more, now)
}

/// The change of the block of these words: by the words of its title alone, or
/// looked up first when a day or a start says which it is.
fn meant(
    tool: &'static str,
    words: &[Word],
    mut taken: Vec<bool>,
    more: Map<String, serde_json::Value>,
    now: &Now,
) -> Option<Call> {
    let day = slot::take_day(words, &mut taken, now);
    let start = slot::take_slot(words, &mut taken).map(|slot| slot.start.text());
    let left: Vec<Word> = words
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| !**taken)
        .map(|(word, _)| word.clone())
        .collect();
    // A kind of block is part of its title; "block" is not.
    let title = subject(&left, &["block", "blok", "event", "slot", "time"]);
    let title = if start.is_some() && NOUNS.contains(&title.as_str()) {
        String::new()
    } else {
        title
    };
    let other = ["me", "us", "on"].contains(&title.split(' ').next().unwrap_or_default());
    if title.is_empty() && start.is_none() || punctual(&title) || other {
        return None;
    }
    if day.is_none()
        && start.is_none()
        && (tool != "schedule_moveTimeBlock" || more.contains_key("newStartTime"))
    {
        let mut call = Call::new(tool).with("blockId", title);
        call.arguments.extend(more);
        return Some(call);
    }
    let change = Change::of_block(tool, title, start, more);
    let day = day.unwrap_or_else(|| super::today(now));
    let look = Call::new("schedule_viewSchedule").with("date", day);
    Some(look.wanting(Wanted::Change(change)))
}
