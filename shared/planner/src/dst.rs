//! Converts wall-clock times to moments, including times that a clock change skips or repeats.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use serde::Serialize;

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

pub(crate) fn name(zone: &TimeZone) -> &str {
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
                "{time} does not exist on {day} in {}; {} was taken instead.",
                name(zone),
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
    use crate::testing::check;

    #[test]
    fn the_time_that_was_taken_is_named() {
        check("the time that was taken is named", |[at]| {
            let zone = TimeZone::get("America/New_York").unwrap();
            let (found, how) = resolve(at.parse().unwrap(), &zone).unwrap();
            how.map_or_else(
                || found.to_string(),
                |how| format!("{found} {:?}: {}", how.kind, how.explanation),
            )
        });
    }
}
