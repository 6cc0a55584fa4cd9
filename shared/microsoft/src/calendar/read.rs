//! Converts Graph's events to the port's.

use alfred_core::ports::{Attendance, Attendee, Event, EventTime, Unreadable};
use alfred_core::text;
use alfred_mime::clean;
use serde_json::Value;

use super::wire::Resource;
use crate::person::mailbox;

/// An entry of a list that can't be shown, by its title or id.
pub(super) fn unreadable(entry: &Value, reason: impl Into<String>) -> Unreadable {
    let title = ["subject", "id"].map(|name| entry[name].as_str().unwrap_or_default());
    let title = title.into_iter().find(|title| !title.is_empty());
    Unreadable {
        name: title.unwrap_or("?").chars().take(200).collect(),
        reason: reason.into(),
    }
}

/// An event, an occurrence or a series in the calendar of `me`. The error is text for the person.
pub(super) fn event(resource: &Resource, me: &str) -> Result<Event, String> {
    let own = resource.is_organizer;
    let attendance = match said(&resource.response_status) {
        Attendance::Unanswered if own => Attendance::Accepted,
        said => said,
    };
    let attendees = attendees(resource).map(|mut one| {
        // The owner's answer is stored only on the event, not in the guest list.
        if !own && one.mailbox.address.eq_ignore_ascii_case(me) {
            one.attendance = attendance;
        }
        one
    });
    let attendees: Vec<Attendee> = attendees.collect();
    let alone = own && attendees.is_empty();
    let organizer = Some(mailbox(&resource.organizer));
    let join = resource.online_meeting["joinUrl"].as_str();
    let place = resource.location["displayName"].as_str();
    let place = place.filter(|place| !place.is_empty()).or(join);
    let series = match resource.kind.as_str() {
        "seriesMaster" => Some(resource.id.as_str()),
        _ => resource.series_master_id.as_deref(),
    };
    let free = ["free", "workingElsewhere"];
    Ok(Event {
        id: resource.id.as_str().into(),
        title: clean::line(&resource.subject),
        time: time(resource)?,
        description: description(resource),
        location: place.unwrap_or_default().to_owned(),
        organizer: organizer.filter(|known| !alone && !known.address.is_empty()),
        own,
        attendees,
        attendance,
        invited: resource.is_invitation(),
        busy: !free.contains(&resource.show_as.as_str()) && attendance != Attendance::Declined,
        series: series.map(Into::into),
    })
}

/// The guests. Invitations often don't contain the answers of others.
pub(super) fn attendees(resource: &Resource) -> impl Iterator<Item = Attendee> {
    resource.guests().map(|guest| Attendee {
        mailbox: mailbox(&guest.person),
        attendance: said(&guest.status),
    })
}

fn description(resource: &Resource) -> String {
    let words = resource.body["content"].as_str().unwrap_or_default();
    let words = words.replace("\r\n", "\n");
    words.trim().to_owned()
}

fn said(status: &Value) -> Attendance {
    match status["response"].as_str() {
        Some("accepted") => Attendance::Accepted,
        Some("tentativelyAccepted") => Attendance::Tentative,
        Some("declined") => Attendance::Declined,
        _ => Attendance::Unanswered,
    }
}

fn time(resource: &Resource) -> Result<EventTime, String> {
    let (start, end) = (resource.start.as_ref(), resource.end.as_ref());
    let (missing_start, missing_end) = (text::event_without("start"), text::event_without("end"));
    if resource.is_all_day {
        let first = start.and_then(|start| start.date()).ok_or(missing_start)?;
        let after = end.and_then(|end| end.date()).filter(|day| *day > first);
        // `end` is midnight of the first day after the event.
        let last = after.ok_or(missing_end)?.yesterday().unwrap_or(first);
        return Ok(EventTime::AllDay { first, last });
    }
    let start = start.and_then(|start| start.at()).ok_or(missing_start)?;
    let end = end.and_then(|end| end.at()).filter(|end| *end >= start);
    let end = end.ok_or(missing_end)?;
    Ok(EventTime::Timed { start, end })
}
