//! Notifications about events: mails that calendar programs understand (RFC 5546, 6047).

use alfred_core::ports::{
    Account, Attendance, Event, EventTime, Mailbox, NewEvent, OutgoingFile, OutgoingMail, Response,
    Span,
};
use alfred_core::text;
use jiff::tz::TimeZone;

use super::edit::{Change, Made};
use crate::person::Identity;
use alfred_mime::digest;

pub(crate) struct Invitation {
    pub mail: OutgoingMail,
    pub key: String,
}

impl Invitation {
    pub(super) fn to(new: &NewEvent, made: &Made, who: &Identity) -> Self {
        let zone = TimeZone::get(&new.time_zone).unwrap_or_else(|_| who.zone.clone());
        let when = worded(&new.span, &zone);
        let when = match &new.repeat {
            Some(rule) => format!("{when}\n{}", text::repeats(rule)),
            None => when,
        };
        let (title, description) = (&new.title, &new.description);
        let text =
            format!("You are invited to \u{201c}{title}\u{201d}.\n\n{when}\n\n{description}");
        let words = (format!("Invitation: {title}"), text);
        let to = new.attendees.clone();
        Self::new("REQUEST", to, words, uid_key(&made.uid), &made.components())
    }

    /// The notification of a move. `None` if there are no guests.
    pub(super) fn moved(
        event: &Event,
        change: &Change,
        who: &Identity,
        (to, note): (Span, &str),
        key: &str,
    ) -> Option<Self> {
        let (title, when) = (&event.title, worded(&to, &who.zone));
        let text = format!("\u{201c}{title}\u{201d} has moved. It is now:\n\n{when}\n\n{note}");
        let words = (format!("New time: {title}"), text);
        Self::about(event, change, who, ("REQUEST", moved_key(key)), words)
    }

    /// The notification of a cancellation. `None` if there are no guests.
    pub(super) fn cancelled(
        event: &Event,
        change: &Change,
        who: &Identity,
        key: &str,
    ) -> Option<Self> {
        let (title, when) = (&event.title, planned(event, who));
        let planned = if event.is_series() {
            "Every date of it is off, from the first one on:"
        } else {
            "It was planned for:"
        };
        let text = format!("\u{201c}{title}\u{201d} is cancelled. {planned}\n\n{when}");
        let words = (format!("Cancelled: {title}"), text);
        Self::about(event, change, who, ("CANCEL", cancelled_key(key)), words)
    }

    pub(super) fn answered(
        (event, organizer): (&Event, &Mailbox),
        components: &str,
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
        let text = format!("{me} {said} \u{201c}{title}\u{201d}:\n\n{when}\n\n{note}");
        let words = (format!("{subject}: {title}"), text);
        let to = vec![organizer.clone()];
        Self::new("REPLY", to, words, answered_key(key), components)
    }

    fn about(
        event: &Event,
        change: &Change,
        who: &Identity,
        (method, key): (&'static str, String),
        words: (String, String),
    ) -> Option<Self> {
        let others = event.attendees.iter().map(|attendee| &attendee.mailbox);
        let others = others.filter(|other| other.address != who.mailbox.address);
        let others: Vec<_> = others
            .filter(|other| other.is_addressable())
            .cloned()
            .collect();
        if others.is_empty() {
            return None;
        }
        Some(Self::new(method, others, words, key, &change.components))
    }

    fn new(
        method: &'static str,
        to: Vec<Mailbox>,
        (subject, text): (String, String),
        key: String,
        components: &str,
    ) -> Self {
        let body = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Alfred//Alfred//EN\r\nMETHOD:{method}\r\n{components}END:VCALENDAR\r\n"
        );
        let calendar = OutgoingFile {
            name: "invite.ics".into(),
            content_type: format!("text/calendar; method={method}; charset=utf-8"),
            content: body.into_bytes(),
        };
        let mail = OutgoingMail {
            to,
            subject,
            text: text.trim_end().into(),
            files: vec![calendar],
            ..OutgoingMail::default()
        };
        Self { mail, key }
    }
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
