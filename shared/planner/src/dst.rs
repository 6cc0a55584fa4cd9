//! Converts wall-clock times to moments, including times that a clock change skips or repeats.

use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, Zoned};
use serde::Serialize;

use crate::words;

/// How a wall-clock time that is skipped or comes twice was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DstAdjustment {
    pub kind: ResolutionKind,
    pub explanation: String,
}

words! {
    ResolutionKind {
        /// Clocks are set forward over it.
        Gap = "gap",
        /// Clocks are set back, and it comes twice.
        Fold = "fold",
    }
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
/// the first is taken. Either is reported. Fails for a time outside the years jiff can represent.
pub fn resolve(at: DateTime, tz: &TimeZone) -> Result<(Zoned, Option<DstAdjustment>), jiff::Error> {
    let ambiguous = tz.to_ambiguous_zoned(at);
    let offset = ambiguous.offset();
    let zoned = ambiguous.compatible()?;
    let (day, time) = (at.strftime("%Y-%m-%d"), at.strftime("%H:%M"));
    let (zone, taken) = (name(tz), zoned.strftime("%Y-%m-%d %H:%M"));
    let (kind, explanation) = match offset {
        AmbiguousOffset::Unambiguous { .. } => return Ok((zoned, None)),
        AmbiguousOffset::Gap { .. } => {
            let problem = format!("{time} does not exist on {day} in {zone}");
            let explanation = format!("{problem}; {taken} was taken instead.");
            (ResolutionKind::Gap, explanation)
        }
        AmbiguousOffset::Fold { before, after } => {
            let [first, second] = [before, after].map(offset_text);
            let taken =
                format!("the first one (UTC{first}) was taken, not the second (UTC{second}).");
            let explanation = format!("{time} comes twice on {day} in {zone}; {taken}");
            (ResolutionKind::Fold, explanation)
        }
    };
    Ok((zoned, Some(DstAdjustment { kind, explanation })))
}

pub fn date_at(at: Timestamp, zone: &TimeZone) -> Date {
    zone.to_datetime(at).date()
}
