//! What is said of a day and its calendar.

/// A meeting without a title.
pub fn untitled_event() -> &'static str {
    "Untitled event"
}

/// A day that is shown without its meetings.
pub fn calendar_not_read() -> &'static str {
    "The calendar could not be read just now, so its meetings are missing here."
}

/// What is on all day and takes no time of it.
pub fn all_day_entries(titles: &[String]) -> String {
    format!("All day: {}.", titles.join(", "))
}

/// A plan of a day whose meetings nobody told us.
pub fn no_calendar() -> &'static str {
    "No calendar is connected, so meetings that aren't in Alfred's plan are missing here."
}

/// Entries of a calendar that make no sense.
pub fn entries_not_read(count: usize) -> String {
    match count {
        1 => "One entry of the calendar could not be read and is missing here.".into(),
        n => format!("{n} entries of the calendar could not be read and are missing here."),
    }
}

/// Where a task is that was changed.
pub fn among_tasks() -> &'static str {
    "your tasks"
}

/// The kind of a block, for people.
pub fn kind_of_block(kind: &str) -> &str {
    match kind {
        "work" => "Focus",
        "meeting" => "Meeting",
        "email" => "E-mail",
        "break" => "Break",
        "blocked" => "Blocked",
        other => other,
    }
}

/// A day without anything on it, in its picture.
pub fn nothing_on_a_day() -> &'static str {
    "Nothing planned yet"
}

/// The same on one line.
pub fn nothing_planned() -> &'static str {
    "nothing planned"
}

/// How much of a day is taken.
pub fn is_planned(hours: &str) -> String {
    format!("{hours} planned")
}

/// How much of it is for focus.
pub fn of_focus(hours: &str) -> String {
    format!("{hours} focus")
}

/// How much of it is meetings.
pub fn of_meetings(hours: &str) -> String {
    format!("{hours} meetings")
}

/// What isn't at a time but all day.
pub fn all_day() -> &'static str {
    "all day"
}

/// A stretch without anything.
pub fn free() -> &'static str {
    "free"
}

/// The day it is.
pub fn today() -> &'static str {
    "today"
}

/// Days that have no room beside a picture.
pub fn and_more_days(count: usize) -> String {
    match count {
        1 => "And one more day.".into(),
        count => format!("And {count} more days."),
    }
}

/// From when to when, to be heard.
pub fn from_to(start: &str, end: &str) -> String {
    format!("{start} to {end}")
}

/// A day of a week, to be heard.
pub fn entries_of_a_day(count: usize, planned: &str) -> String {
    match count {
        1 => format!("one entry, {planned}"),
        count => format!("{count} entries, {planned}"),
    }
}

/// The title of a change of preferences.
pub fn update_preferences_title() -> &'static str {
    "Change your preferences"
}

/// What has no room.
pub fn and_more(count: usize) -> String {
    format!("and {count} more")
}

/// What a person's settings are called.
pub fn your_preferences() -> &'static str {
    "Your preferences"
}
