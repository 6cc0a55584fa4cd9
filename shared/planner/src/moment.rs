//! Moments as people and models write them.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};

use crate::clock_time::ClockTime;
use crate::date::{YEARS, parse_date};
use crate::input::InputError;

const FORMS: &str =
    "A time such as 14:00, 9am, 2026-11-27T14:00, tomorrow 2:30 pm or now would do.";

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

/// Reads a moment: `now`, a time (of today), a date, both together in either
/// order, ISO 8601 with or without an offset.
///
/// # Errors
/// Names the field, the value and the part that is wrong.
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
        Err(_) => Err(InputError::new(
            field,
            text,
            format!("is no moment. {FORMS}"),
        )),
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
    let date = parse_date(field, date, today).map_err(|error| InputError {
        value: text.to_owned(),
        ..error
    })?;
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
            let time = ClockTime::parse("", time).ok()?;
            Some(Moment::Local(time.on(date)))
        };
        pair(left, right.trim_start_matches("at ")).or_else(|| pair(right, left))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check;
    use jiff::civil::date;
    use proptest::prelude::*;

    const TODAY: Date = date(2026, 11, 21);

    fn read(text: &str) -> Moment {
        parse_moment("time", text, TODAY).unwrap()
    }

    #[test]
    fn the_usual_ways_to_write_a_moment() {
        check("the usual ways to write a moment", |[text]| {
            format!("{:?}", read(text))
        });
    }

    #[test]
    fn the_wrong_part_is_named() {
        check("the wrong part is named", |[text]| {
            parse_moment("time", text, TODAY).unwrap_err().to_string()
        });
    }

    proptest! {
        #[test]
        fn iso_is_read_as_written(y in 1900_i16..=2199, day in 1_i16..=365, m in 0_u16..1_440) {
            let date = Date::new(y, 1, 1).unwrap() + jiff::Span::new().days(day - 1);
            let at = ClockTime::from_minutes(m).unwrap().on(date);
            prop_assert_eq!(read(&at.strftime("%Y-%m-%dT%H:%M").to_string()), Moment::Local(at));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,30}", digits in "[0-9T: -]{0,24}") {
            let _ = parse_moment("t", &text, TODAY);
            let _ = parse_moment("t", &digits, TODAY);
        }
    }
}
