//! The person's calendar. Titles and names in it are what others wrote too:
//! results say so, and errors name events by their ids alone.

pub mod answer_invitation;
pub mod cancel_meeting;
pub mod find_times;
pub mod reschedule_meeting;
pub mod schedule_meeting;
pub mod view_meetings;

mod busy;
mod choice;
mod clocks;
mod event;
mod moment;
pub(crate) mod people;
mod prep;
mod repeat;
mod slots;

#[cfg(test)]
pub(crate) mod office;

use alfred_agent::tool::{Receipt, Toolset};
use alfred_core::id::EventId;
use alfred_core::ports::{Event, Span};
use jiff::tz::TimeZone;

use crate::email::shown;
use crate::prelude::*;

/// These tools.
pub const TOOLSET: Toolset = Toolset::new(
    "calendar",
    "meetings: see, book, move, cancel, answer; others' free time",
    "is looking at your calendar…",
    "Changing a calendar",
    "show your schedule",
);

/// An event as tools show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// Its id.
    pub event_id: EventId,
    /// What it is called.
    pub title: String,
    /// When it is.
    #[serde(flatten)]
    pub times: Times,
    /// Minutes.
    pub duration: i64,
    /// Who is invited: `Name <address>`.
    pub attendees: Vec<String>,
}

impl EventView {
    /// For somebody in this zone.
    pub fn new(event: &Event, zone: &TimeZone) -> Self {
        let span = event.time.span(zone);
        let attendees = event.attendees.iter();
        Self {
            event_id: event.id.clone(),
            title: event.title.clone(),
            times: Times::from_span(&span, zone),
            duration: minutes(&span),
            attendees: attendees.map(|one| shown(&one.mailbox)).collect(),
        }
    }
}

/// When something is, on the person's clocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Times {
    /// Its day where the person is.
    pub date: String,
    /// Its first minute there.
    pub start_time: String,
    /// The first minute after it.
    pub end_time: String,
}

impl Times {
    /// For somebody in this zone.
    pub fn from_span(span: &Span, zone: &TimeZone) -> Self {
        let start = span.start.to_zoned(zone.clone());
        let end = span.end.to_zoned(zone.clone());
        Self {
            date: start.date().to_string(),
            start_time: start.strftime("%H:%M").to_string(),
            end_time: end.strftime("%H:%M").to_string(),
        }
    }
}

/// Why a time can't be had, with what could be had instead.
fn taken(field: &str, times: &str, free: &slots::Free, zone: &TimeZone) -> ToolError {
    let (words, data) = free.offered(zone);
    let refused = crate::fields::refused(field, times, times_taken(&words));
    let labels = free.slots.iter().map(|slot| on_button(&slot.span, zone));
    refused.with("alternatives", json!(data)).offering(labels)
}

fn times_taken(free: &[String]) -> String {
    if free.is_empty() {
        return "is taken, and nothing else is free within ten days.".into();
    }
    format!("is taken. Free: {}.", free.join("; "))
}

/// `Mon 23 Nov, 10:00`.
fn on_button(span: &Span, zone: &TimeZone) -> String {
    let start = span.start.to_zoned(zone.clone());
    start.strftime("%a %-d %b, %H:%M").to_string()
}

/// Whose calendars weren't seen, in words; empty where all were.
fn unseen(whose: &[String]) -> String {
    match whose {
        [] => String::new(),
        _ => format!("{} (I can't see these calendars)", whose.join(", ")),
    }
}

/// A meeting with its time; a whole series has none.
fn of_series(title: &str, when: Option<&str>) -> String {
    match when {
        Some(when) => format!("\"{title}\" of {when}"),
        None => format!("every date of \"{title}\""),
    }
}

/// Up to five names, and how many more there are.
fn first_names(people: &[String]) -> String {
    let shown = people[..people.len().min(5)].join(", ");
    match people.len().saturating_sub(5) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A receipt about an event that a calendar has changed.
fn receipt(context: &ToolContext, event: &Event, what: String) -> Receipt {
    Receipt {
        what,
        place: "your calendar".to_owned(),
        provider_id: Some(event.id.to_string()),
        at: Some(context.now),
        ..Receipt::default()
    }
}

/// Minutes that pass in it.
fn minutes(span: &Span) -> i64 {
    span.end.duration_since(span.start).as_mins()
}

/// `Monday 2026-11-23, 10:00–10:30 (Europe/Berlin)`.
fn when(span: &Span, zone: &TimeZone) -> String {
    let name = zone.iana_name().unwrap_or("UTC");
    format!("{} ({name})", brief(span, zone))
}

/// The same without the zone.
fn brief(span: &Span, zone: &TimeZone) -> String {
    let start = span.start.to_zoned(zone.clone());
    let end = span.end.to_zoned(zone.clone());
    let until = match start.date() == end.date() {
        true => end.strftime("%H:%M"),
        false => end.strftime("%Y-%m-%d %H:%M"),
    };
    format!("{}–{until}", start.strftime("%A %Y-%m-%d, %H:%M"))
}
