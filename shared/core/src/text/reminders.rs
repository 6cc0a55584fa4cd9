//! What is said of a meeting before it begins.

use jiff::civil::DateTime;

/// A meeting, how many minutes are left, and when it is.
pub fn meeting_ahead(title: &str, minutes: i64, from: DateTime, to: DateTime) -> String {
    let ahead = match minutes {
        ..=0 => "Now".to_owned(),
        1 => "In a minute".to_owned(),
        60 => "In an hour".to_owned(),
        120 => "In two hours".to_owned(),
        minutes => format!("In {minutes} minutes"),
    };
    let until = match from.date() == to.date() {
        true => to.strftime("%H:%M").to_string(),
        false => super::local_moment(to),
    };
    let from = super::local_moment(from);
    format!("**{ahead}: “{title}”**\n{from}–{until}")
}

/// Where it is.
pub fn meeting_is_at(place: &str) -> String {
    format!("Where: {place}")
}

/// Where its call is held.
pub fn meeting_call(link: &str) -> String {
    format!("Call: {link}")
}

/// Who comes.
pub fn meeting_people(people: &str) -> String {
    format!("With {people}")
}

/// Somebody who said no.
pub fn not_coming(name: &str) -> String {
    format!("{name} (not coming)")
}

/// Somebody who said perhaps.
pub fn maybe_coming(name: &str) -> String {
    format!("{name} (maybe)")
}

/// Names, and how many more there are.
pub fn and_others(names: &[String], more: usize) -> String {
    let names = names.join(", ");
    match more {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// What its invitation says, as its author wrote it.
pub fn meeting_about(agenda: &str) -> String {
    format!("The invitation says: “{agenda}”")
}

/// What its invitation links.
pub fn meeting_documents(links: &[String]) -> String {
    format!("Documents: {}", links.join(" "))
}

/// Stands before the last mails with its people.
pub fn meeting_mails() -> &'static str {
    "Your last mails with them:"
}

/// In their stead.
pub fn meeting_mails_not_read() -> &'static str {
    "I couldn't look for your mails with them just now."
}

/// A mail, and whom it was from or to.
pub fn mail_with(subject: &str, who: &str, sent: bool, at: DateTime) -> String {
    let at = super::local_moment(at);
    let way = if sent { "to" } else { "from" };
    match subject {
        "" => format!("- {at}, {way} {who}, without a subject"),
        subject => format!("- {at}, {way} {who}: “{subject}”"),
    }
}

/// Meetings that one message has no room for.
pub fn more_meetings(count: usize) -> String {
    match count {
        1 => "One more meeting begins then.".into(),
        count => format!("{count} more meetings begin then."),
    }
}

/// A calendar that nobody can read before its owner does something.
pub fn meetings_unread(why: &str) -> String {
    format!(
        "I can't remind you of your meetings just now. {why} I'll look again in half an hour; if that fails too, I pause these reminders until you tell me to go on."
    )
}

/// What these reminders are called.
pub fn meeting_reminder_name() -> &'static str {
    "Meeting reminders"
}

/// What is said each time.
pub fn meeting_reminder_words() -> &'static str {
    "What the meeting is, where, who comes, and what is known of it."
}

/// When that is.
pub fn before_meetings(minutes: u32, alone: bool) -> String {
    match alone {
        true => format!("{minutes} minutes before each event"),
        false => format!("{minutes} minutes before each meeting with others"),
    }
}
