//! What is said of reminders and scheduled jobs.

use jiff::civil::{DateTime, Time};

/// A local moment as people say it: "Tue 24 Nov 09:00".
pub fn local_moment(at: DateTime) -> String {
    at.strftime("%a %-d %b %H:%M").to_string()
}

/// A reminder when it is due, or so late that its owner should know.
pub fn reminder(words: &str, missed: Option<&str>) -> String {
    match missed {
        None => format!("⏰ {words}"),
        Some(due) => format!("⏰ {words}\n\n_This was due {due}; I couldn't say it earlier._"),
    }
}

/// Stands for the request of what nobody asked just now.
pub fn scheduled_request(name: &str) -> String {
    format!("(scheduled: {name})")
}

/// Under the answer of a scheduled run.
pub fn scheduled_line(name: &str, missed: Option<&str>) -> String {
    match missed {
        None => format!("Scheduled: {name}"),
        Some(due) => format!("Scheduled: {name}. This was due {due}."),
    }
}

/// In the direct message, where the place that was asked for takes nothing.
pub fn place_is_gone() -> &'static str {
    "You get this here because I can't write any more where you asked for it."
}

/// A job that is paused after failures.
pub fn job_paused_failing() -> &'static str {
    "That was the third time in a row, so I've paused it. Tell me when I should go on with it."
}

/// A job whose zone isn't known any more.
pub fn job_zone_unknown(name: &str, zone: &str) -> String {
    format!(
        "I've paused “{name}”: I don't know the time zone {zone}. Tell me which one to use, and I'll go on."
    )
}

/// What runs by itself has used up its day.
pub fn jobs_used_up_today() -> String {
    "Your scheduled jobs have used up what they may use in a day, so those that need thinking rest until tomorrow. Reminders come as always, and you can ask me things as always.".into()
}

/// What a model is told of a run that nobody waits for.
pub fn scheduled_for_model(name: &str, nothing: &str) -> String {
    format!(
        "This request runs by itself, as the person scheduled it (\"{name}\"); nobody is waiting for it. Do it now, once, and schedule nothing for it. If there is nothing worth telling, answer exactly {nothing}."
    )
}

/// What a morning brief asks each time.
pub fn brief_request() -> &'static str {
    "Briefly show my meetings today, my tasks and my unread mail, the most pressing first."
}

/// What an evening review asks each time.
pub fn review_request() -> &'static str {
    "Review my day with me: which tasks were done, which are left, and what tomorrow begins with. Short."
}

/// What it is called.
pub fn brief_name() -> &'static str {
    "Morning brief"
}

/// What it is called.
pub fn review_name() -> &'static str {
    "Evening review"
}

/// Titles of cards.
pub fn create_job_title(is_reminder: bool) -> &'static str {
    match is_reminder {
        true => "Set a reminder",
        false => "Schedule a job",
    }
}

/// Title of a card.
pub fn update_job_title() -> &'static str {
    "Change what is scheduled"
}

/// Title of a card.
pub fn delete_job_title() -> &'static str {
    "Delete what is scheduled"
}

/// Where it can be seen.
pub fn among_jobs() -> &'static str {
    "what is scheduled"
}

/// When something happens each week: "every weekday at 08:00".
pub fn each_week(days: &[i8], time: Time) -> String {
    const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let time = time.strftime("%H:%M");
    let which = match days {
        [1, 2, 3, 4, 5, 6, 7] => "day".to_owned(),
        [1, 2, 3, 4, 5] => "weekday".to_owned(),
        [6, 7] => "Saturday and Sunday".to_owned(),
        days => {
            let names = days.iter().filter_map(|day| {
                let at = usize::try_from(day - 1).ok()?;
                NAMES.get(at).copied()
            });
            names.collect::<Vec<_>>().join(", ")
        }
    };
    format!("every {which} at {time}")
}

/// When something happens again and again.
pub fn each_minutes(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (1, 0) => "every hour".into(),
        (hours, 0) => format!("every {hours} hours"),
        _ => format!("every {minutes} minutes"),
    }
}

/// A time in another zone than the person's own.
pub fn in_zone(when: &str, zone: &str) -> String {
    format!("{when} in {zone}")
}

/// A receipt.
pub fn job_set(is_reminder: bool, name: &str, when: &str) -> String {
    match is_reminder {
        true => format!("Reminder set: “{name}”, {when}"),
        false => format!("Scheduled “{name}”, {when}"),
    }
}

/// A receipt.
pub fn job_changed(name: &str, what: &str) -> String {
    format!("Changed “{name}”: {what}")
}

/// A receipt.
pub fn job_deleted(name: &str) -> String {
    format!("Deleted “{name}” from what is scheduled")
}
