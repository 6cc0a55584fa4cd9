//! Changes of tasks, by words of their titles.

use super::changes::{punctual, subject};
use super::{Call, Reading, slot};
use crate::model::demo::dates::{self, Now};
use crate::model::demo::length;
use crate::model::demo::lex::{Word, at, find, has};

const NOUNS: [&str; 4] = ["task", "todo", "to-do", "reminder"];
const DONE: [&str; 4] = ["done", "complete", "completed", "finished"];

/// Completing, deleting and updating.
pub(super) fn change(words: &[Word], now: &Now) -> Reading {
    let found = updated(words, now)
        .or_else(|| completed(words))
        .or_else(|| deleted(words))?;
    Some(Ok(vec![found]))
}

fn call(tool: &'static str, title: &[Word]) -> Option<Call> {
    let title = subject(title, &NOUNS);
    let vague = title.is_empty() || punctual(&title);
    (!vague).then(|| Call::new(tool).with("taskId", title))
}

/// "mark buy milk as done", "I've finished the slides", "tick off buy milk", "the tax return is done".
fn completed(words: &[Word]) -> Option<Call> {
    const TOOL: &str = "task_completeTask";
    const OPENINGS: [&[&str]; 20] = [
        &["complete", "the", "task"],
        &["complete", "task"],
        &["finish", "the", "task"],
        &["close", "the", "task"],
        &["close", "task"],
        &["tick", "off"],
        &["check", "off"],
        &["cross", "off"],
        &["im", "done", "with"],
        &["i", "am", "done", "with"],
        &["done", "with"],
        &["ive", "finished"],
        &["ive", "completed"],
        &["i", "have", "finished"],
        &["i", "have", "completed"],
        &["i", "finished"],
        &["i", "completed"],
        &["ive", "done"],
        &["finished", "with"],
        &["just", "finished"],
    ];
    let asks = words.first().is_some_and(|word| {
        [
            "is", "are", "what", "whats", "which", "when", "if", "who", "how", "did", "was",
        ]
        .contains(&word.low.as_str())
    }) || words.last().is_some_and(|word| word.end == Some('?'));
    if asks
        || has(
            words,
            &["what", "almost", "nearly", "not", "havent", "show", "list"],
        )
    {
        return None;
    }
    let last = words.len().checked_sub(1)?;
    let done = DONE.contains(&words[last].low.as_str());
    if at(words, 0, &["mark"]) || at(words, 0, &["set"]) {
        if !done {
            return None;
        }
        return call(
            TOOL,
            match &words[1..last] {
                [title @ .., joint] if ["as", "to"].contains(&joint.low.as_str()) => title,
                title => title,
            },
        );
    }
    // "tick the login bug off"
    let off = ["tick", "check", "cross"]
        .iter()
        .any(|verb| at(words, 0, &[verb]))
        && words[last].low == "off";
    if off && last > 1 {
        return call(TOOL, &words[1..last]);
    }
    let opening = OPENINGS
        .iter()
        .filter(|opening| at(words, 0, opening))
        .max_by_key(|opening| opening.len());
    if let Some(opening) = opening {
        return call(TOOL, &words[opening.len()..]);
    }
    if at(words, 0, &["complete"])
        && words[1..]
            .iter()
            .any(|word| NOUNS.contains(&word.low.as_str()))
    {
        return call(TOOL, &words[1..]);
    }
    // "the tax return is done"
    let named = words.len() <= 8 && matches!(words[0].low.as_str(), "the" | "my" | "task");
    let is = last
        .checked_sub(1)
        .filter(|&is| done && named && matches!(words[is].low.as_str(), "is" | "are"))?;
    call(TOOL, &words[..is])
}

/// "delete the task X", "remove the X task", "remove X from my tasks".
fn deleted(words: &[Word]) -> Option<Call> {
    const TOOL: &str = "task_deleteTask";
    let deletes = ["delete", "remove", "cancel", "drop", "scrap"]
        .iter()
        .any(|verb| at(words, 0, &[verb]));
    if !deletes {
        return None;
    }
    for list in [
        &["from", "my", "tasks"][..],
        &["from", "my", "list"],
        &["from", "my", "task", "list"],
        &["from", "my", "to-do", "list"],
        &["from", "my", "todo", "list"],
        &["from", "my", "backlog"],
    ] {
        let end = words.len().saturating_sub(list.len());
        if end > 1 && at(words, end, list) {
            return call(TOOL, &words[1..end]);
        }
    }
    let is_noun = |word: &Word| NOUNS.contains(&word.low.as_str());
    let first = words.iter().take(3).any(is_noun);
    let last = words.last().is_some_and(is_noun);
    (first || last).then(|| call(TOOL, &words[1..])).flatten()
}

/// What is said of a task: its priority, due date, estimate, title, or that it is open again.
fn updated(words: &[Word], now: &Now) -> Option<Call> {
    const TOOL: &str = "task_updateTask";
    const VERBS: [&str; 16] = [
        "set", "change", "raise", "lower", "make", "rename", "update", "reopen", "push", "move",
        "postpone", "bump", "give", "increase", "delay", "reduce",
    ];
    let verb = words
        .first()
        .map(|word| word.low.as_str())
        .filter(|verb| VERBS.contains(verb))?;
    if verb == "reopen" {
        return Some(call(TOOL, &words[1..])?.with("status", "backlog"));
    }
    let is_task = words.iter().any(|word| NOUNS.contains(&word.low.as_str()));
    let to = words
        .iter()
        .rposition(|word| matches!(word.low.as_str(), "to" | "until"));
    if verb == "rename" {
        let to = to?;
        let title = super::written(words.get(to + 1..)?);
        return (!title.is_empty())
            .then(|| call(TOOL, &words[1..to]))?
            .map(|call| call.with("title", dates::capitalised(&title)));
    }
    // "the priority of X to high"
    const FIELDS: [&[&str]; 8] = [
        &["priority", "of"],
        &["due", "date", "of"],
        &["deadline", "of"],
        &["estimate", "of"],
        &["deadline", "for"],
        &["priority", "for"],
        &["due", "date", "for"],
        &["estimate", "for"],
    ];
    let field = FIELDS
        .iter()
        .find_map(|field| find(words, field).map(|place| (field, place + field.len())));
    if field.is_none() && !is_task && !has(words, &["priority", "prio"]) {
        return None;
    }
    let start = field.map_or(1, |(_, start)| start);
    let value = match to.filter(|to| *to > start) {
        Some(to) => to,
        // "make X high priority"
        None => (start..words.len()).find(|&place| level(&words[place].low).is_some())?,
    };
    let named = words[start..value]
        .iter()
        .filter(|word| !matches!(word.low.as_str(), "back" | "a"));
    let mut named: Vec<Word> = named.cloned().collect();
    let own = named.iter().rposition(|word| {
        matches!(
            word.low.as_str(),
            "priority" | "deadline" | "estimate" | "prio"
        )
    });
    if let Some(own) = own.filter(|own| field.is_none() && own + 1 == named.len()) {
        named.truncate(own);
    }
    let behind = &words[value + usize::from(to == Some(value))..];
    let task = call(TOOL, &named)?;
    let said = field.map_or("", |(field, _)| field[0]);
    if let Some(level) = behind.first().and_then(|word| level(&word.low)) {
        return Some(task.with("priority", level));
    }
    let mut taken = vec![false; behind.len()];
    if said != "estimate"
        && let Some(day) = slot::take_day(behind, &mut taken, now)
    {
        return Some(task.with("dueDate", day));
    }
    let minutes = length::length(behind, 0).and_then(|(length, _)| length.minutes())?;
    Some(task.with("estimatedMinutes", minutes))
}

fn level(low: &str) -> Option<&'static str> {
    Some(match low {
        "high" | "urgent" | "top" | "highest" => "high",
        "medium" | "normal" => "medium",
        "low" | "lowest" => "low",
        _ => return None,
    })
}
