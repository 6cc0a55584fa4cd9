//! What Outlook's calendars do otherwise than others.

/// A quiet change of a meeting that has guests.
pub fn outlook_tells_guests(title: &str) -> String {
    format!(
        "Outlook tells everybody who is invited to \u{201c}{title}\u{201d} when it moves or is cancelled, so I can't do that quietly. I can do it and let them know."
    )
}

/// A change that was made once, and undone by somebody.
pub fn outlook_done_once(title: &str) -> String {
    format!(
        "I did that with \u{201c}{title}\u{201d} once, and it was changed again since. If it is to be done anew, please ask me again."
    )
}

/// A date of a series that would pass another one.
pub fn outlook_keeps_order() -> String {
    "Outlook keeps every date of a series between the one before and the one after it. Please choose a day in between.".into()
}

/// A monthly rule that Outlook reads otherwise.
pub fn outlook_month_ends(day: i8) -> String {
    format!(
        "`repeat`: where a month has no day {day}, Outlook takes its last day instead of leaving it out. Please choose a day from 1 to 28, or an end before that."
    )
}
