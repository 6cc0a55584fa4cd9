//! What people read about mail and calendars.

use crate::ports::{Attendance, Provider};

use super::NAME;

/// A mail to nobody.
pub fn mail_to_nobody() -> String {
    "The mail has no recipient (`to`).".into()
}

/// What is no address; `field` is where it stands.
pub fn no_address(field: &str, address: &str) -> String {
    format!("`{field}`: \u{201c}{address}\u{201d} is no e-mail address.")
}

/// A mail server that doesn't know the user or the password it was given.
pub fn mail_server_login() -> String {
    "The mail server doesn't accept the sign-in, so nothing was sent; please ask an administrator to check it.".into()
}

/// A mail server that takes no mail of this sender's.
pub fn mail_server_sender(address: &str) -> String {
    format!("The mail server takes no mail from \u{201c}{address}\u{201d}, so nothing was sent.")
}

/// A mail server that takes no mail for somebody.
pub fn mail_server_recipient(address: &str) -> String {
    format!(
        "The mail server takes no mail for \u{201c}{address}\u{201d}, so nothing was sent to anybody."
    )
}

/// A mail server that can't write to an address with letters beyond ASCII before the `@`.
pub fn mail_server_ascii(address: &str) -> String {
    format!(
        "The mail server can't send to or from \u{201c}{address}\u{201d}: it knows no such letters before the @. Nothing was sent."
    )
}

/// A mail server that doesn't want this mail.
pub fn mail_server_content() -> String {
    "The mail server refuses this mail, so nothing was sent.".into()
}

/// A mail server that keeps no marks beside those that all servers know.
pub fn mail_server_no_marks() -> String {
    "Your mail server keeps no marks of mine, so a mail there is unread, read or archived, and nothing else.".into()
}

/// A mail that can't be read, by when it arrived.
pub fn mail_of(at: jiff::Timestamp) -> String {
    format!("a mail of {}", at.strftime("%-d %B %Y"))
}

/// A calendar server that doesn't know the user or the password it was given.
pub fn calendar_server_login() -> String {
    "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it.".into()
}

/// A calendar server that doesn't take an event as it is.
pub fn calendar_server_refuses() -> String {
    "The calendar server refuses this event, so nothing was changed.".into()
}

/// A page's cursor that no list gave.
pub fn unknown_cursor() -> String {
    "`cursor`: it belongs to no list; please start from the first page.".into()
}

/// An event that ends before it starts, or at once.
pub fn event_ends_first() -> String {
    "`span`: the event must end after it starts.".into()
}

/// A time zone nobody knows.
pub fn unknown_zone(name: &str) -> String {
    format!("`time_zone`: I don't know the time zone \u{201c}{name}\u{201d}.")
}

/// A rule that the first day of its event doesn't fit.
pub fn first_day_not_in_rule(rule: &str, first: &str) -> String {
    format!("`repeat`: the event begins on {first}, which \u{201c}{rule}\u{201d} leaves out.")
}

/// A move that no calendar here makes.
pub fn series_not_moved() -> String {
    "A whole series can't be moved; single dates of it can.".into()
}

/// An answer where nothing was asked.
pub fn not_invited(title: &str) -> String {
    format!("You aren't invited to \u{201c}{title}\u{201d}, so there is nothing to answer.")
}

/// Another person's event.
pub fn not_your_event(title: &str) -> String {
    format!("Somebody else organises \u{201c}{title}\u{201d}; only they can move or cancel it.")
}

/// An event that isn't there.
pub fn event_gone() -> String {
    "The event isn't in the calendar any more.".into()
}

/// A file in a mailbox that holds no mail.
pub fn no_mail_in_file() -> String {
    "The file isn't a mail: it has no sender, recipient, subject or date.".into()
}

/// A file that should hold many mails and doesn't begin with one.
pub fn no_mbox() -> String {
    "The file isn't an mbox: it doesn't begin with \u{201c}From \u{201d}.".into()
}

/// A file that can't be opened.
pub fn file_not_read(why: &str) -> String {
    format!("The file can't be read ({why}).")
}

/// A file that holds no calendar.
pub fn no_calendar_in_file() -> String {
    "The file isn't a calendar: it has no `BEGIN:VCALENDAR`.".into()
}

/// A calendar that is cut off or not text, and so isn't written to.
pub fn calendar_not_written(file: &str) -> String {
    format!("`{file}` is damaged, so I don't write to it; please repair it or put it aside.")
}

/// A calendar beyond what is read.
pub fn file_too_large() -> String {
    "The file is too large to be read.".into()
}

/// An event whose text breaks off.
pub fn event_without_end() -> String {
    "The event has no `END:VEVENT`.".into()
}

/// An event of a size no event has.
pub fn event_too_large() -> String {
    "The event is too large to be read.".into()
}

/// An event that can't be parsed.
pub fn event_not_read() -> String {
    "The event can't be read.".into()
}

/// A date that is missing or none.
pub fn event_without(field: &str) -> String {
    format!("`{field}` is missing or can't be read.")
}

/// A time zone in a calendar that nobody knows.
pub fn event_zone(field: &str, zone: &str) -> String {
    let zone: String = zone.chars().filter(|c| !c.is_control()).take(100).collect();
    format!("`{field}`: I don't know the time zone \u{201c}{zone}\u{201d}.")
}

/// An event that ends before it starts.
pub fn event_ends_before_it_starts() -> String {
    "The event ends before it starts (`DTEND` or `DURATION`).".into()
}

/// A rule that isn't one; its first occurrence is shown.
pub fn event_rule(rule: &str) -> String {
    let rule: String = rule.chars().filter(|c| !c.is_control()).take(200).collect();
    format!(
        "`RRULE`: \u{201c}{rule}\u{201d} is no rule I can read, so only the first occurrence is shown."
    )
}

/// A rule with more occurrences than are counted.
pub fn event_too_often() -> String {
    "`RRULE`: the event repeats too often to be shown whole.".into()
}

/// A change of a series from a day on, of which only that day is shown.
pub fn event_later_too() -> String {
    "`RECURRENCE-ID`: the change is for all later occurrences too; only the one named is shown changed."
        .into()
}

/// An invitation: its subject and text.
pub fn invitation(title: &str, when: &str, description: &str) -> (String, String) {
    let text = format!("You are invited to \u{201c}{title}\u{201d}.\n\n{when}\n\n{description}");
    (format!("Invitation: {title}"), text.trim_end().into())
}

/// What people hear of an event that moved, and why where somebody says so: subject and text.
pub fn event_moved(title: &str, when: &str, note: &str) -> (String, String) {
    let text = format!("\u{201c}{title}\u{201d} has moved. It is now:\n\n{when}\n\n{note}");
    (format!("New time: {title}"), text.trim_end().into())
}

/// An event's description with what its organiser says of a change.
pub fn event_note(description: &str, day: &str, note: &str) -> String {
    let said = format!("Note of {day}: {}", note.trim());
    match description.trim_end() {
        "" => said,
        before => format!("{before}\n\n{said}"),
    }
}

/// What people hear of an event that is off: subject and text.
pub fn event_cancelled(title: &str, when: &str, series: bool) -> (String, String) {
    let planned = match series {
        true => "Every date of it is off, from the first one on:",
        false => "It was planned for:",
    };
    let text = format!("\u{201c}{title}\u{201d} is cancelled. {planned}\n\n{when}");
    (format!("Cancelled: {title}"), text)
}

/// What an organiser hears of an answer: subject and text.
pub fn event_answered(
    who: &str,
    attendance: Attendance,
    (title, when): (&str, &str),
    note: &str,
) -> (String, String) {
    let (subject, said) = match attendance {
        Attendance::Accepted => ("Accepted", "accepts the invitation to"),
        Attendance::Tentative => ("Tentative", "may come to"),
        Attendance::Declined => ("Declined", "declines the invitation to"),
        Attendance::Unanswered => ("Unanswered", "hasn't answered the invitation to"),
    };
    let text = format!("{who} {said} \u{201c}{title}\u{201d}:\n\n{when}\n\n{note}");
    (format!("{subject}: {title}"), text.trim_end().into())
}

/// Something that a provider doesn't do, and nobody here knows better why.
pub fn provider_refused(provider: Provider) -> String {
    format!(
        "{} doesn't accept this, and nothing happened.",
        provider.shown()
    )
}

/// An answer of a size nobody reads.
pub fn provider_too_large(provider: Provider) -> String {
    format!(
        "That is too large for {}, or for me to read.",
        provider.shown()
    )
}

/// A Microsoft account whose mail is elsewhere.
pub fn microsoft_no_mailbox() -> String {
    "Your Microsoft account has no mailbox that I can reach.".into()
}

/// A mailbox that takes no more.
pub fn microsoft_mailbox_full() -> String {
    "Your mailbox at Microsoft 365 is full, so nothing happened.".into()
}

/// A quota of a day.
pub fn google_used_up() -> String {
    "Google takes no more requests from this account today; please try again tomorrow.".into()
}

/// An API that nobody switched on in the project of the OAuth client.
pub fn google_api_disabled() -> String {
    "Google's side of this isn't switched on for Alfred; please ask an administrator to enable its API in the Google project.".into()
}

/// An OAuth client that its provider doesn't accept.
pub fn client_not_accepted(provider: Provider) -> String {
    let provider = provider.shown();
    format!(
        "{provider} doesn't accept this deployment of {NAME}; please ask an administrator to check its client's settings."
    )
}
