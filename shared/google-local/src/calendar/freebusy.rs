//! `freebusy.query`.

use alfred_core::ports::Span;
use jiff::ToSpan;
use serde_json::{Map, Value, json};

use super::when::instant;
use super::{Calendar, span};
use crate::error::ApiError;
use crate::exchange::{Given, Scene};

const MOST_CALENDARS: usize = 50;
/// Three months and some, in hours.
const LONGEST: i64 = 93 * 24;

pub(super) fn query(scene: &mut Scene<'_>) -> Result<Given, ApiError> {
    let body = scene.asked.body()?;
    let time = |name: &str| instant(name, body[name].as_str().unwrap_or_default());
    let span = span(time("timeMin")?, time("timeMax")?)?;
    let longest = span.start.checked_add(LONGEST.hours());
    if longest.is_ok_and(|longest| span.end > longest) {
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
        let email = item["id"].as_str().unwrap_or_default().to_lowercase();
        let account = scene.state.accounts.get(&email);
        let seen = account.filter(|account| email == scene.email || account.calendar.shared);
        let answer = match seen {
            Some(account) => json!({"busy": busy(&account.calendar, &email, span)}),
            None => json!({"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}),
        };
        let asked = item["id"].as_str().unwrap_or_default();
        calendars.insert(asked.to_owned(), answer);
    }
    Ok(json!({"kind": "calendar#freeBusy", "calendars": calendars}).into())
}

/// In order; overlapping ones are not merged.
fn busy(calendar: &Calendar, email: &str, span: Span) -> Vec<Value> {
    let zone = calendar.zone();
    let mut busy = Vec::new();
    for event in calendar.singles(span) {
        let own = event.attendee(email);
        let declined = own.is_some_and(|own| own.response_status == "declined");
        let free = event.rest.get("transparency");
        let free = free.is_some_and(|free| free == "transparent");
        let (start, end) = (event.start.instant(&zone), event.end.instant(&zone));
        if let (Some(start), Some(end)) = (start, end)
            && start < end
            && !declined
            && !free
        {
            let (start, end) = (start.max(span.start), end.min(span.end));
            busy.push(json!({"start": start.to_string(), "end": end.to_string()}));
        }
    }
    busy
}
