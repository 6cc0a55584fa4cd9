//! Changes of things that were looked up first.

use serde_json::{Value, json};

use super::{Outcome, bullets, changed, failure, list, number, sentence, system, text};
use crate::model::demo::help;
use crate::model::demo::intent::{Change, Wanted};

/// The changes that what was looked up leads to: tool and arguments. Those that were made already aren't among them.
pub(in crate::model::demo) fn pending(results: &[Outcome]) -> Vec<(&'static str, Value)> {
    let changes = results.iter().filter_map(next);
    changes
        .chain(results.iter().flat_map(system::next))
        .filter(|next| made(next, results).is_none())
        .collect()
}

/// What is said of a result. What was only looked up speaks for the change
/// that followed, which then says nothing itself.
pub(super) fn part(outcome: &Outcome, results: &[Outcome]) -> Option<String> {
    if !outcome.wanted.only_looks() {
        let follows = results
            .iter()
            .filter_map(next)
            .any(|next| made(&next, results).is_some_and(|made| std::ptr::eq(made, outcome)));
        return (!follows).then(|| sentence(outcome));
    }
    if !outcome.succeeded() {
        return Some(failure(outcome));
    }
    let Some(next) = next(outcome) else {
        return Some(not_one(outcome));
    };
    let made = made(&next, results)?;
    if !made.succeeded() {
        return Some(failure(made));
    }
    Some(match &outcome.wanted {
        Wanted::Archive { .. } => archived(outcome, made),
        _ => changed::changed(made, title_of(outcome).as_deref()),
    })
}

/// The change that a look leads to, if what it found is clear.
fn next(outcome: &Outcome) -> Option<(&'static str, Value)> {
    if !outcome.succeeded() {
        return None;
    }
    match &outcome.wanted {
        Wanted::Change(change) => {
            one(change, outcome).map(|thing| (change.tool, change.arguments(thing)))
        }
        Wanted::Archive { one } => {
            let mails = list(&outcome.data, "emails");
            let clear = if *one {
                mails.len() == 1
            } else {
                !mails.is_empty()
            };
            let ids: Vec<&Value> = mails.iter().map(|mail| &mail["id"]).collect();
            clear.then(|| ("email_archiveBatch", json!({"emailIds": ids})))
        }
        _ => None,
    }
}

/// The one thing that is meant, if there is exactly one.
fn one<'a>(change: &Change, outcome: &'a Outcome) -> Option<&'a Value> {
    match change.matches(&outcome.data).as_slice() {
        [thing] => Some(thing),
        _ => None,
    }
}

fn made<'a>(
    (tool, arguments): &(&'static str, Value),
    results: &'a [Outcome],
) -> Option<&'a Outcome> {
    results
        .iter()
        .find(|result| result.tool == *tool && result.arguments == *arguments)
}

/// What is said where nothing, or more than one thing, is meant.
fn not_one(outcome: &Outcome) -> String {
    let (title, found): (String, Vec<String>) = match &outcome.wanted {
        Wanted::Change(change) => {
            let found = change.matches(&outcome.data);
            (change.title.clone(), found.into_iter().map(named).collect())
        }
        _ => {
            let mails = list(&outcome.data, "emails").iter();
            (looked_for(outcome), mails.map(mail).collect())
        }
    };
    help::not_one(&title, &found)
}

/// What e-mails were looked for by.
fn looked_for(outcome: &Outcome) -> String {
    let said = [
        text(&outcome.arguments, "from"),
        text(&outcome.arguments, "query"),
    ];
    said.into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// How many e-mails are in the archive now, which, and what is left.
fn archived(look: &Outcome, made: &Outcome) -> String {
    const SHOWN: usize = 10;
    let failed: Vec<&str> = list(&made.data, "failed")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let moved: Vec<&Value> = list(&look.data, "emails")
        .iter()
        .filter(|mail| !failed.contains(&text(mail, "id")))
        .collect();
    let count = number(&made.data, "archived").map_or(moved.len(), |count| count as usize);
    let mails = |count: usize| if count == 1 { "e-mail" } else { "e-mails" };
    let mut answer = format!(
        "Archived {count} {}:{}",
        mails(count),
        bullets(moved.iter().take(SHOWN).map(|one| mail(one)))
    );
    if moved.len() > SHOWN {
        answer.push_str(&format!("\nand {} more.", moved.len() - SHOWN));
    }
    if !failed.is_empty() {
        let problems = list(&made.data, "problems")
            .iter()
            .map(|one| text(one, "reason"));
        let problem = problems
            .into_iter()
            .find(|problem| !problem.is_empty())
            .unwrap_or("no reason was given");
        answer.push_str(&format!(
            "\n{} could not be archived: {problem}",
            failed.len()
        ));
    }
    let total = number(&look.data, "total").map_or(0, |total| total as usize);
    let seen = list(&look.data, "emails").len();
    if total > seen {
        answer.push_str(&format!(
            "\n{} more fit; ask again for those.",
            total - seen
        ));
    }
    answer
}

/// "“Minutes” from Ana <ana@…>".
fn mail(mail: &Value) -> String {
    format!("\"{}\" from {}", text(mail, "subject"), text(mail, "from"))
}

/// "Deep work 09:00–11:00", or a task's title.
fn named(thing: &Value) -> String {
    let title = text(thing, "title");
    match (text(thing, "startTime"), text(thing, "endTime")) {
        ("", _) => format!("\"{title}\""),
        (start, end) => format!("\"{title}\" {start}–{end}"),
    }
}

/// The title of the thing that was found.
fn title_of(outcome: &Outcome) -> Option<String> {
    let Wanted::Change(change) = &outcome.wanted else {
        return None;
    };
    one(change, outcome).map(|thing| text(thing, "title").to_owned())
}
