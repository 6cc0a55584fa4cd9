//! A plan for a day, with what the person wants of it in their words.

use super::{Call, Reading};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at};

pub(super) const TOOL: &str = "workflow_schedule";

const VERBS: [&[&str]; 21] = [
    &["give", "me"],
    &["plan", "out"],
    &["plan"],
    &["replan"],
    &["re-plan"],
    &["organise"],
    &["organize"],
    &["reorganise"],
    &["reorganize"],
    &["sort", "out"],
    &["structure"],
    &["arrange"],
    &["map", "out"],
    &["lay", "out"],
    &["draft"],
    &["put", "together"],
    &["propose"],
    &["suggest"],
    &["make"],
    &["build"],
    &["create"],
];

/// `workflow_schedule`: a verb of planning and a whole day.
pub(super) fn day(words: &[Word], now: &Now) -> Reading {
    let start = leading(words)?;
    let verb = VERBS
        .iter()
        .filter(|verb| at(words, start, verb))
        .max_by_key(|verb| verb.len())?;
    let (end, date) = object(words, start + verb.len(), verb, now)?;
    let mut call = Call::new(TOOL);
    if let Some(date) = date {
        call = call.with("date", date);
    }
    let wishes = wishes(&words[end - 1..])?;
    if !wishes.is_empty() {
        call = call.wanting_unmet(wishes);
    }
    Some(Ok(vec![call]))
}

/// Whether these words wish something of the plan before them rather than ask for something else.
pub(super) fn is_wish(words: &[Word]) -> bool {
    const BEGINNINGS: [&str; 34] = [
        "no",
        "not",
        "nothing",
        "keep",
        "leave",
        "with",
        "without",
        "but",
        "i",
        "id",
        "im",
        "ill",
        "ive",
        "only",
        "start",
        "end",
        "finish",
        "lunch",
        "deep",
        "focus",
        "avoid",
        "dont",
        "make",
        "max",
        "at",
        "have",
        "my",
        "all",
        "meetings",
        "breaks",
        "work",
        "mornings",
        "afternoons",
        "theres",
    ];
    let request = at(words, 0, &["make", "me"]) || at(words, 0, &["i", "need", "to"]);
    words
        .first()
        .is_some_and(|word| BEGINNINGS.contains(&word.low.as_str()))
        && !request
}

/// Words before the verb: "help me".
fn leading(words: &[Word]) -> Option<usize> {
    [&["help", "me", "to"][..], &["help", "me"], &[]]
        .iter()
        .find(|opening| at(words, 0, opening))
        .map(|opening| opening.len())
}

/// The day that is to be planned: where its words end, and its date unless it is just "my day".
fn object(
    words: &[Word],
    start: usize,
    verb: &[&str],
    now: &Now,
) -> Option<(usize, Option<String>)> {
    let mut place = start;
    let mut plan = false;
    while let Some(word) = words.get(place) {
        match word.low.as_str() {
            "me" | "a" | "an" | "the" | "my" | "new" | "good" | "whole" | "rest" | "of" | "for"
            | "on" | "us" => place += 1,
            "plan" | "schedule" | "agenda" if place > start => {
                plan = true;
                place += 1;
            }
            _ => break,
        }
    }
    let makes = matches!(
        verb,
        [
            "make" | "build" | "create" | "draft" | "propose" | "suggest" | "put",
            ..
        ]
    );
    if makes && !plan {
        return None;
    }
    if words.get(place).is_some_and(|word| word.low == "day") {
        place += 1;
        // "my day on 24 Nov"
        let joint = words.get(place).map(|word| word.low.as_str());
        let joint = usize::from(matches!(joint, Some("on" | "for")));
        return Some(match dates::day(words, place + joint, now) {
            Some((date, len)) => (place + joint + len, Some(date)),
            None => (place, None),
        });
    }
    // "today's meeting" is no day.
    if words
        .get(place)
        .is_some_and(|word| word.text.ends_with("'s"))
    {
        return None;
    }
    match dates::day(words, place, now) {
        Some((date, len)) => Some((place + len, Some(date))),
        None if plan => Some((place, None)),
        None => None,
    }
}

/// What only joins the wishes to the day.
const JOINTS: [&[&str]; 12] = [
    &["for", "me"],
    &["would", "you"],
    &["could", "you"],
    &["can", "you"],
    &["please"],
    &["thanks"],
    &["and"],
    &["but"],
    &["with"],
    &["then"],
    &["also"],
    &["-"],
];

/// The wishes behind the day; nothing when what stands there makes it something else than a plan: "plan Friday dinner".
fn wishes(words: &[Word]) -> Option<String> {
    let (day, mut rest) = words.split_first()?;
    let apart = day.end.is_some();
    let joint = |words: &[Word]| JOINTS.into_iter().find(|joint| at(words, 0, joint));
    if !(rest.is_empty() || apart || joint(rest).is_some() || is_wish(rest)) {
        return None;
    }
    while let Some(joint) = joint(rest) {
        rest = &rest[joint.len()..];
    }
    for end in [
        &["please"][..],
        &["thanks"],
        &["would", "you"],
        &["for", "me"],
    ] {
        if rest.len() >= end.len() && at(rest, rest.len() - end.len(), end) {
            rest = &rest[..rest.len() - end.len()];
        }
    }
    let text = super::punctuated(rest);
    Some(
        text.trim_end_matches(['.', '!', ',', ';', '?', ':'])
            .to_owned(),
    )
}
