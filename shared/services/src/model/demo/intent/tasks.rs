//! Tasks: new ones, and what there is to do.

use super::{Call, take};
use crate::model::demo::clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, has};

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
pub(super) fn create(words: &[Word], now: &Now) -> Option<Vec<Call>> {
    let mut taken = vec![false; words.len()];
    if !opening(words, &mut taken) {
        return None;
    }
    let mut call = Call::new("task_createTask");
    if let Some(level) = take_priority(words, &mut taken) {
        call = call.with("priority", level);
    }
    let due = take_due(words, &mut taken, now);
    let minutes = take_estimate(words, &mut taken);
    let clock = take_clock(words, &mut taken);
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
    Some(vec![call])
}

/// Marks the words that announce the task; false if none do.
fn opening(words: &[Word], taken: &mut [bool]) -> bool {
    let opening = OPENINGS
        .iter()
        .filter(|opening| at(words, 0, opening))
        .max_by_key(|opening| opening.len());
    if let Some(opening) = opening {
        take(taken, 0, opening.len());
        return true;
    }
    let verb = words.first().is_some_and(|word| {
        [
            "add", "create", "make", "put", "log", "new", "file", "note", "save", "open",
        ]
        .contains(&word.low.as_str())
    });
    if !verb {
        return false;
    }
    for list in LISTS {
        if let Some(place) = (1..words.len()).find(|&place| at(words, place, list)) {
            take(taken, 0, 1);
            take(taken, place, list.len());
            return true;
        }
    }
    // "add a high priority task to …": the noun comes within the first words.
    let noun = words
        .iter()
        .take(6)
        .position(|word| matches!(word.low.as_str(), "task" | "todo" | "to-do" | "reminder"));
    let Some(noun) = noun else { return false };
    take(taken, 0, 1);
    take(taken, noun, 1);
    for filler in &["a", "an", "new", "another", "me", "the"] {
        for place in 1..noun {
            taken[place] |= words[place].low == **filler;
        }
    }
    true
}

fn take_priority(words: &[Word], taken: &mut [bool]) -> Option<&'static str> {
    let level = |low: &str| match low {
        "high" | "top" | "highest" | "urgent" | "important" | "critical" | "p1" => Some("high"),
        "medium" | "normal" | "mid" | "p2" => Some("medium"),
        "low" | "lowest" | "p3" => Some("low"),
        _ => None,
    };
    for place in 0..words.len() {
        let pair = |first: usize, second: usize| {
            let named = words
                .get(second)
                .is_some_and(|word| matches!(word.low.as_str(), "priority" | "prio"));
            words
                .get(first)
                .and_then(|word| level(&word.low))
                .filter(|_| named)
        };
        if let Some(found) = pair(place, place + 1).or_else(|| pair(place + 1, place)) {
            let before = place
                .checked_sub(1)
                .filter(|&before| matches!(words[before].low.as_str(), "with" | "at"));
            take(
                taken,
                before.unwrap_or(place),
                place + 2 - before.unwrap_or(place),
            );
            return Some(found);
        }
    }
    let clauses: [(&[&str], &str); 7] = [
        (&["not", "urgent"], "low"),
        (&["its", "urgent"], "high"),
        (&["its", "important"], "high"),
        (&["this", "is", "urgent"], "high"),
        (&["urgently"], "high"),
        (&["asap"], "high"),
        (&["p1"], "high"),
    ];
    for (clause, found) in clauses {
        if let Some(place) = (0..words.len()).find(|&place| at(words, place, clause)) {
            take(taken, place, clause.len());
            return Some(found);
        }
    }
    // "urgent" alone counts between commas or at the end, not inside a title.
    let place = words
        .iter()
        .rposition(|word| matches!(word.low.as_str(), "urgent" | "important"))?;
    let stands_alone = place > 0 && words[place - 1].end.is_some();
    stands_alone.then(|| {
        take(taken, place, 1);
        "high"
    })
}

/// A day counts as the due date after a preposition, at the end, after a comma, or when it is "tomorrow".
fn take_due(words: &[Word], taken: &mut [bool], now: &Now) -> Option<String> {
    const BEFORE: [&str; 8] = [
        "due", "by", "on", "until", "before", "deadline", "for", "is",
    ];
    for place in 0..words.len() {
        if taken[place] {
            continue;
        }
        let low = words[place].low.as_str();
        let found = if low == "in" {
            clock::length(words, place + 1)
                .and_then(|(length, len)| Some((length.after(now.date?)?.to_string(), len + 1)))
        } else {
            dates::day(words, place, now)
        };
        let Some((day, len)) = found else { continue };
        let mut first = place;
        while first > 0 && BEFORE.contains(&words[first - 1].low.as_str()) && !taken[first - 1] {
            first -= 1;
        }
        let relative = matches!(
            low,
            "today" | "tomorrow" | "tonight" | "next" | "this" | "in" | "tmrw"
        ) || low.starts_with("20");
        let last = place + len == words.len() || words[place + len - 1].end.is_some();
        if first < place || relative || last {
            take(taken, first, place + len - first);
            return Some(day);
        }
    }
    None
}

fn take_estimate(words: &[Word], taken: &mut [bool]) -> Option<i64> {
    const BEFORE: [&str; 14] = [
        "for",
        "about",
        "takes",
        "take",
        "should",
        "will",
        "it",
        "needs",
        "roughly",
        "estimated",
        "estimate",
        "around",
        "duration",
        "of",
    ];
    let (place, (length, len)) = (0..words.len())
        .filter(|&place| !taken[place])
        .find_map(|place| clock::length(words, place).map(|found| (place, found)))?;
    let minutes = length.minutes().filter(|minutes| *minutes > 0)?;
    let mut first = place;
    while first > 0 && BEFORE.contains(&words[first - 1].low.as_str()) && !taken[first - 1] {
        first -= 1;
    }
    take(taken, first, place + len - first);
    Some(minutes)
}

fn take_clock(words: &[Word], taken: &mut [bool]) -> Option<String> {
    for place in 0..words.len() {
        let marked = place > 0 && words[place - 1].low == "at" && !taken[place - 1];
        if taken[place] {
            continue;
        }
        let Some((clock, len)) = clock::clock(words, place, marked) else {
            continue;
        };
        take(
            taken,
            place - usize::from(marked),
            len + usize::from(marked),
        );
        return Some(clock.by_day().text());
    }
    None
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

/// `task_viewTasks`.
pub(super) fn view(words: &[Word], _: &Now) -> Option<Vec<Call>> {
    let noun = has(
        words,
        &[
            "tasks",
            "task",
            "todos",
            "todo",
            "to-dos",
            "to-do",
            "to do list",
            "backlog",
            "my list",
        ],
    );
    let asks = has(
        words,
        &[
            "show",
            "open",
            "list",
            "what",
            "whats",
            "which",
            "any",
            "how many",
            "view",
            "see",
            "display",
            "give",
            "my",
            "get",
            "are",
            "do i have",
        ],
    );
    let question = has(
        words,
        &[
            "what should i do",
            "what should i work on",
            "whats most important",
            "whats left to do",
            "what is left to do",
            "what do i have to do",
            "what do i need to do",
            "anything to do",
            "things to do",
            "work to do",
        ],
    );
    let finished = has(
        words,
        &[
            "i finished",
            "i completed",
            "ive finished",
            "ive done",
            "ive completed",
            "i have done",
        ],
    ) && has(words, &["show", "list", "what", "everything"]);
    let important = has(words, &["to do"]) && has(words, &["important", "urgent", "anything"]);
    let changes = has(
        words,
        &[
            "delete", "remove", "complete", "finish", "move", "assign", "close",
        ],
    );
    if !(noun && asks || question || finished || important) || changes {
        return None;
    }
    let mut call = Call::new("task_viewTasks");
    if finished || has(words, &["completed", "done", "finished"]) {
        call = call.with("status", "completed");
    } else if has(words, &["backlog", "unscheduled"]) {
        call = call.with("status", "backlog");
    } else if has(words, &["scheduled", "planned"]) {
        call = call.with("status", "scheduled");
    }
    if has(words, &["high", "urgent", "important", "top", "critical"]) {
        call = call.with("priority", "high");
    } else if has(words, &["medium", "normal"]) {
        call = call.with("priority", "medium");
    } else if has(words, &["low"]) {
        call = call.with("priority", "low");
    }
    let score = words
        .iter()
        .position(|word| word.low == "score" || word.low == "scores");
    let least = score.and_then(|place| {
        words[place..]
            .iter()
            .find_map(|word| word.low.parse::<i64>().ok())
    });
    if let Some(least) = least {
        call = call.with("minScore", least);
    }
    Some(vec![call])
}
