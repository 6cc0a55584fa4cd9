//! New tasks.

use super::task_fields::{take_clock, take_due, take_estimate, take_priority};
use super::{Call, Reading, Refusal, recurrence, take};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::help;
use crate::model::demo::length;
use crate::model::demo::lex::{Word, at};

/// How a new task is announced; the task follows.
const OPENINGS: [&[&str]; 26] = [
    &["got", "to"],
    &["gotta"],
    &["ping", "me", "about"],
    &["nudge", "me", "about"],
    &["remind", "me", "to"],
    &["remind", "me", "about"],
    &["remind", "me"],
    &["reminder", "to"],
    &["i", "need", "to"],
    &["i", "have", "to"],
    &["i", "must"],
    &["i", "should"],
    &["ive", "got", "to"],
    &["i", "gotta"],
    &["dont", "let", "me", "forget", "to"],
    &["dont", "forget", "to"],
    &["dont", "let", "me", "forget"],
    &["remember", "to"],
    &["note", "to", "self"],
    &["make", "sure", "i"],
    &["todo"],
    &["to-do"],
    &["task"],
    &["new", "task"],
    &["new", "todo"],
    &["new", "to-do"],
];

/// Where a task goes: "add X to my tasks".
const LISTS: [&[&str]; 14] = [
    &["to", "my", "tasks"],
    &["to", "my", "to-do", "list"],
    &["to", "my", "todo", "list"],
    &["to", "my", "todos"],
    &["to", "my", "task", "list"],
    &["to", "my", "backlog"],
    &["to", "my", "list"],
    &["on", "my", "to-do", "list"],
    &["on", "my", "todo", "list"],
    &["on", "my", "task", "list"],
    &["on", "my", "list"],
    &["to", "the", "backlog"],
    &["in", "my", "backlog"],
    &["as", "a", "task"],
];

/// `task_createTask`.
pub(super) fn create(words: &[Word], now: &Now) -> Reading {
    let mut taken = vec![false; words.len()];
    let mut call = Call::new("task_createTask");
    if let Some(level) = opening(words, &mut taken)? {
        call = call.with("priority", level);
    } else if let Some(level) = take_priority(words, &mut taken) {
        call = call.with("priority", level);
    }
    if recurrence::of_task(words) {
        return Some(Err(Refusal(help::no_repetition("tasks"))));
    }
    let due = take_due(words, &mut taken, now);
    let minutes = take_estimate(words, &mut taken);
    let clock = match take_clock(words, &mut taken) {
        Ok(clock) => clock,
        Err(refusal) => return Some(Err(refusal)),
    };
    let title = title(words, &taken);
    if title.is_empty() {
        return None;
    }
    call = call.with("title", dates::capitalised(&title));
    if let Some(due) = due {
        call = call.with("dueDate", due);
    }
    if let Some(minutes) = minutes {
        call = call.with("estimatedMinutes", minutes);
    }
    if let Some(clock) = clock {
        call = call.with("description", format!("At {clock}"));
    }
    Some(Ok(vec![call]))
}

/// Marks the words that announce the task, and says how much it matters if
/// they do; nothing if there are none.
fn opening(words: &[Word], taken: &mut [bool]) -> Option<Option<&'static str>> {
    let opening = OPENINGS
        .iter()
        .filter(|opening| at(words, 0, opening))
        .max_by_key(|opening| opening.len());
    if let Some(opening) = opening {
        take(taken, 0, opening.len());
        return Some(None);
    }
    let verb = words.first().is_some_and(|word| {
        [
            "add", "create", "make", "put", "log", "new", "file", "note", "save", "open",
        ]
        .contains(&word.low.as_str())
    });
    if verb {
        for list in LISTS {
            if let Some(place) = (1..words.len()).find(|&place| at(words, place, list)) {
                take(taken, 0, 1);
                take(taken, place, list.len());
                return Some(None);
            }
        }
    }
    described(words, usize::from(verb), taken)
}

/// "add a high priority task to …", "urgent 2 hour task: …": the noun comes
/// soon, and what stands before it describes the task.
fn described(words: &[Word], start: usize, taken: &mut [bool]) -> Option<Option<&'static str>> {
    let nouns = ["task", "todo", "to-do", "reminder"];
    let noun = words
        .iter()
        .take(if start == 0 { 8 } else { 6 })
        .position(|word| nouns.contains(&word.low.as_str()))?;
    let mut level = None;
    let mut described = vec![false; noun];
    for place in start..noun {
        if let Some((_, len)) = length::length(words, place) {
            // A length is read with the rest.
            take(&mut described, place, len);
            continue;
        }
        let found = match words[place].low.as_str() {
            "urgent" | "important" | "critical" | "high" | "top" => Some("high"),
            "medium" | "normal" => Some("medium"),
            "low" => Some("low"),
            _ => None,
        };
        level = level.or(found);
        let plain = [
            "a", "an", "new", "another", "me", "the", "quick", "short", "small", "priority",
            "prio", "long", "and", "very",
        ];
        if found.is_some() || plain.contains(&words[place].low.as_str()) {
            described[place] = true;
            taken[place] = true;
        }
    }
    // Without a verb nothing else may stand there: "finish the task list" is no order.
    if start == 0 && (noun == 0 || described.contains(&false)) {
        return None;
    }
    take(taken, 0, start);
    take(taken, noun, 1);
    Some(level)
}

fn title(words: &[Word], taken: &[bool]) -> String {
    let quoted: Vec<&str> = words
        .iter()
        .filter(|word| word.quoted)
        .map(|word| word.text.as_str())
        .collect();
    if !quoted.is_empty() {
        return quoted.join(" ");
    }
    let mut left: Vec<(usize, &Word)> = words
        .iter()
        .enumerate()
        .filter(|(place, _)| !taken[*place])
        .collect();
    let edges = [
        "to", "for", "me", "called", "titled", "named", "about", "that", "with", "and", "a", "-",
        ",", "by", "on", "is", "its", "i", "should", "as",
    ];
    while left
        .first()
        .is_some_and(|(_, word)| edges.contains(&word.low.as_str()))
    {
        left.remove(0);
    }
    while left
        .last()
        .is_some_and(|(_, word)| edges.contains(&word.low.as_str()))
    {
        left.pop();
    }
    let mut title = String::new();
    for (place, word) in left {
        if !title.is_empty() {
            let comma = place > 0 && words[place - 1].end == Some(',') && !taken[place - 1];
            title.push_str(if comma { ", " } else { " " });
        }
        title.push_str(&word.text);
    }
    title
}
