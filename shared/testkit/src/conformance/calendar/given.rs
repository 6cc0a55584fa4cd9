//! What a calendar under test holds.

use crate::fixtures;
use alfred_core::ports::{Attendance, Attendee, Event, EventTime, Mailbox, Span};
use jiff::SignedDuration;

/// The owner of the calendar.
pub fn owner() -> Mailbox {
    Mailbox::new("Ana Marques", "ana@example.com")
}

/// Whose calendar the owner can see.
pub const COLLEAGUE: &str = "ben@example.com";

/// An event, or a series of it.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its first occurrence. The ids are the provider's to choose; titles tell events apart.
    pub event: Event,
    /// How often it happens, a week between; 1 is no series.
    pub weeks: i64,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

impl Given {
    /// Each occurrence, its id made of the title and its number, that of the series of the title.
    pub fn occurrences(&self) -> Vec<Event> {
        let occurrence = |week: i64| Event {
            id: format!("{}/{week}", self.event.title).into(),
            time: later(&self.event.time, week),
            series: (self.weeks > 1).then(|| format!("{}/*", self.event.title).into()),
            ..self.event.clone()
        };
        let weeks = if self.cancelled { 0 } else { self.weeks };
        (0..weeks).map(occurrence).collect()
    }
}

fn later(time: &EventTime, weeks: i64) -> EventTime {
    let by = SignedDuration::from_hours(weeks * 7 * 24);
    match *time {
        EventTime::Timed { start, end } => EventTime::Timed {
            start: start + by,
            end: end + by,
        },
        EventTime::AllDay { first, last } => EventTime::AllDay {
            first: first + by,
            last: last + by,
        },
    }
}

/// From one time of the winter of 2026 to another, in UTC, which is Lisbon's time then.
pub fn span(start: &str, end: &str) -> Span {
    let at = |text: &str| format!("{text}Z").parse().unwrap();
    Span {
        start: at(start),
        end: at(end),
    }
}

fn given_event(title: &str, start: &str, end: &str) -> Given {
    let (start, end) = (format!("{start}Z"), format!("{end}Z"));
    let mut event = fixtures::event("", title, &start, &end);
    (event.own, event.organizer) = (true, None);
    Given {
        event,
        weeks: 1,
        cancelled: false,
    }
}

fn invited(mut given: Given, answer: Attendance) -> Given {
    let ben = Mailbox::new("Ben Okafor", COLLEAGUE);
    given.event.organizer = Some(ben);
    (given.event.own, given.event.invited) = (false, true);
    given.event.attendance = answer;
    given.event.busy = answer != Attendance::Declined;
    given.event.attendees = vec![Attendee {
        mailbox: owner(),
        attendance: answer,
    }];
    given
}

/// What the calendar must hold.
pub fn given() -> Vec<Given> {
    let mut team = given_event("Team", "2026-11-23T10:00:00", "2026-11-23T11:00:00");
    team.weeks = 4;
    team.event.organizer = Some(owner());
    team.event.location = "Room 2; left, first door".into();
    team.event.description = "What we did,\nwhat we do next".into();
    team.event.attendees = vec![Attendee {
        mailbox: Mailbox::new("Ben Okafor", COLLEAGUE),
        attendance: Attendance::Accepted,
    }];
    let mut fair = given_event("Fair", "2026-11-25T00:00:00", "2026-11-25T00:00:00");
    fair.event.time = EventTime::AllDay {
        first: "2026-11-25".parse().unwrap(),
        last: "2026-11-26".parse().unwrap(),
    };
    fair.event.busy = false;
    let mut gone = given_event("Gone", "2026-11-24T09:00:00", "2026-11-24T10:00:00");
    gone.cancelled = true;
    let mut free = given_event("Hold", "2026-11-24T12:00:00", "2026-11-24T13:00:00");
    free.event.busy = false;
    let mut sync = invited(
        given_event("Sync", "2026-12-02T16:00:00", "2026-12-02T16:30:00"),
        Attendance::Unanswered,
    );
    sync.weeks = 3;
    vec![
        sync,
        given_event("Dentist", "2026-11-24T14:00:00", "2026-11-24T15:00:00"),
        team,
        fair,
        gone,
        free,
        invited(
            given_event("Review", "2026-11-24T14:30:00", "2026-11-24T16:00:00"),
            Attendance::Tentative,
        ),
        invited(
            given_event("Party", "2026-11-24T20:00:00", "2026-11-24T23:00:00"),
            Attendance::Declined,
        ),
        given_event("Night", "2026-11-24T23:00:00", "2026-11-25T01:00:00"),
    ]
}

/// When the colleague is busy; given so that spans touch and overlap.
pub fn colleague() -> Vec<Span> {
    vec![
        span("2026-11-24T09:00:00", "2026-11-24T10:00:00"),
        span("2026-11-24T10:00:00", "2026-11-24T11:00:00"),
        span("2026-11-24T10:30:00", "2026-11-24T12:00:00"),
        span("2026-11-24T15:00:00", "2026-11-24T16:00:00"),
    ]
}

/// What is given, as iCalendar.
pub fn ics() -> String {
    include_str!("given.ics").replace('\n', "\r\n")
}

/// When [`COLLEAGUE`] is busy, as iCalendar.
pub fn colleague_ics() -> String {
    include_str!("colleague.ics").into()
}
