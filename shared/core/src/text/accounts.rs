//! What people read about mail and calendars.

use crate::ports::AccountService;

/// A mail to nobody.
#[must_use]
pub fn mail_to_nobody() -> String {
    "The mail has no recipient (`to`).".into()
}

/// What is no address; `field` is where it stands.
#[must_use]
pub fn no_address(field: &str, address: &str) -> String {
    format!("`{field}`: \u{201c}{address}\u{201d} is no e-mail address.")
}

/// A page's cursor that no list gave.
#[must_use]
pub fn unknown_cursor() -> String {
    "`cursor`: it belongs to no list; please start from the first page.".into()
}

/// An event that ends before it starts, or at once.
#[must_use]
pub fn event_ends_first() -> String {
    "`span`: the event must end after it starts.".into()
}

/// A time zone nobody knows.
#[must_use]
pub fn unknown_zone(name: &str) -> String {
    format!("`time_zone`: I don't know the time zone \u{201c}{name}\u{201d}.")
}

/// Another person's event.
#[must_use]
pub fn not_your_event(title: &str) -> String {
    format!("Somebody else organises \u{201c}{title}\u{201d}; only they can move or cancel it.")
}

/// An event that isn't there.
#[must_use]
pub fn event_gone() -> String {
    "The event isn't in the calendar any more.".into()
}

/// A file in a mailbox that holds no mail.
#[must_use]
pub fn no_mail_in_file() -> String {
    "The file isn't a mail: it has no sender, recipient, subject or date.".into()
}

/// A file that should hold many mails and doesn't begin with one.
#[must_use]
pub fn no_mbox() -> String {
    "The file isn't an mbox: it doesn't begin with \u{201c}From \u{201d}.".into()
}

/// A file that can't be opened.
#[must_use]
pub fn file_not_read(why: &str) -> String {
    format!("The file can't be read ({why}).")
}

/// A file whose name isn't Unicode.
#[must_use]
pub fn file_name_not_read() -> String {
    "The file's name isn't valid Unicode; please rename it.".into()
}

/// A file that holds no calendar.
#[must_use]
pub fn no_calendar_in_file() -> String {
    "The file isn't a calendar: it has no `BEGIN:VCALENDAR`.".into()
}

/// A calendar that is cut off or not text, and so isn't written to.
#[must_use]
pub fn calendar_not_written(file: &str) -> String {
    format!("`{file}` is damaged, so I don't write to it; please repair it or put it aside.")
}

/// A calendar beyond what is read.
#[must_use]
pub fn file_too_large() -> String {
    "The file is too large to be read.".into()
}

/// An event whose text breaks off.
#[must_use]
pub fn event_without_end() -> String {
    "The event has no `END:VEVENT`.".into()
}

/// An event of a size no event has.
#[must_use]
pub fn event_too_large() -> String {
    "The event is too large to be read.".into()
}

/// An event that can't be parsed.
#[must_use]
pub fn event_not_read() -> String {
    "The event can't be read.".into()
}

/// A date that is missing or none.
#[must_use]
pub fn event_without(field: &str) -> String {
    format!("`{field}` is missing or can't be read.")
}

/// A time zone in a calendar that nobody knows.
#[must_use]
pub fn event_zone(field: &str, zone: &str) -> String {
    let zone: String = zone.chars().filter(|c| !c.is_control()).take(100).collect();
    format!("`{field}`: I don't know the time zone \u{201c}{zone}\u{201d}.")
}

/// An event that ends before it starts.
#[must_use]
pub fn event_ends_before_it_starts() -> String {
    "The event ends before it starts (`DTEND` or `DURATION`).".into()
}

/// A rule that isn't one; its first occurrence is shown.
#[must_use]
pub fn event_rule(rule: &str) -> String {
    let rule: String = rule.chars().filter(|c| !c.is_control()).take(200).collect();
    format!(
        "`RRULE`: \u{201c}{rule}\u{201d} is no rule I can read, so only the first occurrence is shown."
    )
}

/// A rule with more occurrences than are counted.
#[must_use]
pub fn event_too_often() -> String {
    "`RRULE`: the event repeats too often to be shown whole.".into()
}

/// A change of a series from a day on, of which only that day is shown.
#[must_use]
pub fn event_later_too() -> String {
    "`RECURRENCE-ID`: the change is for all later occurrences too; only the one named is shown changed."
        .into()
}

/// An invitation: its subject and text.
#[must_use]
pub fn invitation(title: &str, when: &str, description: &str) -> (String, String) {
    let text = format!("You are invited to \u{201c}{title}\u{201d}.\n\n{when}\n\n{description}");
    (format!("Invitation: {title}"), text.trim_end().into())
}

/// What people hear of an event that moved: subject and text.
#[must_use]
pub fn event_moved(title: &str, when: &str) -> (String, String) {
    let text = format!("\u{201c}{title}\u{201d} has moved. It is now:\n\n{when}");
    (format!("New time: {title}"), text)
}

/// What people hear of an event that is off: subject and text.
#[must_use]
pub fn event_cancelled(title: &str, when: &str) -> (String, String) {
    let text = format!("\u{201c}{title}\u{201d} is cancelled. It was planned for:\n\n{when}");
    (format!("Cancelled: {title}"), text)
}

/// An account that a tool needs and nobody connected.
#[must_use]
pub fn account_not_connected(tool: &str, service: AccountService) -> String {
    let account = match service {
        AccountService::Mail => "e-mail account",
        AccountService::Calendar => "calendar",
    };
    format!("{tool} needs your {account}, and you haven't connected one yet.")
}

/// Title of a card: an answer to a mail.
#[must_use]
pub fn send_reply_title() -> &'static str {
    "Send an e-mail reply"
}

/// On a card: what becomes of the mail that was answered.
#[must_use]
pub fn then_processed() -> &'static str {
    "the e-mail is marked as processed"
}

/// Receipt of an answer to a mail.
#[must_use]
pub fn sent_reply(to: &str) -> String {
    format!("Sent an e-mail reply to {to}")
}

/// Receipt of archived mails.
#[must_use]
pub fn archived_mails(count: usize) -> String {
    format!("Archived {}", mails(count))
}

/// Receipt of mails that are out of the archive again.
#[must_use]
pub fn restored_mails(count: usize) -> String {
    format!("Restored {}", mails(count))
}

/// Where archived and restored mails are.
#[must_use]
pub fn in_mailbox() -> &'static str {
    "your mailbox"
}

fn mails(count: usize) -> String {
    match count {
        1 => "1 e-mail".into(),
        more => format!("{more} e-mails"),
    }
}

/// A mail that can't be found, as the reason beside its id.
#[must_use]
pub fn no_such_mail() -> &'static str {
    "There is no such e-mail in your mailbox."
}

/// A mail whose state couldn't be changed.
#[must_use]
pub fn mailbox_not_reached() -> &'static str {
    "Your mailbox didn't answer; please check and try again."
}

/// A task made of a mail without a subject.
#[must_use]
pub fn untitled_mail_task(from: &str) -> String {
    let title = format!("E-mail from {from}");
    title.chars().take(200).collect()
}

/// At the end of a task's description: which mail it was made of.
#[must_use]
pub fn task_source(from: &str, subject: &str, id: &str) -> String {
    format!("From: {from}\nSubject: {subject}\nE-mail: {id}")
}

/// Somebody whose address is no longer known.
#[must_use]
pub fn somebody() -> &'static str {
    "the sender"
}

/// Title of a card: a meeting and its invitations.
#[must_use]
pub fn schedule_meeting_title() -> &'static str {
    "Schedule a meeting"
}

/// Title of a card: a meeting moves.
#[must_use]
pub fn reschedule_meeting_title() -> &'static str {
    "Reschedule a meeting"
}

/// What a meeting is called that nobody named.
#[must_use]
pub fn meeting_with(names: &[String]) -> String {
    match names {
        [] => "Meeting".into(),
        [one] => format!("Meeting with {one}"),
        [first @ .., last] => format!("Meeting with {} and {last}", first.join(", ")),
    }
}

/// What a block before a meeting is called.
#[must_use]
pub fn prepare(title: &str) -> String {
    format!("Prepare: {title}")
}

/// On a card: time to prepare, or that there is none.
#[must_use]
pub fn preparation(time: Option<&str>) -> String {
    match time {
        Some(time) => format!("{time}, as a block in your day"),
        None => "none, the time before is taken".into(),
    }
}

/// On a card: whose time nobody could check.
#[must_use]
pub fn not_checked(whose: &[String]) -> String {
    format!("{} (I can't see these calendars)", whose.join(", "))
}

/// Entries of one's own calendar that can't be read.
#[must_use]
pub fn own_entries(count: usize) -> String {
    match count {
        1 => "1 unreadable entry of your own".into(),
        more => format!("{more} unreadable entries of your own"),
    }
}

/// On a card: whether attendees hear of it.
#[must_use]
pub fn attendees_told(told: bool) -> &'static str {
    if told {
        "they are told of the new time"
    } else {
        "they get no message, and see the new time in their calendars"
    }
}

/// On a card: the others of a series stay.
#[must_use]
pub fn only_this_occurrence() -> &'static str {
    "only this occurrence moves"
}

/// Times that are taken, and those that could be had; reads on from the times.
#[must_use]
pub fn times_taken(free: &[String]) -> String {
    if free.is_empty() {
        return "is taken, and nothing else is free within ten days.".into();
    }
    format!("is taken. Free: {}.", free.join("; "))
}

/// No time for everybody.
#[must_use]
pub fn no_common_time() -> &'static str {
    "Within ten days there is no time in your working hours at which everybody is free."
}

/// Receipt of a meeting.
#[must_use]
pub fn scheduled_meeting(title: &str, when: &str) -> String {
    format!("Scheduled \"{title}\" for {when}")
}

/// Receipt of a meeting that moved.
#[must_use]
pub fn rescheduled_meeting(title: &str, when: &str) -> String {
    format!("Moved \"{title}\" to {when}")
}

/// Where meetings are.
#[must_use]
pub fn in_calendar() -> &'static str {
    "your calendar"
}
