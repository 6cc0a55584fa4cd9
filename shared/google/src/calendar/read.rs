//! Converts Google's events to the port's.

use alfred_core::ports::{Attendance, Attendee, Event, EventTime, Mailbox, Unreadable};
use alfred_core::text;
use serde_json::Value;

use super::wire::{Guest, Person, Resource, When};

/// One entry of a list. `None` if it is cancelled.
pub(super) fn entry(value: Value) -> Result<Option<Event>, Unreadable> {
    let names = ["summary", "id"].map(|name| value[name].as_str().unwrap_or_default());
    let name = names.into_iter().find(|name| !name.is_empty());
    let name: String = name.unwrap_or("?").chars().take(200).collect();
    let read = match serde_json::from_value::<Resource>(value) {
        Ok(resource) if resource.is_cancelled() => return Ok(None),
        Ok(resource) => event(&resource),
        Err(_) => Err(text::EVENT_NOT_READ.to_owned()),
    };
    read.map(Some).map_err(|reason| Unreadable { name, reason })
}

/// An event, an occurrence or a series. The error is text for the person.
pub(super) fn event(resource: &Resource) -> Result<Event, String> {
    let own = resource.is_own();
    let attendance = match resource.me().map(said) {
        None | Some(Attendance::Unanswered) if own => Attendance::Accepted,
        None => Attendance::Unanswered,
        Some(said) => said,
    };
    let alone = own && resource.attendees.is_empty();
    let organizer = Some(mailbox(&resource.organizer));
    let series = if resource.recurrence.is_empty() {
        resource.recurring_event_id.as_deref()
    } else {
        Some(resource.id.as_str())
    };
    Ok(Event {
        id: resource.id.as_str().into(),
        title: resource.summary.clone(),
        time: time(resource)?,
        description: resource.description.clone(),
        location: match resource.location.as_str() {
            "" => resource.hangout_link.clone(),
            place => place.to_owned(),
        },
        organizer: organizer.filter(|known| !alone && !known.address.is_empty()),
        own,
        attendees: attendees(&resource.attendees),
        attendance,
        invited: !own && resource.me().is_some(),
        busy: resource.transparency != "transparent" && attendance != Attendance::Declined,
        series: series.map(Into::into),
    })
}

/// Guests with an address; Google hides some addresses.
pub(super) fn attendees(guests: &[Guest]) -> Vec<Attendee> {
    let known = guests.iter().filter(|guest| !guest.person.email.is_empty());
    let read = |guest: &Guest| Attendee {
        mailbox: mailbox(&guest.person),
        attendance: said(guest),
    };
    known.map(read).collect()
}

fn mailbox(person: &Person) -> Mailbox {
    Mailbox::new(person.display_name.clone(), &person.email)
}

fn said(guest: &Guest) -> Attendance {
    match guest.response_status.as_str() {
        "accepted" => Attendance::Accepted,
        "tentative" => Attendance::Tentative,
        "declined" => Attendance::Declined,
        _ => Attendance::Unanswered,
    }
}

pub(super) fn response_status(attendance: Attendance) -> &'static str {
    match attendance {
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "tentative",
        Attendance::Declined => "declined",
        Attendance::Unanswered => "needsAction",
    }
}

fn time(resource: &Resource) -> Result<EventTime, String> {
    let start = resource.start.clone().unwrap_or_default();
    let end = resource.end.clone().unwrap_or_default();
    let (missing_start, missing_end) = (text::event_without("start"), text::event_without("end"));
    if let Some(first) = start.date {
        let after = end.date.filter(|after| *after > first).ok_or(missing_end)?;
        // `end` is the first day after the event.
        let last = after.yesterday().unwrap_or(first);
        return Ok(EventTime::AllDay { first, last });
    }
    let start = start.date_time.ok_or(missing_start)?;
    let end = end.date_time.filter(|end| *end >= start);
    let end = end.ok_or(missing_end)?;
    Ok(EventTime::Timed { start, end })
}

/// A cancelled occurrence has only ids and its original time, so it gets the text of its series.
pub(super) fn of_series(one: Resource, series: Resource) -> Resource {
    if one.start.is_some() {
        return one;
    }
    let start = one.original_start_time;
    Resource {
        id: one.id,
        status: one.status,
        end: start.as_ref().and_then(|start| later(start, &series)),
        start,
        recurrence: Vec::new(),
        recurring_event_id: one.recurring_event_id,
        ..series
    }
}

/// The end of an occurrence: its start plus the series' duration.
fn later(start: &When, series: &Resource) -> Option<When> {
    let (first, end) = (series.start.as_ref()?, series.end.as_ref()?);
    if let (Some(from), Some(first), Some(end)) = (start.date, first.date, end.date) {
        return Some(When {
            date: Some(from.checked_add(first.until(end).ok()?).ok()?),
            ..When::default()
        });
    }
    let length = end.date_time?.duration_since(first.date_time?);
    Some(When {
        date_time: Some(start.date_time?.checked_add(length).ok()?),
        ..When::default()
    })
}
