//! Tools for the person's calendar. Titles and names may be other people's words: results are marked as such,
//! and errors name events only by id.

pub mod answer_invitation;
pub mod cancel_meeting;
pub mod change_meeting;
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

use alfred_core::ports::{Account, Calendar, Event, Mailbox, Span};

use crate::email::shown;
use crate::fields::{first_names, local};
use crate::prelude::*;
use crate::user::people::People;

pub const TOOLSET: Toolset = Toolset::new(
    "calendar",
    "meetings, events: see, add, edit, cancel, answer; free times",
    "is looking at your calendar…",
    "Changing a calendar",
    "show your schedule",
);

/// Minutes of a meeting.
type Length = Number<5, 480>;

fn length(minutes: &Option<Length>) -> SignedDuration {
    let minutes = minutes.as_ref().map_or(30, |minutes| minutes.value);
    SignedDuration::from_mins(i64::from(minutes))
}

/// An event in the person's time zone.
fn view(event: &Event, zone: &TimeZone) -> Value {
    let span = event.time.span(zone);
    let attendees = event.attendees.iter().map(|one| shown(&one.mailbox));
    let mut view = times(&span, zone);
    view["eventId"] = json!(event.id);
    view["title"] = json!(event.title);
    view["duration"] = json!(minutes(&span));
    view["attendees"] = json!(attendees.collect::<Vec<_>>());
    add(&mut view, "location", json!(event.location));
    view
}

fn times(span: &Span, zone: &TimeZone) -> Value {
    json!({
        "date": dst::date_at(span.start, zone),
        "startTime": local(span.start, zone, "%H:%M"),
        "endTime": local(span.end, zone, "%H:%M"),
    })
}

/// Most attendees, without the organizer.
const MOST_ATTENDEES: usize = 20;

/// Resolves at least `least` attendees, without the asking person.
async fn attendees(
    context: &ToolContext,
    people: &mut People,
    given: &[String],
    least: usize,
) -> Result<Vec<Mailbox>> {
    let field = "attendees";
    check_count(field, given.len(), "people", least..=MOST_ATTENDEES)?;
    let mut found = people.all(context, field, given, &[]).await?;
    let own = people.own_address(context).to_lowercase();
    found.retain(|one| one.address != own);
    if found.len() < least {
        let error = refused(field, &given.join(", "), "is you. Who else?");
        return Err(error.hint("schedule_findGaps finds time alone."));
    }
    Ok(found)
}

/// The error for a taken time, with alternatives as text, data and buttons.
fn taken(field: &str, times: &str, free: &slots::Free, zone: &TimeZone) -> ToolError {
    let spans = free.slots.iter().map(|slot| &slot.span);
    let shown: Vec<String> = spans.clone().map(|span| brief(span, zone)).collect();
    let data: Vec<Value> = spans.clone().map(|span| self::times(span, zone)).collect();
    let problem = match shown.as_slice() {
        [] => "is taken, and nothing else is free within ten days.".to_owned(),
        shown => format!("is taken. Free: {}.", shown.join("; ")),
    };
    let error = refused(field, times, problem).with("alternatives", json!(data));
    error.offering(spans.map(|span| short_moment(span.start, zone)))
}

fn unseen(whose: &[String]) -> String {
    match whose {
        [] => String::new(),
        _ => format!("{} (I can't see these calendars)", whose.join(", ")),
    }
}

/// The title, and the time unless it is a whole series.
fn of_series(context: &ToolContext, event: &Event) -> String {
    let (title, zone) = (&event.title, context.zone());
    if event.is_series() {
        format!("every date of \"{title}\"")
    } else {
        format!("\"{title}\" of {}", when(&event.time.span(&zone), &zone))
    }
}

/// What a call of the provider needs.
fn provider(context: &ToolContext) -> (Account, &Arc<dyn Calendar>, &str) {
    let (calendar, key) = (&context.accounts.calendar, &context.call.key);
    (context.account(), calendar, key)
}

/// The end of a receipt: ", told a@x.example and 3 more". Empty without people.
fn with_people(verb: &str, people: &[String]) -> String {
    if people.is_empty() {
        return String::new();
    }
    format!(", {verb} {}", first_names(people, 5))
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

/// The output of a change: the event beside this data, and the receipt.
fn output(
    context: &ToolContext,
    event: &Event,
    mut data: Value,
    what: String,
) -> Result<ToolOutput> {
    data["event"] = view(event, &context.zone());
    Ok(ToolOutput::data(&data)?.with_receipt(receipt(context, event, what)))
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
    let until = if dst::date_at(span.start, zone) == dst::date_at(span.end, zone) {
        local(span.end, zone, "%H:%M")
    } else {
        short_moment(span.end, zone)
    };
    format!("{}–{until}", short_moment(span.start, zone))
}
