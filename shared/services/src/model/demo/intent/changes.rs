//! Changes of what is there already: a block or task is found by its title
//! first, and the change follows with its id.

use serde_json::{Map, Value};

use super::{Call, Reading, Wanted, slot, take};
use crate::model::demo::clock;
use crate::model::demo::dates::{self, Now};
use crate::model::demo::lex::{Word, at, fold, has};

/// What is on a schedule.
const NOUNS: [&str; 5] = ["block", "meeting", "event", "slot", "appointment"];

/// A change of one thing of a list.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::model::demo) struct Change {
    /// The tool that makes it.
    pub(in crate::model::demo) tool: &'static str,
    /// Its argument for the thing's id.
    id: &'static str,
    /// The field of the view's result that lists the things.
    list: &'static str,
    /// Words of its title, as written.
    pub(in crate::model::demo) title: String,
    /// When a block starts, if that was said.
    start: Option<String>,
    /// Further arguments.
    more: Map<String, Value>,
}

impl Change {
    /// The things that are meant: those of exactly this title, else those whose
    /// title has all its words, else all but "meeting" and the like.
    pub(in crate::model::demo) fn matches<'a>(&self, data: &'a Value) -> Vec<&'a Value> {
        let all = data.get(self.list).and_then(Value::as_array);
        let there: Vec<&Value> = all
            .into_iter()
            .flatten()
            .filter(|thing| {
                let starts = thing.get("startTime").and_then(Value::as_str);
                self.start
                    .as_deref()
                    .is_none_or(|start| starts == Some(start))
            })
            .collect();
        let title = |thing: &Value| {
            fold(
                thing
                    .get("title")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            )
        };
        let wanted = fold(&self.title);
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let telling: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| !NOUNS.contains(word))
            .collect();
        let having = |words: &[&str]| -> Vec<&'a Value> {
            let has = |thing: &Value| {
                let title = title(thing);
                let has = |word: &&str| title.split(' ').any(|part| part == *word);
                words.iter().all(has)
            };
            there.iter().copied().filter(|thing| has(thing)).collect()
        };
        let exact = there.iter().copied().filter(|thing| title(thing) == wanted);
        [exact.collect(), having(&words)]
            .into_iter()
            .find(|found| !found.is_empty())
            .or_else(|| (!telling.is_empty()).then(|| having(&telling)))
            .unwrap_or_default()
    }

    /// The arguments of the change of this thing.
    pub(in crate::model::demo) fn arguments(&self, thing: &Value) -> Value {
        let mut arguments = self.more.clone();
        arguments.insert(self.id.into(), thing.get("id").cloned().unwrap_or_default());
        Value::Object(arguments)
    }
}

/// Deleting, moving and completing.
pub(super) fn change(words: &[Word], now: &Now) -> Reading {
    let found = completed(words)
        .or_else(|| deleted_task(words))
        .or_else(|| changed_block(words, now))?;
    Some(Ok(vec![found]))
}

fn task_call(tool: &'static str, title: &[Word]) -> Option<Call> {
    let title = subject(title, &["task", "todo", "to-do", "reminder"]);
    if title.is_empty() {
        return None;
    }
    let change = Change {
        tool,
        id: "taskId",
        list: "tasks",
        title,
        start: None,
        more: Map::new(),
    };
    Some(Call::new("task_viewTasks").wanting(Wanted::Change(change)))
}

/// "mark buy milk as done", "complete the task buy milk", "tick off buy milk".
fn completed(words: &[Word]) -> Option<Call> {
    const DONE: &str = "task_completeTask";
    if at(words, 0, &["mark"]) {
        let end = words.len().checked_sub(1)?;
        let done = ["done", "complete", "completed", "finished"];
        let last = done.contains(&words[end].low.as_str()).then_some(end)?;
        let title = match &words[1..last] {
            [title @ .., as_] if as_.low == "as" => title,
            title => title,
        };
        return task_call(DONE, title);
    }
    for opening in [
        &["complete", "the", "task"][..],
        &["complete", "task"],
        &["finish", "the", "task"],
        &["close", "the", "task"],
        &["tick", "off"],
        &["check", "off"],
    ] {
        if at(words, 0, opening) {
            return task_call(DONE, &words[opening.len()..]);
        }
    }
    None
}

/// "delete the task X", "remove the X task", "remove X from my tasks".
fn deleted_task(words: &[Word]) -> Option<Call> {
    const DELETE: &str = "task_deleteTask";
    if !deletes(words) {
        return None;
    }
    for list in [
        &["from", "my", "tasks"][..],
        &["from", "my", "list"],
        &["from", "my", "to-do", "list"],
        &["from", "my", "todo", "list"],
        &["from", "my", "backlog"],
    ] {
        let end = words.len().checked_sub(list.len())?;
        if at(words, end, list) {
            return task_call(DELETE, &words[1..end]);
        }
    }
    let nouns = ["task", "todo", "to-do", "reminder"];
    let is_noun = |word: &Word| nouns.contains(&word.low.as_str());
    let first = words.iter().take(3).any(is_noun);
    let last = words.last().is_some_and(is_noun);
    (first || last)
        .then(|| task_call(DELETE, &words[1..]))
        .flatten()
}

fn deletes(words: &[Word]) -> bool {
    words
        .first()
        .is_some_and(|word| matches!(word.low.as_str(), "delete" | "remove" | "cancel" | "drop"))
}

/// "delete the deep work block tomorrow", "move the 10am block to 3pm".
fn changed_block(words: &[Word], now: &Now) -> Option<Call> {
    let moves = words
        .first()
        .is_some_and(|word| matches!(word.low.as_str(), "move" | "shift" | "reschedule" | "push"));
    if !(moves || deletes(words)) || !has(words, &NOUNS) {
        return None;
    }
    let mut taken = vec![false; words.len()];
    take(&mut taken, 0, 1);
    let mut more = Map::new();
    let tool = if moves {
        let to = words.iter().rposition(|word| word.low == "to")?;
        let (time, len) = clock::clock(words, to + 1, true)?;
        more.insert("newStartTime".into(), time.by_day().text().into());
        take(&mut taken, to, len + 1);
        "schedule_moveTimeBlock"
    } else {
        "schedule_deleteTimeBlock"
    };
    let day = slot::take_day(words, &mut taken, now);
    let start = slot::take_slot(words, &mut taken).map(|slot| slot.start.text());
    let left: Vec<Word> = words
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| !**taken)
        .map(|(word, _)| word.clone())
        .collect();
    // A kind of block is part of its title; "block" is not.
    let title = subject(&left, &["block", "event", "slot", "time"]);
    let title = if start.is_some() && NOUNS.contains(&title.as_str()) {
        String::new()
    } else {
        title
    };
    if title.is_empty() && start.is_none() {
        return None;
    }
    let today = now
        .date
        .map_or_else(|| "today".into(), |day| day.to_string());
    let change = Change {
        tool,
        id: "blockId",
        list: "blocks",
        title,
        start,
        more,
    };
    let call = Call::new("schedule_viewSchedule").with("date", day.unwrap_or(today));
    Some(call.wanting(Wanted::Change(change)))
}

/// The words without articles and nouns around them.
fn subject(mut words: &[Word], nouns: &[&str]) -> String {
    let edge = |word: &Word| {
        !word.quoted
            && (nouns.contains(&word.low.as_str())
                || [
                    "the", "my", "a", "called", "named", "titled", "on", "for", "at",
                ]
                .contains(&word.low.as_str()))
    };
    while let [first, rest @ ..] = words
        && edge(first)
    {
        words = rest;
    }
    while let [rest @ .., last] = words
        && edge(last)
    {
        words = rest;
    }
    super::written(words)
}

/// "tell Ben that I'm late", "message #general: lunch is here": `slack_sendMessage`.
pub(super) fn message(words: &[Word], _: &Now) -> Reading {
    const OPENINGS: [&[&str]; 8] = [
        &["send", "a", "message", "to"],
        &["write", "a", "message", "to"],
        &["send", "a", "dm", "to"],
        &["message"],
        &["tell"],
        &["dm"],
        &["let"],
        &["inform"],
    ];
    let opening = OPENINGS.iter().find(|opening| at(words, 0, opening))?;
    let rest = &words[opening.len()..];
    let end = rest.iter().take(4).position(|word| {
        matches!(word.low.as_str(), "that" | "know" | "saying") || word.end == Some(':')
    })?;
    let colon = rest[end].end == Some(':');
    let to = &rest[..end + usize::from(colon)];
    let mut said = &rest[end + 1..];
    while let [first, behind @ ..] = said
        && !colon
        && matches!(first.low.as_str(), "that" | "know")
    {
        said = behind;
    }
    let me = matches!(to, [one] if ["me", "us", "myself"].contains(&one.low.as_str()));
    if to.is_empty() || said.is_empty() || me {
        return None;
    }
    let call = Call::new("slack_sendMessage")
        .with("to", super::written(to))
        .with("text", dates::capitalised(&punctuated(said)));
    Some(Ok(vec![call]))
}

/// The words with the punctuation that stood behind them.
fn punctuated(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
        text.extend(word.end.filter(|end| *end != '\n'));
    }
    text
}
