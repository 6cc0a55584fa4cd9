//! What people read about their mail and meetings: titles and lines of cards, receipts.

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

/// Receipt of one archived mail.
#[must_use]
pub fn archived_mail(subject: &str) -> String {
    format!("Archived \"{subject}\"")
}

/// Receipt of archived mails.
#[must_use]
pub fn archived_mails(count: usize) -> String {
    format!("Archived {}", mails(count))
}

/// The title of a card.
#[must_use]
pub fn archive_mails_title(count: usize) -> String {
    format!("Archive {}", mails(count))
}

/// The title of a card.
#[must_use]
pub fn restore_mails_title(count: usize) -> String {
    format!("Put {} back", mails(count))
}

/// The title of a card.
#[must_use]
pub fn mark_mails_title(count: usize) -> String {
    format!("Mark {} for processing", mails(count))
}

/// Receipt of mails that are to be dealt with.
#[must_use]
pub fn marked_mails(count: usize) -> String {
    format!("Marked {} for processing", mails(count))
}

/// The label of a warning on a card.
#[must_use]
pub fn careful() -> &'static str {
    "⚠️ Careful"
}

/// Of a mail that may not be what it says: on a card, at the head of a task, for a model that reads it.
#[must_use]
pub fn mail_may_pretend(why: &str) -> String {
    format!("This e-mail looks like phishing: {why}.")
}

/// Receipt of a task made of such a mail.
#[must_use]
pub fn task_of_doubtful_mail(title: &str) -> String {
    format!("Created task \"{title}\" (its e-mail looks like phishing)")
}

/// A mail of a card that is gone.
#[must_use]
pub fn mail_not_there(id: &str) -> String {
    format!("{id} (no such e-mail)")
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

pub(crate) fn mails(count: usize) -> String {
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

/// A mail that isn't marked to be dealt with, as the reason beside its id.
#[must_use]
pub fn mail_dealt_with() -> &'static str {
    "It was dealt with or archived already."
}

/// Files of a mailbox that are no mail.
#[must_use]
pub fn mails_unreadable(count: usize) -> String {
    match count {
        1 => "1 file of your mailbox can't be read as a mail.".into(),
        more => format!("{more} files of your mailbox can't be read as mails."),
    }
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

/// On a card, before why a meeting moves: whether attendees read it.
#[must_use]
pub fn meeting_reason(told: bool) -> &'static str {
    if told {
        "Reason, for the attendees"
    } else {
        "Reason (not sent)"
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

/// A time that leaves less room around another meeting than its owner likes.
#[must_use]
pub fn near_a_meeting(minutes: u32) -> String {
    format!(
        "another meeting is less than {minutes} minutes away; no better time within ten days is free"
    )
}

/// A time at which tasks are to be done.
#[must_use]
pub fn over_tasks() -> String {
    "tasks are planned then; no other time within ten days is free".into()
}

/// A time at which something of the person's own is planned.
#[must_use]
pub fn over_blocks() -> String {
    "it overlaps what you have planned for yourself".into()
}

/// A time at which others sleep or rest.
#[must_use]
pub fn at_odd_hours() -> String {
    "it is outside 08:00–19:00 on a weekday for somebody; no better time within ten days is free"
        .into()
}

/// No time for everybody.
#[must_use]
pub fn no_common_time() -> &'static str {
    "Within ten days there is no time in your working hours at which everybody is free."
}

/// Receipt of a meeting.
#[must_use]
pub fn scheduled_meeting(title: &str, when: &str, invited: &[String]) -> String {
    let shown = invited.iter().take(5).map(String::as_str);
    let mut shown = shown.collect::<Vec<_>>().join(", ");
    if invited.len() > 5 {
        shown.push_str(&format!(" and {} more", invited.len() - 5));
    }
    match shown.as_str() {
        "" => format!("Scheduled \"{title}\" for {when}"),
        shown => format!("Scheduled \"{title}\" for {when}, invited {shown}"),
    }
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
