//! Tools for the person's calendar. Titles and names may be other people's words: results are marked as such,
//! and errors name events only by id.

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
mod prep;
mod repeat;
mod slots;

#[cfg(test)]
pub(crate) mod office;

use alfred_agent::tool::{Receipt, Toolset};
use alfred_core::id::EventId;
use alfred_core::ports::{Event, Mailbox, Span};
use jiff::tz::TimeZone;

use crate::email::shown;
use crate::prelude::*;
use crate::user::people::People;

pub const TOOLSET: Toolset = Toolset::new(
    "calendar",
    "meetings: see, book, move, cancel, answer; others' free time",
    "is looking at your calendar…",
    "Changing a calendar",
    "show your schedule",
);

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    pub event_id: EventId,
    pub title: String,
    #[serde(flatten)]
    pub times: Times,
    pub duration: i64,
    pub attendees: Vec<String>,
}

impl EventView {
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

/// A time span in the person's time zone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Times {
    pub date: String,
    pub start_time: String,
    pub end_time: String,
}

impl Times {
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

/// Most attendees, without the organizer.
const MOST_ATTENDEES: usize = 20;

/// Resolves the attendees, without the asking person.
async fn attendees(
    context: &ToolContext,
    people: &mut People,
    given: &[String],
) -> Result<Vec<Mailbox>, ToolError> {
    let field = "attendees";
    if given.is_empty() || given.len() > MOST_ATTENDEES {
        let count = format!("{} people", given.len());
        let problem = format!("is out of range: 1 to {MOST_ATTENDEES} attendees.");
        return Err(refused(field, &count, problem));
    }
    let mut found = people.all(context, field, given, &[]).await?;
    let own = people.own_address(context).to_lowercase();
    found.retain(|one| one.address != own);
    if found.is_empty() {
        let error = refused(field, &given.join(", "), "names nobody else.");
        return Err(error.hint("Use schedule_createTimeBlock for time alone."));
    }
    Ok(found)
}

/// The error for a taken time, with alternatives as text, data and buttons.
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

fn on_button(span: &Span, zone: &TimeZone) -> String {
    let start = span.start.to_zoned(zone.clone());
    start.strftime("%a %-d %b, %H:%M").to_string()
}

fn unseen(whose: &[String]) -> String {
    match whose {
        [] => String::new(),
        _ => format!("{} (I can't see these calendars)", whose.join(", ")),
    }
}

fn of_series(title: &str, when: Option<&str>) -> String {
    match when {
        Some(when) => format!("\"{title}\" of {when}"),
        None => format!("every date of \"{title}\""),
    }
}

fn first_names(people: &[String]) -> String {
    let shown = people[..people.len().min(5)].join(", ");
    match people.len().saturating_sub(5) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn receipt(context: &ToolContext, event: &Event, what: String) -> Receipt {
    Receipt {
        what,
        place: "your calendar".to_owned(),
        provider_id: Some(event.id.to_string()),
        at: Some(context.now),
        ..Receipt::default()
    }
}

fn minutes(span: &Span) -> i64 {
    span.end.duration_since(span.start).as_mins()
}

fn when(span: &Span, zone: &TimeZone) -> String {
    let name = zone.iana_name().unwrap_or("UTC");
    format!("{} ({name})", brief(span, zone))
}

/// Like [`when`], without the zone.
fn brief(span: &Span, zone: &TimeZone) -> String {
    let start = span.start.to_zoned(zone.clone());
    let end = span.end.to_zoned(zone.clone());
    let until = match start.date() == end.date() {
        true => end.strftime("%H:%M"),
        false => end.strftime("%Y-%m-%d %H:%M"),
    };
    format!("{}–{until}", start.strftime("%A %Y-%m-%d, %H:%M"))
}

#[cfg(test)]
mod scenarios {
    #[tokio::test]
    async fn hold() {
        crate::testing::scenario::check("calendar").await;
    }
}
