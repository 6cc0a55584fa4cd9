//! Puts tool results into words. Everything said comes from the data.

mod change;
mod changed;
mod day;
mod mail;
mod people;
mod plan;
mod system;
mod time;

use alfred_core::ports::Message;
use serde_json::Value;

use super::intent::{Call, Wanted};

/// A tool's result and the call that it answers.
pub(super) struct Outcome {
    /// The tool.
    pub(super) tool: String,
    /// What it was asked.
    pub(super) arguments: Value,
    /// What it gave.
    pub(super) data: Value,
    /// What of it was asked for.
    pub(super) wanted: Wanted,
    places: Vec<String>,
}

impl Outcome {
    /// Whether the tool did what it was asked.
    pub(super) fn succeeded(&self) -> bool {
        self.data.get("success").and_then(Value::as_bool) == Some(true)
    }
}

/// The results among the messages after the request, in the order of the
/// calls; `calls` are those that the request was understood as.
pub(super) fn results(messages: &[Message], calls: &[Call]) -> Vec<Outcome> {
    let mut unseen: Vec<&Call> = calls.iter().collect();
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
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
            let asked = unseen
                .iter()
                .position(|known| known.is(&call.name, &arguments))
                .map(|place| unseen.remove(place));
            Some(Outcome {
                tool: call.name.clone(),
                arguments,
                data: serde_json::from_str(text)
                    .unwrap_or_else(|_| Value::String(text.to_string())),
                wanted: asked.map(|call| call.wanted.clone()).unwrap_or_default(),
                places: asked.map(|call| call.places.clone()).unwrap_or_default(),
            })
        })
        .collect()
}

/// The answer: a paragraph for each result, then what was left over.
pub(super) fn answer(results: &[Outcome], left: &[String]) -> String {
    let is_time = |outcome: &Outcome| {
        matches!(outcome.tool.as_str(), "time_now" | "time_convert")
            && outcome.wanted == Wanted::All
    };
    let times = results.iter().filter(|outcome| is_time(outcome)).count();
    let mut parts: Vec<String> = Vec::new();
    for outcome in results {
        let Some(part) = change::part(outcome, results) else {
            continue;
        };
        // Several times make one list.
        match parts.last_mut() {
            Some(last) if times > 1 && is_time(outcome) && last.starts_with("- ") => {
                last.push_str(&format!("\n- {part}"));
            }
            _ if times > 1 && is_time(outcome) => parts.push(format!("- {part}")),
            _ => parts.push(part),
        }
    }
    parts.extend(left.iter().cloned());
    parts.join("\n\n")
}

pub(super) use change::pending;

fn sentence(outcome: &Outcome) -> String {
    let data = &outcome.data;
    if !outcome.succeeded() {
        return failure(outcome);
    }
    match outcome.tool.as_str() {
        "time_now" => time::time_now(outcome),
        "time_convert" => time::time_convert(outcome),
        "time_add" => time::time_add(outcome),
        "user_list" => people::user_list(data),
        "user_lookup" => people::user_lookup(data),
        "preference_updatePreferences" => people::preferences(data),
        "schedule_viewSchedule" => plan::schedule(data),
        "schedule_createTimeBlock" => plan::new_block(data),
        "slack_sendMessage" => format!("Your message went to {}.", shown(&data["sentTo"])),
        "task_createTask" => plan::new_task(data),
        "task_viewTasks" => plan::tasks(outcome),
        "task_suggestForDuration" => day::suggestions(data),
        "task_completeTask"
        | "task_deleteTask"
        | "task_updateTask"
        | "schedule_moveTimeBlock"
        | "schedule_deleteTimeBlock" => changed::changed(outcome, None),
        "schedule_findGaps" => day::gaps(data),
        "schedule_analyzeUtilization" => day::utilization(data),
        "email_viewEmails" | "email_getBacklog" => mail::mails(data),
        "email_readEmail" => mail::mail(data),
        "email_processEmail" => mail::processed(data),
        "email_createTaskFromEmail" => mail::new_task(data),
        "calendar_scheduleMeeting" | "calendar_rescheduleMeeting" => mail::meeting(outcome),
        "system_showWorkflowHistory" => system::history(data),
        "system_showPatterns" => system::patterns(data),
        "system_presentProposal" => system::proposal(data),
        "system_awaitConfirmation" => system::state(data),
        "system_clearContext" => system::forgotten(data),
        "system_resumeWorkflow" => system::resumed(data),
        "system_provideFeedback" => "I'll keep that in mind.".into(),
        "approval_list" => system::waiting(data),
        "schedule_viewWeek" => system::week(data),
        tool if tool.starts_with("workflow_") => day::workflow(data),
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
        "schedule_deleteTimeBlock" => "delete that block",
        "schedule_moveTimeBlock" => "move that block",
        "task_deleteTask" => "delete that task",
        "task_completeTask" => "complete that task",
        "task_updateTask" => "change that task",
        "task_suggestForDuration" => "look for fitting tasks",
        "schedule_findGaps" => "look for free time",
        "schedule_analyzeUtilization" => "see how that day is used",
        "email_viewEmails" | "email_getBacklog" => "look at your mail",
        "email_readEmail" => "read that e-mail",
        "email_archiveBatch" => "archive those e-mails",
        "email_processEmail" => "deal with that e-mail",
        "email_createTaskFromEmail" => "make a task of that e-mail",
        "calendar_scheduleMeeting" => "schedule that meeting",
        "calendar_rescheduleMeeting" => "move that meeting",
        "workflow_schedule" => "plan your day",
        "workflow_fillWorkBlock" => "fill that block",
        "workflow_fillEmailBlock" => "triage your mail",
        "slack_sendMessage" => "send that message",
        "system_showWorkflowHistory" => "look at what was carried out",
        "system_showPatterns" => "look for patterns",
        "system_presentProposal" | "system_awaitConfirmation" => "find that proposal",
        "system_clearContext" => "forget that",
        "system_resumeWorkflow" => "go on with that",
        "system_provideFeedback" => "keep that",
        "approval_list" => "list what waits for you",
        "schedule_viewWeek" => "look at your week",
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

/// `Saturday, 21 November 2026`, as far as the data goes.
fn day(data: &Value) -> String {
    long_date(text(data, "date"))
}

pub(super) fn long_date(date: &str) -> String {
    date.parse::<jiff::civil::Date>().map_or_else(
        |_| date.to_owned(),
        |date| date.strftime("%A, %-d %B %Y").to_string(),
    )
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

pub(super) fn bullets(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("\n- {item}")).collect()
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
#[path = "tests.rs"]
mod tests;

#[cfg(test)]
#[path = "planner_tests.rs"]
mod planner_tests;
