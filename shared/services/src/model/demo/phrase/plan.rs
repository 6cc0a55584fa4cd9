//! Blocks and tasks in words.

use serde_json::Value;

use super::{Outcome, bullets, day, list, long_date, number, text};
use crate::model::demo::intent::Wanted;

pub(super) fn minutes(minutes: f64) -> String {
    let whole = minutes as i64;
    match (whole / 60, whole % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

pub(super) fn block(block: &Value) -> String {
    let mut line = format!(
        "{}–{} **{}** ({}",
        text(block, "startTime"),
        text(block, "endTime"),
        text(block, "title"),
        text(block, "type")
    );
    if let Some(length) = number(block, "duration") {
        line.push_str(&format!(", {}", minutes(length)));
    }
    line.push(')');
    if !text(block, "description").is_empty() {
        line.push_str(&format!(": {}", text(block, "description")));
    }
    let tasks: Vec<&str> = list(block, "tasks")
        .iter()
        .map(|task| text(task, "title"))
        .collect();
    if !tasks.is_empty() {
        line.push_str(&format!(". Tasks: {}", tasks.join(", ")));
    }
    line
}

pub(super) fn schedule(data: &Value) -> String {
    let blocks = list(data, "blocks");
    if blocks.is_empty() {
        return format!("Nothing is scheduled on {}.", day(data));
    }
    let mut answer = format!("On {}:{}", day(data), bullets(blocks.iter().map(block)));
    if let (Some(hours), Some(percent)) = (
        data.pointer("/stats/totalHours").and_then(Value::as_f64),
        data.pointer("/stats/utilization").and_then(Value::as_f64),
    ) {
        answer.push_str(&format!(
            "\nThat is {} in all, {percent} % of a working day.",
            minutes(hours * 60.0)
        ));
    }
    answer
}

pub(super) fn new_block(data: &Value) -> String {
    let mut answer = format!("Added on {}: {}.", day(data), block(&data["block"]));
    let conflicts = list(data, "conflicts");
    if !conflicts.is_empty() {
        answer.push_str(&format!(
            " It overlaps with:{}",
            bullets(conflicts.iter().map(block))
        ));
    }
    answer
}

pub(super) fn task(task: &Value) -> String {
    let mut facts = vec![format!("{} priority", text(task, "priority"))];
    if let Some(estimate) = number(task, "estimatedMinutes") {
        facts.push(minutes(estimate));
    }
    if !text(task, "dueDate").is_empty() {
        facts.push(format!("due {}", long_date(text(task, "dueDate"))));
    }
    if matches!(text(task, "status"), "scheduled" | "completed") {
        facts.push(text(task, "status").into());
    }
    if let Some(score) = number(task, "score") {
        facts.push(format!("score {score}"));
    }
    let mut line = format!("**{}** ({})", text(task, "title"), facts.join(", "));
    if !text(task, "description").is_empty() {
        line.push_str(&format!(": {}", text(task, "description")));
    }
    line
}

pub(super) fn new_task(data: &Value) -> String {
    format!("Added to your tasks: {}.", task(&data["task"]))
}

pub(super) fn tasks(outcome: &Outcome) -> String {
    let data = &outcome.data;
    let shown = list(data, "tasks");
    let mut kind = String::new();
    for (name, after) in [("priority", " priority "), ("status", " ")] {
        let word = text(&outcome.arguments, name);
        if !word.is_empty() {
            kind.push_str(word);
            kind.push_str(after);
        }
    }
    let total = number(data, "total").map_or(shown.len(), |total| total as usize);
    let due = match &outcome.wanted {
        Wanted::Due(due) => due.as_str(),
        _ => "",
    };
    let head = match (total, due) {
        (0, "") => return format!("You have no {kind}tasks that fit."),
        (0, due) => return format!("You have no {kind}tasks that are {due}."),
        (1, "") => format!("You have one {kind}task:"),
        (1, due) => format!("You have one {kind}task that is {due}:"),
        (n, "") => format!("You have {n} {kind}tasks:"),
        (n, due) => format!("You have {n} {kind}tasks that are {due}:"),
    };
    let mut answer = format!("{head}{}", bullets(shown.iter().map(task)));
    if total > shown.len() {
        answer.push_str(&format!("\nThe first {} are shown.", shown.len()));
    }
    answer
}
