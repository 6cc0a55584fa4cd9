//! `events.list`, `events.get`, `events.instances`, as far as Alfred asks.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::event::Event;
use super::when::instant;
use super::{Calendar, span};
use crate::error::ApiError;
use crate::exchange::{Asked, Given, Scene};

const DEFAULT_RESULTS: usize = 250;
const MOST_RESULTS: usize = 2_500;

pub(super) fn get(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (id, email) = (scene.asked.param("eventId"), scene.email.clone());
    let event = scene.calendar()?.find(id).ok_or_else(ApiError::not_found)?;
    Ok(event.shown(&email).into())
}

fn time(asked: &Asked, name: &str) -> Result<Timestamp, ApiError> {
    instant(name, asked.query(name).unwrap_or_default())
}

/// Either all events of a UID, exceptions and series included, or the single events of a span by their start.
pub(super) fn list(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, email) = (scene.asked, scene.email.clone());
    let calendar = scene.calendar()?;
    if let Some(uid) = asked.query("iCalUID") {
        let events = calendar.events.values();
        let events = events.filter(|event| event.ical_uid == uid).cloned();
        return page(asked, calendar, &email, events.collect());
    }
    if [asked.query("singleEvents"), asked.query("orderBy")] != [Some("true"), Some("startTime")] {
        let message = "This stand-in lists single events by their start alone.";
        return Err(ApiError::invalid(message));
    }
    let span = span(time(asked, "timeMin")?, time(asked, "timeMax")?)?;
    let types: Vec<&str> = asked.all("eventTypes").collect();
    let mut events = calendar.singles(span);
    events.retain(|event| {
        let kind = event.rest.get("eventType").and_then(Value::as_str);
        types.contains(&kind.unwrap_or("default"))
    });
    page(asked, calendar, &email, events)
}

/// The date of a series that was to start at `originalStart`, cancelled or not.
pub(super) fn instances(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let (asked, email) = (scene.asked, scene.email.clone());
    let calendar = scene.calendar()?;
    let series = calendar.find(asked.param("eventId"));
    let series = series.ok_or_else(ApiError::not_found)?;
    if series.recurrence.is_empty() || asked.query("showDeleted") != Some("true") {
        return Err(ApiError::invalid("The event is not a recurring event."));
    }
    let original = time(asked, "originalStart")?;
    let mut events = calendar.unchanged(&series, original);
    let changed = calendar.events.values();
    let changed = changed.filter(|one| one.series.as_deref() == Some(&series.id));
    events.extend(changed.cloned());
    let zone = calendar.zone();
    events.retain(|one| {
        let start = one.original_start_time.as_ref();
        start.and_then(|start| start.instant(&zone)) == Some(original)
    });
    page(asked, calendar, &email, events)
}

/// A page token is the number of events before the page.
fn page(
    asked: &Asked,
    calendar: &Calendar,
    email: &str,
    events: Vec<Event>,
) -> Result<Given, ApiError> {
    let number = |name: &str, default| match asked.query(name).map(str::parse::<usize>) {
        None => Ok(default),
        Some(Ok(number)) => Ok(number),
        Some(Err(_)) => Err(ApiError::invalid(format!("Invalid value for: {name}"))),
    };
    let most = number("maxResults", DEFAULT_RESULTS)?.min(MOST_RESULTS);
    let from = number("pageToken", 0)?;
    let items = events.iter().skip(from).take(most);
    let items: Vec<Value> = items.map(|event| event.shown(email)).collect();
    let mut body = json!({
        "kind": "calendar#events",
        "timeZone": calendar.time_zone,
        "items": items,
    });
    if from + most < events.len() {
        body["nextPageToken"] = json!((from + most).to_string());
    }
    Ok(body.into())
}
