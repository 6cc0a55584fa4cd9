//! Wall-clock times that a zone skips or has twice.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use serde::Serialize;

use crate::clock_time::ClockTime;
use crate::input::InputError;

/// How a wall-clock time that isn't exactly one moment was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DstAdjustment {
    /// Skipped, or there twice.
    pub kind: ResolutionKind,
    /// What was taken, in a sentence.
    pub explanation: String,
}

/// Why a wall-clock time isn't exactly one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionKind {
    /// Clocks are set forward over it.
    Gap,
    /// Clocks are set back, and it comes twice.
    Fold,
}

/// The first and the first following wall-clock time that a zone skips around
/// this one; `None` when it isn't skipped.
pub fn gap(at: DateTime, zone: &TimeZone) -> Option<(DateTime, DateTime)> {
    let AmbiguousOffset::Gap { before, after } = zone.to_ambiguous_timestamp(at).offset() else {
        return None;
    };
    // Read with the later offset, a skipped time lies before the transition.
    let transition = zone
        .following(after.to_timestamp(at).ok()?)
        .next()?
        .timestamp();
    Some((
        before.to_datetime(transition),
        after.to_datetime(transition),
    ))
}

/// Makes sure that something can start at this time of this day.
///
/// # Errors
/// Names the field when clocks are set forward over that time.
pub fn check_start(
    field: &str,
    date: Date,
    time: ClockTime,
    zone: &TimeZone,
) -> Result<(), InputError> {
    match time.on(date).and_then(|at| gap(at, zone)) {
        Some(skipped) => Err(skipped_error(field, date, time, zone, skipped)),
        None => Ok(()),
    }
}

/// Makes sure that something can end at this time of this day. The first
/// skipped minute is the moment of the change itself, so it may be an end.
///
/// # Errors
/// As `check_start`.
pub fn check_end(
    field: &str,
    date: Date,
    time: ClockTime,
    zone: &TimeZone,
) -> Result<(), InputError> {
    let at = time.on(date);
    match at.and_then(|at| gap(at, zone)) {
        Some(skipped) if at != Some(skipped.0) => {
            Err(skipped_error(field, date, time, zone, skipped))
        }
        _ => Ok(()),
    }
}

fn skipped_error(
    field: &str,
    date: Date,
    time: ClockTime,
    zone: &TimeZone,
    skipped: (DateTime, DateTime),
) -> InputError {
    let (zone, jump) = (name(zone), jump(skipped));
    let problem = format!("does not exist on {date} in {zone}: {jump}.");
    InputError::new(field, &time.to_string(), problem)
}

/// What clocks do over a gap, in words.
pub fn jump((from, to): (DateTime, DateTime)) -> String {
    let form = match from.date() == to.date() {
        true => "%H:%M",
        false => "%Y-%m-%d %H:%M",
    };
    let (from, to) = (from.strftime(form), to.strftime(form));
    format!("clocks go from {from} to {to}")
}

/// What a zone is called in a sentence.
pub fn name(zone: &TimeZone) -> &str {
    zone.iana_name().unwrap_or("this time zone")
}

/// `+05:30`.
pub fn offset_text(offset: Offset) -> String {
    let seconds = offset.seconds();
    let sign = if seconds < 0 { '-' } else { '+' };
    let minutes = seconds.unsigned_abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The moment of a wall-clock time. A skipped time is moved on by the length of
/// the gap, of a time that comes twice the first is taken; either is reported.
///
/// # Errors
/// A time outside the years jiff can represent.
pub fn resolve(
    at: DateTime,
    zone: &TimeZone,
) -> Result<(Zoned, Option<DstAdjustment>), jiff::Error> {
    let ambiguous = zone.to_ambiguous_zoned(at);
    let offset = ambiguous.offset();
    let zoned = ambiguous.compatible()?;
    let (day, time) = (at.strftime("%Y-%m-%d"), at.strftime("%H:%M"));
    let resolution = match offset {
        AmbiguousOffset::Unambiguous { .. } => None,
        AmbiguousOffset::Gap { .. } => Some(DstAdjustment {
            kind: ResolutionKind::Gap,
            explanation: format!(
                "{time} does not exist on {day} in {}{}; {} was taken instead.",
                name(zone),
                gap(at, zone).map_or_else(String::new, |gap| format!(" ({})", jump(gap))),
                zoned.strftime("%Y-%m-%d %H:%M"),
            ),
        }),
        AmbiguousOffset::Fold { before, after } => Some(DstAdjustment {
            kind: ResolutionKind::Fold,
            explanation: format!(
                "{time} comes twice on {day} in {}; the first one (UTC{}) was taken, not the second (UTC{}).",
                name(zone),
                offset_text(before),
                offset_text(after),
            ),
        }),
    };
    Ok((zoned, resolution))
}

/// The date in a zone at a moment.
pub fn date_at(at: Timestamp, zone: &TimeZone) -> Date {
    zone.to_datetime(at).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn time(text: &str) -> ClockTime {
        ClockTime::parse_end("t", text).unwrap()
    }

    #[test]
    fn a_skipped_hour_is_refused_with_its_bounds() {
        let berlin = zone("Europe/Berlin");
        let day = date(2026, 3, 29);
        for text in ["02:00", "02:30", "02:59"] {
            let error = check_start("startTime", day, time(text), &berlin).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!(
                    "startTime: \"{text}\" does not exist on 2026-03-29 in Europe/Berlin: clocks go from 02:00 to 03:00."
                )
            );
        }
        assert!(check_start("startTime", day, time("01:59"), &berlin).is_ok());
        assert!(check_start("startTime", day, time("03:00"), &berlin).is_ok());
        assert!(check_end("endTime", day, time("02:00"), &berlin).is_ok());
        assert!(check_end("endTime", day, time("02:01"), &berlin).is_err());
    }

    #[test]
    fn gaps_of_half_an_hour_at_midnight_and_of_a_day() {
        let lord_howe = zone("Australia/Lord_Howe");
        let error = check_start("t", date(2026, 10, 4), time("02:15"), &lord_howe).unwrap_err();
        assert!(error.to_string().contains("from 02:00 to 02:30"), "{error}");
        let cairo = zone("Africa/Cairo");
        let error = check_start("t", date(2026, 4, 24), time("00:10"), &cairo).unwrap_err();
        assert!(error.to_string().contains("from 00:00 to 01:00"), "{error}");
        assert!(check_end("t", date(2026, 4, 23), time("24:00"), &cairo).is_ok());
        let apia = zone("Pacific/Apia");
        let error = check_start("t", date(2011, 12, 30), time("12:00"), &apia).unwrap_err();
        assert!(error.to_string().contains("to 2011-12-31 00:00"), "{error}");
    }

    #[test]
    fn what_was_taken_is_said() {
        let new_york = zone("America/New_York");
        let (at, how) = resolve(date(2026, 3, 8).at(2, 30, 0, 0), &new_york).unwrap();
        assert_eq!(
            at.to_string(),
            "2026-03-08T03:30:00-04:00[America/New_York]"
        );
        let how = how.unwrap();
        assert_eq!(how.kind, ResolutionKind::Gap);
        assert!(
            how.explanation.contains("2026-03-08 03:30 was taken"),
            "{how:?}"
        );
        let (at, how) = resolve(date(2026, 11, 1).at(1, 30, 0, 0), &new_york).unwrap();
        assert_eq!(
            at.to_string(),
            "2026-11-01T01:30:00-04:00[America/New_York]"
        );
        let how = how.unwrap();
        assert_eq!(how.kind, ResolutionKind::Fold);
        assert!(how.explanation.contains("(UTC-04:00) was taken"), "{how:?}");
    }

    proptest! {
        #[test]
        fn what_a_clock_shows_is_never_a_gap(seconds in 0_i64..4_000_000_000, index in 0_usize..6) {
            let names = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kathmandu", "Pacific/Apia"];
            let zone = zone(names[index]);
            let shown = zone.to_datetime(Timestamp::from_second(seconds).unwrap());
            prop_assert_eq!(gap(shown, &zone), None);
        }

        #[test]
        fn a_gap_holds_what_is_in_it(minutes in 0_i64..1_440, day in 0_i32..3_650) {
            let zone = zone("America/New_York");
            let at = date(2024, 1, 1).checked_add(jiff::Span::new().days(day)).unwrap().at(0, 0, 0, 0)
                .checked_add(jiff::Span::new().minutes(minutes)).unwrap();
            let (resolved, how) = resolve(at, &zone).unwrap();
            match gap(at, &zone) {
                Some((from, to)) => {
                    prop_assert!(from <= at && at < to);
                    prop_assert_eq!(how.unwrap().kind, ResolutionKind::Gap);
                    prop_assert!(resolved.datetime() >= to);
                }
                None => prop_assert_eq!(resolved.datetime(), at),
            }
        }
    }
}
