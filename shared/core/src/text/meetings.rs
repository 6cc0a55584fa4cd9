//! What people read about their meetings: titles and lines of cards, receipts.

use crate::ports::{Attendance, Frequency, Recurrence, RepeatEnd};

/// Title of a card: a meeting and its invitations.
pub fn schedule_meeting_title() -> &'static str {
    "Schedule a meeting"
}

/// Title of a card: a meeting moves.
pub fn reschedule_meeting_title() -> &'static str {
    "Reschedule a meeting"
}

/// What a meeting is called that nobody named.
pub fn meeting_with(names: &[String]) -> String {
    match names {
        [] => "Meeting".into(),
        [one] => format!("Meeting with {one}"),
        [first @ .., last] => format!("Meeting with {} and {last}", first.join(", ")),
    }
}

/// To a rule that no meeting can follow.
pub fn cant_repeat_so() -> String {
    "I can repeat a meeting every day, on days of the week or every month, or every few of those, until a day or for so many times.".into()
}

/// How a meeting repeats: "every 2 weeks on Monday and Wednesday, 10 times".
pub fn repeats(rule: &Recurrence) -> String {
    let step = match rule.frequency {
        Frequency::Daily => "day",
        Frequency::Weekly => "week",
        Frequency::Monthly => "month",
    };
    let every = match rule.interval {
        1 => format!("every {step}"),
        many => format!("every {many} {step}s"),
    };
    let days: Vec<String> = rule.days.iter().map(|day| format!("{day:?}")).collect();
    let on = match days.as_slice() {
        [] => String::new(),
        [one] => format!(" on {one}"),
        [first @ .., last] => format!(" on {} and {last}", first.join(", ")),
    };
    match rule.end {
        RepeatEnd::Never => format!("{every}{on}, without an end"),
        RepeatEnd::After(count) => format!("{every}{on}, {count} times"),
        RepeatEnd::On(last) => format!("{every}{on}, until {last}"),
    }
}

/// What a block before a meeting is called.
pub fn prepare(title: &str) -> String {
    format!("Prepare: {title}")
}

/// On a card: time to prepare, or that there is none.
pub fn preparation(time: Option<&str>, first_alone: bool) -> String {
    let first = if first_alone {
        ", before the first one"
    } else {
        ""
    };
    match time {
        Some(time) => format!("{time}, as a block in your day{first}"),
        None => "none, the time before is taken".into(),
    }
}

/// On a card: whose time nobody could check.
pub fn not_checked(whose: &[String]) -> String {
    format!("{} (I can't see these calendars)", whose.join(", "))
}

/// Entries of one's own calendar that can't be read.
pub fn own_entries(count: usize) -> String {
    match count {
        1 => "1 unreadable entry of your own".into(),
        more => format!("{more} unreadable entries of your own"),
    }
}

/// On a card: whether attendees hear of it.
pub fn attendees_told(told: bool) -> &'static str {
    if told {
        "they are told of the new time"
    } else {
        "they get no message, and see the new time in their calendars"
    }
}

/// On a card, before why a meeting moves: whether attendees read it.
pub fn meeting_reason(told: bool) -> &'static str {
    if told {
        "Reason, for the attendees"
    } else {
        "Reason (not sent)"
    }
}

/// On a card: the others of a series stay.
pub fn only_this_occurrence() -> &'static str {
    "only this occurrence moves"
}

/// Times that are taken, and those that could be had; reads on from the times.
pub fn times_taken(free: &[String]) -> String {
    if free.is_empty() {
        return "is taken, and nothing else is free within ten days.".into();
    }
    format!("is taken. Free: {}.", free.join("; "))
}

/// A time that leaves less room around another meeting than its owner likes.
pub fn near_a_meeting(minutes: u32) -> String {
    format!("another meeting is less than {minutes} minutes away")
}

/// A time at which tasks are to be done.
pub fn over_tasks() -> String {
    "tasks are planned then".into()
}

/// A time at which something of the person's own is planned.
pub fn over_blocks() -> String {
    "it overlaps what you have planned for yourself".into()
}

/// A time at which others sleep or rest; each with their own clock.
pub fn at_odd_hours(whose: &[String]) -> String {
    format!("outside 08:00–19:00 on a weekday for {}", whose.join(", "))
}

/// Of a series: the first date at which others sleep or rest, where the first one of all is at a decent hour.
pub fn at_odd_hours_later(date: &str, whose: &[String]) -> String {
    format!("from {date} on {}", at_odd_hours(whose))
}

/// What speaks against the best time there is.
pub fn no_better_time(against: &str) -> String {
    format!("{against}; no better time within ten days is free")
}

/// Of a series: on which of its dates people are busy, as far as it was looked ahead.
pub fn dates_ahead(dates: usize, last: &str, taken: &[String]) -> String {
    match taken {
        [] => format!("nobody is known to be busy on the {dates} dates until {last}"),
        taken => format!(
            "of the {dates} dates until {last} taken: {}",
            taken.join(", ")
        ),
    }
}

/// Fewer times than one could choose from.
pub fn fewer_times(found: usize) -> String {
    match found {
        0 => "No time within these days and your working hours is free for everybody.".into(),
        1 => "Only this one is free for everybody within these days.".into(),
        more => format!("Only these {more} are free for everybody within these days."),
    }
}

/// A calendar that isn't shared.
pub fn not_shared(who: &str) -> String {
    format!(
        "{who} doesn't share a calendar with you, so nobody can tell from here when they are free."
    )
}

/// Title of a card: a meeting is off.
pub fn cancel_meeting_title() -> &'static str {
    "Cancel a meeting"
}

/// On a card: what goes of a series.
pub fn cancelled_of_series(whole: bool) -> &'static str {
    match whole {
        true => "every date of it goes, past ones too",
        false => "only this date goes",
    }
}

/// On a card: that attendees hear of a meeting's end.
pub fn told_it_is_off() -> &'static str {
    "they are told that it is off"
}

/// On a card: there is no way back.
pub fn cancel_is_final() -> &'static str {
    "it can't be brought back; a new meeting is a new invitation"
}

/// Receipt of a meeting that is off; without a time of a whole series.
pub fn cancelled_meeting(title: &str, when: Option<&str>, told: &[String]) -> String {
    let what = of_series(title, when);
    match told {
        [] => format!("Cancelled {what}"),
        told => format!("Cancelled {what}, told {}", first_of(told)),
    }
}

/// A meeting with its time; a whole series has none.
fn of_series(title: &str, when: Option<&str>) -> String {
    match when {
        Some(when) => format!("\"{title}\" of {when}"),
        None => format!("every date of \"{title}\""),
    }
}

/// What can be done about a meeting that somebody else organises.
pub fn decline_instead() -> &'static str {
    "Somebody else organises that, so I can't cancel it. I can decline it for you."
}

/// What can be done about a meeting of one's own.
pub fn cancel_instead() -> &'static str {
    "You organise that yourself, so there is no invitation to answer. I can cancel it."
}

/// Title of a card: an invitation is answered.
pub fn answer_invitation_title() -> &'static str {
    "Answer an invitation"
}

/// On a card: what is answered.
pub fn answer(attendance: Attendance) -> &'static str {
    match attendance {
        Attendance::Accepted => "accept",
        Attendance::Tentative => "maybe",
        Attendance::Declined => "decline",
        Attendance::Unanswered => "no answer",
    }
}

/// On a card: what of a series is answered.
pub fn answered_of_series(whole: bool) -> &'static str {
    match whole {
        true => "every date of it that wasn't answered by itself",
        false => "only this date",
    }
}

/// Receipt of an answer to an invitation; without a time of a whole series.
pub fn answered_invitation(
    attendance: Attendance,
    title: &str,
    when: Option<&str>,
    told: &str,
) -> String {
    let did = match attendance {
        Attendance::Accepted => "Accepted",
        Attendance::Tentative => "Answered \"maybe\" to",
        Attendance::Declined => "Declined",
        Attendance::Unanswered => "Didn't answer",
    };
    format!("{did} {}, told {told}", of_series(title, when))
}

/// No time for everybody.
pub fn no_common_time() -> &'static str {
    "Within ten days there is no time in your working hours at which everybody is free."
}

/// Receipt of a meeting.
pub fn scheduled_meeting(title: &str, when: &str, invited: &[String]) -> String {
    match invited {
        [] => format!("Scheduled \"{title}\" for {when}"),
        invited => format!(
            "Scheduled \"{title}\" for {when}, invited {}",
            first_of(invited)
        ),
    }
}

fn first_of(people: &[String]) -> String {
    let mut shown = people
        .iter()
        .take(5)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if people.len() > 5 {
        shown.push_str(&format!(" and {} more", people.len() - 5));
    }
    shown
}

/// Receipt of a meeting that moved.
pub fn rescheduled_meeting(title: &str, when: &str) -> String {
    format!("Moved \"{title}\" to {when}")
}

/// Where meetings are.
pub fn in_calendar() -> &'static str {
    "your calendar"
}

/// On a card: a meeting gets a video call.
pub fn video_call_made() -> &'static str {
    "its link goes out with the invitation"
}

/// A calendar that can't make video calls.
pub fn no_video_calls() -> &'static str {
    "Your calendar can't make video calls. I can write a link of yours into the invitation instead."
}
