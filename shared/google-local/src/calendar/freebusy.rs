//! `freebusy.query`.

use jiff::{Timestamp, ToSpan};
use serde_json::{Map, Value, json};

use super::Calendar;
use super::event::Event;
use super::when::instant;
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

const MOST_CALENDARS: usize = 50;
/// Three months and some, in hours.
const LONGEST: i64 = 93 * 24;

pub(super) fn query(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = scene.asked.body()?;
    let time = |name: &str| match body[name].as_str() {
        Some(text) => instant(name, text),
        None => Err(ApiError::new(400, "required", format!("Missing {name}."))),
    };
    let (min, max) = (time("timeMin")?, time("timeMax")?);
    if max <= min {
        let message = "The specified time range is empty.";
        return Err(ApiError::new(400, "timeRangeEmpty", message));
    }
    if min
        .checked_add(LONGEST.hours())
        .is_ok_and(|longest| max > longest)
    {
        let message = "The requested time range is too long.";
        return Err(ApiError::new(400, "timeRangeTooLong", message));
    }
    let items = body["items"].as_array().cloned().unwrap_or_default();
    if items.len() > MOST_CALENDARS {
        let message = "Too many calendars requested.";
        return Err(ApiError::new(400, "tooManyCalendarsRequested", message));
    }
    let mut calendars = Map::new();
    for item in &items {
        let asked = item["id"].as_str();
        let asked = asked.ok_or_else(|| ApiError::new(400, "required", "Missing id."))?;
        let own = asked == "primary" || asked.eq_ignore_ascii_case(&scene.email);
        let email = if own {
            scene.email.clone()
        } else {
            asked.to_lowercase()
        };
        let account = scene.state.accounts.get(&email);
        let seen = account.filter(|account| own || account.calendar.shared);
        let answer = match seen {
            Some(account) => json!({"busy": busy(&account.calendar, &email, (min, max))}),
            None => json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}),
        };
        calendars.insert(asked.to_owned(), answer);
    }
    Ok(json!({
        "kind": "calendar#freeBusy",
        "timeMin": body["timeMin"],
        "timeMax": body["timeMax"],
        "calendars": calendars,
    })
    .into())
}

/// In order; overlapping ones aren't made one.
fn busy(calendar: &Calendar, email: &str, (min, max): (Timestamp, Timestamp)) -> Vec<Value> {
    let zone = calendar.zone();
    let mut all: Vec<Event> = Vec::new();
    for event in calendar.events.values() {
        match event.recurrence.is_empty() {
            true => all.push(event.clone()),
            false => all.extend(calendar.unchanged(event, max)),
        }
    }
    all.retain(|event| {
        let declined = event.attendee(email);
        let declined = declined.is_some_and(|own| own.response_status == "declined");
        let free = event
            .rest
            .get("transparency")
            .is_some_and(|t| t == "transparent");
        !event.is_cancelled() && !declined && !free
    });
    let span = |event: &Event| Some((event.start.instant(&zone)?, event.end.instant(&zone)?));
    let mut spans: Vec<_> = all.iter().filter_map(span).collect();
    spans.retain(|(start, end)| *start < max && *end > min && start < end);
    spans.sort();
    let cut = |(start, end): (Timestamp, Timestamp)| {
        let (start, end) = (start.max(min), end.min(max));
        json!({"start": start.to_string(), "end": end.to_string()})
    };
    spans.into_iter().map(cut).collect()
}
