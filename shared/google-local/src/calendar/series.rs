//! The dates of a series. The stand-in takes one `RRULE`; exceptions are events of their own.

use chrono::{DateTime as ChronoDateTime, Datelike, NaiveDate, Timelike};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rrule::{RRule, RRuleSet, Tz, Unvalidated};

use super::event::Event;
use super::when::When;
use crate::error::ApiError;

/// Dates of a series; every day for 27 years.
const MOST: usize = 10_000;

struct Rule {
    set: RRuleSet,
    /// The last local time it allows.
    last: DateTime,
}

pub(super) fn check(event: &Event, calendar: &TimeZone) -> Result<(), ApiError> {
    if event.recurrence.is_empty() || rule(event, calendar).is_some() {
        return Ok(());
    }
    let message = format!("Invalid recurrence rule: {:?}", event.recurrence);
    Err(ApiError::new(400, "invalid", message))
}

/// The starts up to and including an instant.
pub(super) fn starts(event: &Event, calendar: &TimeZone, until: Timestamp) -> Vec<When> {
    let Some(Rule { set, last }) = rule(event, calendar) else {
        return Vec::new();
    };
    let last = last.min(event.start.zone(calendar).to_datetime(until));
    let locals = set.into_iter().take(MOST).map_while(|at| local(&at));
    let starts = locals.take_while(|local| *local <= last);
    starts
        .filter_map(|local| event.start.at(local, calendar))
        .collect()
}

fn rule(event: &Event, calendar: &TimeZone) -> Option<Rule> {
    let [line] = event.recurrence.as_slice() else {
        return None;
    };
    let text = line.strip_prefix("RRULE:")?;
    let mut last = DateTime::MAX;
    let mut parts = Vec::new();
    for part in text.split(';') {
        match part.strip_prefix("UNTIL=") {
            Some(until) => last = end(&event.start, until, calendar)?,
            None => parts.push(part),
        }
    }
    let rule: RRule<Unvalidated> = parts.join(";").parse().ok()?;
    let start = as_utc(event.start.local(calendar)?)?;
    Some(Rule {
        set: rule.build(start).ok()?,
        last,
    })
}

/// An end is a day for whole days, else an instant (RFC 5545, 3.3.10).
fn end(start: &When, until: &str, calendar: &TimeZone) -> Option<DateTime> {
    if start.is_day() {
        let day = jiff::civil::Date::strptime("%Y%m%d", until).ok()?;
        return Some(day.to_datetime(Default::default()));
    }
    let utc = DateTime::strptime("%Y%m%dT%H%M%SZ", until).ok()?;
    let at = utc.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(start.zone(calendar).to_datetime(at))
}

/// A rule counts local time, so it is unrolled as if there were no zones.
fn as_utc(local: DateTime) -> Option<ChronoDateTime<Tz>> {
    let part = |n: i8| u32::try_from(n).ok();
    let (month, day) = (part(local.month())?, part(local.day())?);
    let date = NaiveDate::from_ymd_opt(i32::from(local.year()), month, day)?;
    let (hour, minute) = (part(local.hour())?, part(local.minute())?);
    let time = date.and_hms_opt(hour, minute, part(local.second())?)?;
    Some(time.and_utc().with_timezone(&Tz::UTC))
}

fn local(at: &ChronoDateTime<Tz>) -> Option<DateTime> {
    let part = |n: u32| i8::try_from(n).ok();
    let year = i16::try_from(at.year()).ok()?;
    let (month, day) = (part(at.month())?, part(at.day())?);
    let (hour, minute, second) = (part(at.hour())?, part(at.minute())?, part(at.second())?);
    DateTime::new(year, month, day, hour, minute, second, 0).ok()
}
