//! Notifications about events: mails that calendar programs understand (RFC 5546, 6047).

use alfred_core::ports::{
    Account, Attendance, Event, EventTime, Mailbox, NewEvent, OutgoingFile, OutgoingMail, Response,
    Span,
};
use alfred_core::text;
use jiff::tz::TimeZone;

use crate::person::Identity;
use alfred_mime::digest;

pub(crate) struct Invitation {
    pub mail: OutgoingMail,
    pub key: String,
}

/// A notification without the event's properties, which depend on the change.
pub(super) struct Message {
    method: &'static str,
    key: String,
    to: Vec<Mailbox>,
    subject: String,
    text: String,
}

impl Message {
    pub fn created(new: &NewEvent, who: &Identity, uid: &str) -> Self {
        let zone = TimeZone::get(&new.time_zone).unwrap_or_else(|_| who.zone.clone());
        let mut when = worded(&new.span, &zone);
        if let Some(rule) = &new.repeat {
            when = format!("{when}\n{}", text::repeats(rule));
        }
        let (title, description) = (&new.title, &new.description);
        Self {
            method: "REQUEST",
            key: uid_key(uid),
            to: new.attendees.clone(),
            subject: format!("Invitation: {title}"),
            text: format!("You are invited to \u{201c}{title}\u{201d}.\n\n{when}\n\n{description}"),
        }
    }

    pub fn moved(event: &Event, who: &Identity, to: &Span, note: &str, key: &str) -> Self {
        let (title, when) = (&event.title, worded(to, &who.zone));
        Self {
            method: "REQUEST",
            key: moved_key(key),
            to: guests(event, who),
            subject: format!("New time: {title}"),
            text: format!("\u{201c}{title}\u{201d} has moved. It is now:\n\n{when}\n\n{note}"),
        }
    }

    /// The second message is for those who are guests no longer.
    pub fn changed(event: &Event, after: &Event, who: &Identity, key: &str) -> [Self; 2] {
        let (title, when, place) = (&event.title, planned(after, who), &after.location);
        let [key, removal] = changed_keys(key);
        let (to, mut removed) = (guests(after, who), guests(event, who));
        removed.retain(|one| !to.contains(one));
        let removed = Self {
            to: removed,
            key: removal,
            subject: format!("No longer invited: {title}"),
            text: format!(
                "You are no longer invited to \u{201c}{title}\u{201d}. It is planned for:\n\n{when}"
            ),
            ..Self::cancelled(event, who, "")
        };
        let changed = Self {
            method: "REQUEST",
            key,
            to,
            subject: format!("Updated invitation: {title}"),
            text: format!("\u{201c}{title}\u{201d} is now:\n\n{when}\n{place}"),
        };
        [changed, removed]
    }

    pub fn cancelled(event: &Event, who: &Identity, key: &str) -> Self {
        let (title, when) = (&event.title, planned(event, who));
        let planned = if event.is_series() {
            "Every date of it is off, from the first one on:"
        } else {
            "It was planned for:"
        };
        Self {
            method: "CANCEL",
            key: cancelled_key(key),
            to: guests(event, who),
            subject: format!("Cancelled: {title}"),
            text: format!("\u{201c}{title}\u{201d} is cancelled. {planned}\n\n{when}"),
        }
    }

    pub fn answered(
        event: &Event,
        organizer: &Mailbox,
        who: &Identity,
        response: &Response,
        key: &str,
    ) -> Self {
        let me = match who.mailbox.name.as_str() {
            "" => &who.mailbox.address,
            name => name,
        };
        let (subject, said) = match response.attendance {
            Attendance::Accepted => ("Accepted", "accepts the invitation to"),
            Attendance::Tentative => ("Tentative", "may come to"),
            Attendance::Declined => ("Declined", "declines the invitation to"),
            Attendance::Unanswered => ("Unanswered", "hasn't answered the invitation to"),
        };
        let (title, when, note) = (&event.title, planned(event, who), &response.note);
        Self {
            method: "REPLY",
            key: answered_key(key),
            to: vec![organizer.clone()],
            subject: format!("{subject}: {title}"),
            text: format!("{me} {said} \u{201c}{title}\u{201d}:\n\n{when}\n\n{note}"),
        }
    }

    /// The mail with these components. `None` without recipients.
    pub fn about(&self, components: &str) -> Option<Invitation> {
        if self.to.is_empty() {
            return None;
        }
        let method = self.method;
        let body = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Alfred//Alfred//EN\r\nMETHOD:{method}\r\n{components}END:VCALENDAR\r\n"
        );
        let calendar = OutgoingFile {
            name: "invite.ics".into(),
            content_type: format!("text/calendar; method={method}; charset=utf-8"),
            content: body.into_bytes(),
            version: None,
        };
        let mail = OutgoingMail {
            to: self.to.clone(),
            subject: self.subject.clone(),
            text: self.text.trim_end().into(),
            files: vec![calendar],
            ..OutgoingMail::default()
        };
        let key = self.key.clone();
        Some(Invitation { mail, key })
    }
}

fn guests(event: &Event, who: &Identity) -> Vec<Mailbox> {
    let is_guest = |one: &&Mailbox| one.address != who.mailbox.address && one.is_addressable();
    let people = event.attendees.iter().map(|attendee| &attendee.mailbox);
    people.filter(is_guest).cloned().collect()
}

/// The `UID` of the event that is created under a key.
pub(super) fn uid(account: &Account, key: &str) -> String {
    format!("{}@alfred", digest(account, key))
}

pub(crate) fn created_key(account: &Account, key: &str) -> String {
    uid_key(&uid(account, key))
}

fn uid_key(uid: &str) -> String {
    format!("invite {uid}")
}

/// Depends only on the move's key, not on the event's current state.
pub(crate) fn moved_key(key: &str) -> String {
    format!("move {key}")
}

pub(crate) fn changed_keys(key: &str) -> [String; 2] {
    [format!("change {key}"), format!("remove {key}")]
}

pub(crate) fn cancelled_key(key: &str) -> String {
    format!("cancel {key}")
}

pub(crate) fn answered_key(key: &str) -> String {
    format!("answer {key}")
}

fn planned(event: &Event, who: &Identity) -> String {
    match event.time {
        EventTime::Timed { start, end } => worded(&Span { start, end }, &who.zone),
        EventTime::AllDay { first, .. } => first.to_string(),
    }
}

/// `Tuesday 24 November 2026, 09:00–09:45 (Europe/Lisbon)`.
fn worded(span: &Span, zone: &TimeZone) -> String {
    let [start, end] = [span.start, span.end].map(|at| at.to_zoned(zone.clone()));
    let name = zone.iana_name().unwrap_or("UTC");
    let (time, day_and_time) = ("%H:%M", "%A %-d %B %Y, %H:%M");
    let is_one_day = start.date() == end.date();
    let to = end.strftime(if is_one_day { time } else { day_and_time });
    format!("{}–{to} ({name})", start.strftime(day_and_time))
}
