//! What it says when no tool has given anything.

use alfred_core::ports::ToolSpec;
use alfred_core::{Role, text};

use super::intent::Call;
use super::phrase::{attempt, bullets};

/// What each tool is for, as a person would ask for it.
const ABILITIES: [(&str, &str); 29] = [
    (
        "time_now",
        "the time anywhere, and how long until then: \"what time is it in Tokyo?\", \"how long until Friday?\"",
    ),
    (
        "time_convert",
        "times between zones: \"3pm New York in Berlin\"",
    ),
    (
        "time_add",
        "dates ahead or back, and weekdays: \"45 days from 2026-03-01\", \"what day is Christmas?\"",
    ),
    ("user_list", "who is registered: \"list users\""),
    ("user_lookup", "who somebody is: \"who is Ana?\""),
    (
        "schedule_viewSchedule",
        "your schedule: \"what's on tomorrow?\"",
    ),
    (
        "schedule_createTimeBlock",
        "a new block: \"block 9 to 11 tomorrow for deep work\"",
    ),
    (
        "schedule_moveTimeBlock",
        "another time for a block: \"move my deep work block to 3pm\"",
    ),
    (
        "schedule_deleteTimeBlock",
        "a block off your schedule: \"delete the gym block\"",
    ),
    (
        "workflow_schedule",
        "a plan for a day: \"plan my day, no meetings before 10\"",
    ),
    (
        "schedule_findGaps",
        "free time: \"when am I free on Friday?\"",
    ),
    (
        "schedule_analyzeUtilization",
        "how a day is used: \"how does tomorrow look?\"",
    ),
    (
        "task_createTask",
        "a new task: \"remind me to call the bank on Friday\"",
    ),
    (
        "task_viewTasks",
        "your tasks: \"show my high priority tasks\", \"what's overdue?\"",
    ),
    (
        "task_completeTask",
        "a task that is done: \"mark call the bank as done\"",
    ),
    (
        "task_updateTask",
        "a change of a task: \"set the priority of call the bank to high\"",
    ),
    (
        "task_suggestForDuration",
        "what to do with your time: \"I have 45 minutes, what should I work on?\"",
    ),
    (
        "workflow_fillWorkBlock",
        "tasks for a work block: \"fill my work block\"",
    ),
    ("workflow_fillEmailBlock", "your inbox: \"triage my mail\""),
    (
        "email_readEmail",
        "your e-mails: \"show my unread mail\", \"read the mail from Ana about the budget\"",
    ),
    (
        "email_archiveBatch",
        "the archive: \"archive the mail from LinkedIn\"",
    ),
    (
        "email_createTaskFromEmail",
        "a task from an e-mail: \"make a task from the mail about the contract\"",
    ),
    (
        "calendar_scheduleMeeting",
        "meetings: \"find an hour with Ana\", \"move my meeting with Ana to 3pm\"",
    ),
    (
        "preference_updatePreferences",
        "your preferences: \"my work day starts at 8\"",
    ),
    (
        "approval_list",
        "what waits for you: \"what proposals are waiting?\"",
    ),
    (
        "system_resumeWorkflow",
        "what was interrupted: \"go on with my triage\"",
    ),
    (
        "system_provideFeedback",
        "what to keep in mind: \"remember: no meetings before 10\"",
    ),
    (
        "system_showPatterns",
        "your habits: \"what patterns do you see?\", \"show my workflow history\"",
    ),
    (
        "system_clearContext",
        "what to forget: \"forget our conversation\", \"clear the proposals\"",
    ),
];

/// What it can do with the tools at hand.
pub(super) fn help(tools: &[ToolSpec]) -> String {
    let offered = |tool: &str| tools.iter().any(|spec| spec.name == tool);
    let abilities: Vec<String> = ABILITIES
        .iter()
        .filter(|(tool, _)| offered(tool))
        .map(|(_, words)| (*words).to_owned())
        .collect();
    if abilities.is_empty() {
        return "I'm running without a language model and without tools, so there is nothing I can do here. Set ALFRED_MODEL to change that.".into();
    }
    format!(
        "I'm running without a language model, so I only understand some requests. I can tell or do:{}\nFor everything else set ALFRED_MODEL or OPENAI_API_KEY.",
        bullets(abilities.into_iter())
    )
}

/// A part of a message that it can't do anything with.
pub(super) fn not_understood(part: &str) -> String {
    const SHOWN: usize = 80;
    let short: String = part.chars().take(SHOWN).collect();
    let dots = if short.len() < part.len() { "…" } else { "" };
    format!("I don't understand \"{short}{dots}\" without a language model.")
}

/// Understood, but the tool isn't there for this person: a guest may only read.
pub(super) fn not_offered(calls: &[Call], role: Option<Role>) -> String {
    let changes = |call: &&Call| call.changes();
    if role == Some(Role::Guest)
        && let Some(call) = calls.iter().find(changes)
    {
        let category = call.purpose().split('_').next().unwrap_or_default();
        return text::denied(category, Role::Member, Role::Guest);
    }
    let mut what: Vec<&str> = calls.iter().map(|call| attempt(call.purpose())).collect();
    what.dedup();
    format!(
        "I can't {} for you: there is no tool for that here.",
        what.join(" or ")
    )
}

/// Nothing, or more than one thing, of that title.
pub(super) fn not_one(title: &str, found: &[String]) -> String {
    if found.is_empty() {
        return format!("I found nothing called \"{title}\" there, so I changed nothing.");
    }
    let count = match found.len() {
        2 => "Two".to_owned(),
        n => n.to_string(),
    };
    format!(
        "{count} match: {}. Which one do you mean? I changed nothing.",
        found.join(", ")
    )
}

/// Blocks or tasks that are to come again and again.
pub(super) fn no_repetition(what: &str) -> String {
    format!(
        "I can't repeat {what} yet, so I added nothing. Ask for a single day, and I'll do that one."
    )
}

/// A block over midnight.
pub(super) fn past_midnight(start: &str, end: &str) -> String {
    format!(
        "From {start} to {end} is past midnight, and a block ends on the day it starts, at 24:00 at the latest. I added nothing; ask for one block on each day."
    )
}

/// A meeting that is to move to a day, without a time.
pub(super) fn no_time(day: &str) -> String {
    format!(
        "At what time on {}? I changed nothing.",
        super::phrase::long_date(day)
    )
}

/// A holiday whose date isn't the same each year.
pub(super) fn movable_holiday(name: &str) -> String {
    format!(
        "I don't know when {name} is: its date changes from year to year or from place to place."
    )
}

/// A date that the calendar doesn't have.
pub(super) fn no_such_day(written: &str) -> String {
    format!("\"{written}\" does not exist in the calendar.")
}

/// Hello, or thanks.
pub(super) fn greeting(message: &str) -> String {
    if message.to_lowercase().contains("than") || message.to_lowercase().contains("thx") {
        "You're welcome.".into()
    } else {
        "Hello! I'm Alfred, running without a language model. Ask me for the time somewhere, your schedule or your tasks, or say \"help\".".into()
    }
}
