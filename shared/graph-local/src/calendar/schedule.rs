//! When people are busy (<https://learn.microsoft.com/graph/api/calendar-getschedule>).

use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};
use std::collections::BTreeMap;

use super::Calendar;
use super::when::zone;
use crate::asked::Asked;
use crate::error::ApiError;
use crate::exchange::Given;
use crate::mail::Mailbox;

/// People of one call, and the days that it takes fewer of
/// (<https://learn.microsoft.com/graph/outlook-get-free-busy-schedule#limits-and-error-conditions>).
const MOST: usize = 20;
const LONGEST: i64 = 62;

pub(super) fn look(
    mailboxes: &BTreeMap<String, Mailbox>,
    email: &str,
    asked: &Asked,
) -> Result<Given, ApiError> {
    let body = asked.body(&["schedules", "startTime", "endTime"])?;
    let bad = |what: &str| ApiError::new(400, "ErrorInvalidParameter", what);
    let at = |name: &str| {
        let time: Option<jiff::civil::DateTime> =
            body[name]["dateTime"].as_str().and_then(|t| t.parse().ok());
        let zone = zone(body[name]["timeZone"].as_str().unwrap_or_default())?;
        let at = time.and_then(|time| time.to_zoned(zone).ok());
        at.map(|at| at.timestamp()).ok_or_else(|| bad(name))
    };
    let span = (at("startTime")?, at("endTime")?);
    let longest = span.0.checked_add((LONGEST * 24).hours());
    if span.1 <= span.0 || longest.is_ok_and(|longest| span.1 >= longest) {
        return Err(bad("the period"));
    }
    let schedules = body["schedules"].as_array().map_or(&[][..], Vec::as_slice);
    if schedules.is_empty() || schedules.len() > MOST {
        return Err(bad("schedules"));
    }
    let mut value = Vec::new();
    for schedule in schedules {
        let address = schedule.as_str().unwrap_or_default();
        let found = mailboxes
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(address));
        let seen = found.filter(|(known, mailbox)| *known == email || mailbox.calendar.shared);
        value.push(match seen {
            Some((_, mailbox)) => json!({
                "scheduleId": address,
                "scheduleItems": items(&mailbox.calendar, span)?,
            }),
            None => json!({
                "scheduleId": address,
                "scheduleItems": [],
                "error": {"responseCode": "ErrorMailRecipientNotFound", "message": "Unable to resolve it."},
            }),
        });
    }
    Ok(Given::Json(200, json!({"value": value})))
}

fn items(calendar: &Calendar, span: (Timestamp, Timestamp)) -> Result<Vec<Value>, ApiError> {
    let mut items = Vec::new();
    for number in calendar.events.keys() {
        for (start, place) in calendar.touching(*number, span)? {
            let item = calendar.item(place)?;
            let (_, end) = item.when.instants(&calendar.zone)?;
            let status = match (item.response.as_str(), item.show_as.as_str()) {
                _ if item.is_cancelled => continue,
                ("declined", _) => continue,
                ("tentativelyAccepted" | "notResponded", "busy") => "tentative",
                (_, shown) => shown,
            };
            let time = |at: Timestamp| json!({"dateTime": at.strftime("%Y-%m-%dT%H:%M:%S.0000000").to_string(), "timeZone": "UTC"});
            items.push(json!({"status": status, "start": time(start), "end": time(end)}));
        }
    }
    Ok(items)
}
