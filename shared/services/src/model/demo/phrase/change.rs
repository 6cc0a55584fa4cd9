//! Changes of a thing that was looked up first.

use serde_json::Value;

use super::{Outcome, failure, sentence, text};
use crate::model::demo::help;
use crate::model::demo::intent::{Change, Wanted};

/// The changes that what was looked up leads to: tool and arguments. Those that were made already aren't among them.
pub(in crate::model::demo) fn pending(results: &[Outcome]) -> Vec<(&'static str, Value)> {
    results
        .iter()
        .filter_map(|outcome| {
            let (change, thing) = one(outcome)?;
            let made = made(change, thing, results).is_some();
            (!made).then(|| (change.tool, change.arguments(thing)))
        })
        .collect()
}

/// What is said of a result. What was only looked up speaks for the change
/// that followed, which then says nothing itself.
pub(super) fn part(outcome: &Outcome, results: &[Outcome]) -> Option<String> {
    let Wanted::Change(change) = &outcome.wanted else {
        let is_change = results.iter().any(|other| {
            one(other).is_some_and(|(change, thing)| {
                made(change, thing, results).is_some_and(|made| std::ptr::eq(made, outcome))
            })
        });
        return (!is_change).then(|| sentence(outcome));
    };
    if !outcome.succeeded() {
        return Some(failure(outcome));
    }
    let Some((_, thing)) = one(outcome) else {
        let found: Vec<String> = change
            .matches(&outcome.data)
            .into_iter()
            .map(named)
            .collect();
        return Some(help::not_one(&change.title, &found));
    };
    let made = made(change, thing, results)?;
    if !made.succeeded() {
        return Some(failure(made));
    }
    let title = text(thing, "title");
    Some(match change.tool {
        "schedule_deleteTimeBlock" => format!("**{title}** is off your schedule."),
        "schedule_moveTimeBlock" => format!(
            "**{title}** starts at {} now.",
            made.arguments["newStartTime"].as_str().unwrap_or_default()
        ),
        "task_deleteTask" => format!("The task **{title}** is deleted."),
        "task_completeTask" => format!("**{title}** is done."),
        _ => sentence(made),
    })
}

/// The one thing that is meant, if there is exactly one.
fn one(outcome: &Outcome) -> Option<(&Change, &Value)> {
    let Wanted::Change(change) = &outcome.wanted else {
        return None;
    };
    match change.matches(&outcome.data).as_slice() {
        [thing] if outcome.succeeded() => Some((change, thing)),
        _ => None,
    }
}

fn made<'a>(change: &Change, thing: &Value, results: &'a [Outcome]) -> Option<&'a Outcome> {
    let arguments = change.arguments(thing);
    results
        .iter()
        .find(|result| result.tool == change.tool && result.arguments == arguments)
}

/// "Deep work 09:00–11:00", or a task's title.
fn named(thing: &Value) -> String {
    let title = text(thing, "title");
    match (text(thing, "startTime"), text(thing, "endTime")) {
        ("", _) => format!("\"{title}\""),
        (start, end) => format!("\"{title}\" {start}–{end}"),
    }
}
