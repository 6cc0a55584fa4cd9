//! What is said of a day and its calendar.

/// A meeting without a title.
#[must_use]
pub fn untitled_event() -> &'static str {
    "Untitled event"
}

/// A day that is shown without its meetings.
#[must_use]
pub fn calendar_not_read() -> &'static str {
    "The calendar could not be read just now, so its meetings are missing here."
}

/// Entries of a calendar that make no sense.
#[must_use]
pub fn entries_not_read(count: usize) -> String {
    match count {
        1 => "One entry of the calendar could not be read and is missing here.".into(),
        n => format!("{n} entries of the calendar could not be read and are missing here."),
    }
}

/// Where a task is that was changed.
#[must_use]
pub fn among_tasks() -> &'static str {
    "your tasks"
}
