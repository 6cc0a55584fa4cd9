//! A test calendar: Ana's, in Berlin, on Friday 20 November 2026 at nine.

use alfred_core::User;
use alfred_core::ports::{Attendance, Attendee, Event, EventTime, Mailbox, Span};
use alfred_testkit::MemoryCalendar;
use alfred_testkit::fixtures::event;
use jiff::tz::TimeZone;
use std::sync::Arc;

use crate::testing::ToolHarness;

pub const ZONE: &str = "Europe/Berlin";

pub fn span(start: &str, end: &str) -> Span {
    let [start, end] = [start, end].map(|text| {
        let local: jiff::civil::DateTime = text.parse().unwrap();
        local.in_tz(ZONE).unwrap().timestamp()
    });
    Span { start, end }
}

pub fn own(id: &str, title: &str, time: Span, with: &[&str]) -> Event {
    let attendee = |address: &&str| Attendee {
        mailbox: Mailbox::new("", address),
        attendance: Attendance::Accepted,
    };
    let [start, end] = [time.start, time.end].map(|at| at.to_string());
    Event {
        organizer: None,
        own: true,
        attendees: with.iter().map(attendee).collect(),
        ..event(id, title, &start, &end)
    }
}

/// Creates Ana's calendar. Ana (U1) can see Ben's busy times but not Chiyo's.
pub async fn office(events: Vec<Event>, ben: Vec<Span>) -> (ToolHarness, Arc<MemoryCalendar>) {
    let mut harness = ToolHarness::at("2026-11-20T08:00:00Z").zone(ZONE);
    for (id, handle, name) in [
        ("U1", "ana", "Ana Marques"),
        ("U2", "ben", "Ben Okafor"),
        ("U3", "chiyo", "Chiyo Tanaka"),
    ] {
        let change = |user: &mut User| {
            (user.slack_username, user.name) = (handle.into(), name.into());
            user.email = format!("{handle}@example.com");
            user.timezone = ZONE.into();
        };
        harness.register(id, change).await;
    }
    let owner = Mailbox::new("Ana Marques", "ana@example.com");
    let account = harness.context.account();
    let zone = TimeZone::get(ZONE).unwrap();
    let calendar = MemoryCalendar::default()
        .with(&account, owner, zone, events)
        .with_colleague(&account, "ben@example.com", ben);
    let calendar = Arc::new(calendar);
    harness.context.accounts.calendar = calendar.clone();
    (harness, calendar)
}

/// Three weekly dates of the series `ID`, with the ids `ID/0` to `ID/2`.
pub fn weekly(event: &Event) -> Vec<Event> {
    let date = |week: i64| {
        let by = jiff::SignedDuration::from_hours(week * 7 * 24);
        let Span { start, end } = event.time.span(&TimeZone::UTC);
        Event {
            id: format!("{}/{week}", event.id).into(),
            series: Some(event.id.clone()),
            time: EventTime::from(Span {
                start: start + by,
                end: end + by,
            }),
            ..event.clone()
        }
    };
    (0..3).map(date).collect()
}
