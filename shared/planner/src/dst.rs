//! Wall-clock times that a zone skips or has twice.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use serde::Serialize;

use crate::clock_time::ClockTime;
use crate::input::InputError;

/// How a wall-clock time that is skipped or comes twice was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DstAdjustment {
    pub kind: ResolutionKind,
    pub explanation: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionKind {
    /// Clocks are set forward over it.
    Gap,
    /// Clocks are set back, and it comes twice.
    Fold,
}

/// The first wall-clock time that a zone skips around this one, and the first after it; `None` when this one isn't
/// skipped.
pub fn gap(at: DateTime, zone: &TimeZone) -> Option<(DateTime, DateTime)> {
    let AmbiguousOffset::Gap { before, after } = zone.to_ambiguous_timestamp(at).offset() else {
        return None;
    };
    // Read with the later offset, a skipped time lies before the transition.
    let earlier = after.to_timestamp(at).ok()?;
    let transition = zone.following(earlier).next()?.timestamp();
    Some((
        before.to_datetime(transition),
        after.to_datetime(transition),
    ))
}

/// Checks that something can start at this time of this day.
///
/// # Errors
/// Names the field when clocks are set forward over that time.
pub fn check_start(
    field: &str,
    date: Date,
    time: ClockTime,
    zone: &TimeZone,
) -> Result<(), InputError> {
    let Some(skipped) = time.on(date).and_then(|at| gap(at, zone)) else {
        return Ok(());
    };
    let (zone, jump) = (name(zone), jump(skipped));
    let problem = format!("does not exist on {date} in {zone}: {jump}.");
    Err(InputError::new(field, &time.to_string(), problem))
}

/// Checks that something can end at this time of this day. The first skipped minute is the moment of the change
/// itself, so it may be an end.
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
        Some((from, _)) if at == Some(from) => Ok(()),
        _ => check_start(field, date, time, zone),
    }
}

/// What clocks do over a gap, in words.
pub fn jump((from, to): (DateTime, DateTime)) -> String {
    let same_day = from.date() == to.date();
    let form = if same_day { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    let (from, to) = (from.strftime(form), to.strftime(form));
    format!("clocks go from {from} to {to}")
}

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

/// The moment of a wall-clock time. A skipped time is moved on by the length of the gap; of a time that comes twice,
/// the first is taken. Either is reported.
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

pub fn date_at(at: Timestamp, zone: &TimeZone) -> Date {
    zone.to_datetime(at).date()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{check, time};
    use jiff::ToSpan;
    use jiff::civil::date;
    use proptest::prelude::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    #[test]
    fn a_skipped_time_is_refused_with_its_bounds() {
        check(
            "a skipped time is refused with its bounds",
            |[name, day, text]| {
                let (zone, date) = (zone(name), day.parse().unwrap());
                let start = check_start("start", date, time(text), &zone).err();
                let end = check_end("end", date, time(text), &zone).err();
                let problems = start.iter().chain(&end).map(ToString::to_string);
                problems.collect::<Vec<_>>().join(" ")
            },
        );
    }

    #[test]
    fn the_time_that_was_taken_is_named() {
        check("the time that was taken is named", |[at]| {
            let found = resolve(at.parse().unwrap(), &zone("America/New_York"));
            let (found, how) = found.unwrap();
            let how = how.unwrap();
            format!("{found} {:?}: {}", how.kind, how.explanation)
        });
    }

    proptest! {
        #[test]
        fn a_gap_holds_the_times_in_it(minutes in 0_i64..1_440, day in 0_i32..3_650) {
            let zone = zone("America/New_York");
            let at = date(2024, 1, 1).at(0, 0, 0, 0) + day.days() + minutes.minutes();
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
