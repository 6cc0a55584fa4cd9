//! Puts tool results into words. Everything said comes from the data.

use alfred_core::ports::Message;
use serde_json::Value;

/// A tool's result and the call that it answers.
pub(super) struct Outcome {
    tool: String,
    arguments: Value,
    data: Value,
}

/// The results among the messages after the request, in the order of the calls.
pub(super) fn results(messages: &[Message]) -> Vec<Outcome> {
    let result = |wanted: &str| {
        messages.iter().find_map(|message| match message {
            Message::Tool { call_id, text } if call_id.as_ref() == wanted => Some(text),
            _ => None,
        })
    };
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { tool_calls, .. } => Some(tool_calls.iter()),
            _ => None,
        })
        .flatten()
        .filter_map(|call| {
            let text = result(&call.id)?;
            Some(Outcome {
                tool: call.name.clone(),
                arguments: serde_json::from_str(&call.arguments).unwrap_or_default(),
                data: serde_json::from_str(text)
                    .unwrap_or_else(|_| Value::String(text.to_string())),
            })
        })
        .collect()
}

/// The answer: a paragraph for each result, then what was left over.
pub(super) fn answer(results: &[Outcome], left: &[String]) -> String {
    let times = results
        .iter()
        .filter(|outcome| outcome.tool == "time_now")
        .count();
    let mut parts: Vec<String> = Vec::new();
    for outcome in results {
        let part = sentence(outcome);
        // Several times make one list.
        match parts.last_mut() {
            Some(last) if times > 1 && outcome.tool == "time_now" && last.starts_with("- ") => {
                last.push_str(&format!("\n- {part}"));
            }
            _ if times > 1 && outcome.tool == "time_now" => parts.push(format!("- {part}")),
            _ => parts.push(part),
        }
    }
    parts.extend(left.iter().cloned());
    parts.join("\n\n")
}

fn sentence(outcome: &Outcome) -> String {
    let data = &outcome.data;
    if data.get("success").and_then(Value::as_bool) != Some(true) {
        return failure(outcome);
    }
    match outcome.tool.as_str() {
        "time_now" => time_now(outcome),
        "time_convert" => time_convert(data),
        "time_add" => time_add(data),
        "user_list" => user_list(data),
        "user_lookup" => user_lookup(data),
        "preference_updatePreferences" => preferences(data),
        "schedule_viewSchedule" => schedule(data),
        "schedule_createTimeBlock" => new_block(data),
        "task_createTask" => new_task(data),
        "task_viewTasks" => tasks(outcome),
        _ => plain(data),
    }
}

/// What failed, and the tool's own words about why.
fn failure(outcome: &Outcome) -> String {
    let error = text(&outcome.data, "error");
    // The argument's name means nothing to the person.
    let reason = match error.split_once(": ") {
        Some((field, rest)) if field.chars().all(char::is_alphanumeric) && !field.is_empty() => {
            rest
        }
        _ => error,
    };
    let what = attempt(&outcome.tool);
    if reason.is_empty() {
        format!("I couldn't {what}, and wasn't told why.")
    } else {
        let stop = if reason.ends_with(['.', '?', '!']) {
            ""
        } else {
            "."
        };
        format!("I couldn't {what}: {reason}{stop}")
    }
}

/// What a tool does, after "I couldn't".
pub(super) fn attempt(tool: &str) -> &'static str {
    match tool {
        "time_now" => "tell the time there",
        "time_convert" => "convert that time",
        "time_add" => "work out that time",
        "user_list" => "list the people here",
        "user_lookup" => "find that person",
        "preference_updatePreferences" => "change your preferences",
        "schedule_viewSchedule" => "look at your schedule",
        "schedule_createTimeBlock" => "add that block",
        "task_createTask" => "add that task",
        "task_viewTasks" => "look at your tasks",
        _ => "do that",
    }
}

fn text<'a>(data: &'a Value, name: &str) -> &'a str {
    data.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(data: &Value, name: &str) -> Option<f64> {
    data.get(name).and_then(Value::as_f64)
}

fn list<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    data.get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// `America/Argentina/Buenos_Aires` → `Buenos Aires`.
fn city(zone: &str) -> String {
    zone.rsplit('/').next().unwrap_or(zone).replace('_', " ")
}

/// `Saturday, 21 November 2026`, as far as the data goes.
fn day(data: &Value) -> String {
    long_date(text(data, "date"))
}

fn long_date(date: &str) -> String {
    date.parse::<jiff::civil::Date>().map_or_else(
        |_| date.to_owned(),
        |date| date.strftime("%A, %-d %B %Y").to_string(),
    )
}

/// `(CET, UTC+01:00)`.
fn zone_note(local: &Value) -> String {
    let (short, offset) = (text(local, "abbreviation"), text(local, "utcOffset"));
    match (short.starts_with(char::is_alphabetic), offset.is_empty()) {
        (true, false) => format!("{short}, UTC{offset}"),
        (true, true) => short.into(),
        (false, false) => format!("UTC{offset}"),
        (false, true) => text(local, "timezone").into(),
    }
}

fn time_now(outcome: &Outcome) -> String {
    let data = &outcome.data;
    let place = match outcome.arguments.get("timezone") {
        Some(_) => format!("In {} it", city(text(data, "timezone"))),
        None => "It".into(),
    };
    format!(
        "{place} is {} on {} ({}).",
        text(data, "time"),
        day(data),
        zone_note(data)
    )
}

fn time_convert(data: &Value) -> String {
    let (from, to) = (&data["from"], &data["to"]);
    let mut line = format!(
        "{} in {} is {} in {}",
        text(from, "time"),
        city(text(from, "timezone")),
        text(to, "time"),
        city(text(to, "timezone"))
    );
    if text(from, "date") == text(to, "date") {
        line.push_str(&format!(" on {}.", day(to)));
    } else {
        line.push_str(&format!(" on {} (from {}).", day(to), day(from)));
    }
    with_note(line, data.pointer("/resolution/explanation"))
}

fn time_add(data: &Value) -> String {
    let (start, result) = (&data["start"], &data["result"]);
    let line = format!(
        "That is {} on {} in {} ({}), counted from {} on {}.",
        text(result, "time"),
        day(result),
        city(text(result, "timezone")),
        zone_note(result),
        text(start, "time"),
        day(start)
    );
    let line = with_note(line, data.pointer("/startResolution/explanation"));
    let line = with_note(line, data.pointer("/resolution/explanation"));
    with_note(line, data.get("note"))
}

fn with_note(mut line: String, note: Option<&Value>) -> String {
    if let Some(note) = note.and_then(Value::as_str).filter(|note| !note.is_empty()) {
        line.push(' ');
        let mut chars = note.chars();
        line.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        line.push_str(chars.as_str());
        if !note.ends_with('.') {
            line.push('.');
        }
    }
    line
}

fn person(user: &Value) -> String {
    let mut facts: Vec<String> = ["handle", "email", "timezone", "role"]
        .iter()
        .map(|name| text(user, name))
        .filter(|fact| !fact.is_empty() && *fact != "@")
        .map(str::to_owned)
        .collect();
    let name = text(user, "name");
    if name.is_empty() {
        return facts.join(", ");
    }
    facts.insert(0, format!("**{name}**"));
    facts.join(", ")
}

pub(super) fn bullets(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("\n- {item}")).collect()
}

fn user_list(data: &Value) -> String {
    let users = list(data, "users");
    let total = number(data, "total").map_or(users.len(), |total| total as usize);
    let head = match total {
        0 => return "Nobody is registered yet.".into(),
        1 => "One person is registered:".into(),
        n => format!("{n} people are registered:"),
    };
    with_note(
        format!("{head}{}", bullets(users.iter().map(person))),
        data.get("note"),
    )
}

fn user_lookup(data: &Value) -> String {
    if let Some(user) = data.get("user") {
        return format!("{}.", person(user));
    }
    let candidates = list(data, "candidates");
    format!(
        "Several people fit. Whom do you mean?{}",
        bullets(candidates.iter().map(person))
    )
}

/// `workStartTime` → `work start time`.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            words.push(' ');
            words.extend(c.to_lowercase());
        } else {
            words.push(if c == '_' { ' ' } else { c });
        }
    }
    words
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "on".into(),
        Value::Bool(false) => "off".into(),
        Value::Null => "not set".into(),
        other => other.to_string(),
    }
}

fn preferences(data: &Value) -> String {
    let Some(changed) = data.get("changed").and_then(Value::as_object) else {
        return plain(data);
    };
    let changes: Vec<String> = changed
        .iter()
        .map(|(name, value)| match (value.get("from"), value.get("to")) {
            (Some(from), Some(to)) => {
                format!("{}: {} (was {})", spaced(name), shown(to), shown(from))
            }
            _ => format!("{}: {}", spaced(name), shown(value)),
        })
        .collect();
    format!("Your preferences are updated. {}.", changes.join("; "))
}

fn minutes(minutes: f64) -> String {
    let whole = minutes as i64;
    match (whole / 60, whole % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

fn block(block: &Value) -> String {
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

fn schedule(data: &Value) -> String {
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

fn new_block(data: &Value) -> String {
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

fn task(task: &Value) -> String {
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

fn new_task(data: &Value) -> String {
    format!("Added to your tasks: {}.", task(&data["task"]))
}

fn tasks(outcome: &Outcome) -> String {
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
    let head = match total {
        0 => return format!("You have no {kind}tasks that fit."),
        1 => format!("You have one {kind}task:"),
        n => format!("You have {n} {kind}tasks:"),
    };
    let mut answer = format!("{head}{}", bullets(shown.iter().map(task)));
    if total > shown.len() {
        answer.push_str(&format!("\nThe first {} are shown.", shown.len()));
    }
    answer
}

/// A result of a tool that has no words of its own here.
fn plain(data: &Value) -> String {
    let Some(fields) = data.as_object() else {
        return shown(data);
    };
    let facts = fields.iter().filter(|(name, _)| *name != "success");
    let facts = facts.map(|(name, value)| format!("{}: {}", spaced(name), shown(value)));
    format!("Done.{}", bullets(facts))
}

#[cfg(test)]
#[path = "phrase_tests.rs"]
mod tests;
