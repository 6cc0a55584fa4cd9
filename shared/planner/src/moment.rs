//! Moments as people and models write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};

use crate::date::YEARS;
use crate::{ClockTime, InputError, parse_date};

const FORMS: &str = "A time such as 14:00, 9am, tomorrow 2:30 pm or now would do.";

/// What was written, before a zone is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Now,
    /// With its own offset, so the same everywhere.
    Instant(Timestamp),
    /// On a wall clock.
    Local(DateTime),
    Day(Date),
}

/// Reads a moment: `now`, a time (of today), a date, both together in either order, ISO 8601 with or without an offset.
pub fn parse_moment(field: &str, text: &str, today: Date) -> Result<Moment, InputError> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("now") {
        return Ok(Moment::Now);
    }
    if text.get(4..5) == Some("-") && text.is_char_boundary(10) {
        return iso(field, text, today);
    }
    if let Ok(date) = parse_date(field, text, today) {
        return Ok(Moment::Day(date));
    }
    if let Some(moment) = date_and_time(text, today) {
        return Ok(moment);
    }
    match ClockTime::parse(field, text) {
        Ok(time) => Ok(Moment::Local(time.on(today))),
        Err(error) if !text.contains(' ') => Err(error),
        Err(_) => {
            let problem = format!("is no moment. {FORMS}");
            Err(InputError::new(field, text, problem))
        }
    }
}

/// `YYYY-MM-DD`, possibly with `T` or a space and a time that may carry an offset.
fn iso(field: &str, text: &str, today: Date) -> Result<Moment, InputError> {
    if let Ok(instant) = text.parse::<Timestamp>() {
        let year = instant.to_zoned(jiff::tz::TimeZone::UTC).year();
        let planned = YEARS.contains(&year).then_some(Moment::Instant(instant));
        return planned.ok_or_else(|| InputError::new(field, text, "is out of range."));
    }
    let (date, rest) = text.split_at(10);
    let (date, value) = (parse_date(field, date, today), text.to_owned());
    let date = date.map_err(|error| InputError { value, ..error })?;
    let written = rest.trim_start_matches(['T', 't', ' ']);
    match written.parse::<Time>() {
        _ if rest.is_empty() => Ok(Moment::Day(date)),
        // Seconds are only written in ISO form.
        Ok(time) if written.len() >= 8 => Ok(Moment::Local(date.to_datetime(time))),
        _ => {
            let time = ClockTime::parse(field, written.trim_start_matches("at "))?;
            Ok(Moment::Local(time.on(date)))
        }
    }
}

fn date_and_time(text: &str, today: Date) -> Option<Moment> {
    text.match_indices(' ').find_map(|(at, _)| {
        let (left, right) = (text[..at].trim(), text[at..].trim());
        let pair = |date: &str, time: &str| {
            let date = parse_date("", date, today).ok()?;
            Some(Moment::Local(ClockTime::parse("", time).ok()?.on(date)))
        };
        pair(left, right.trim_start_matches("at ")).or_else(|| pair(right, left))
    })
}
