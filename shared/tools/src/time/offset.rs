//! Parses UTC offsets as people write them: `UTC+5`, `GMT-3:30`, `+05:45`.

use alfred_planner::dst;
use jiff::tz::{Offset, TimeZone};

/// The largest offset in use, in minutes.
const FURTHEST: i32 = 14 * 60;

/// Returns the zone of an offset. Whole hours get an IANA name, which can be stored. Its sign is inverted:
/// `Etc/GMT-5` is five hours ahead of UTC.
pub(super) fn parse_offset(text: &str) -> Option<TimeZone> {
    let compact: String = text.split_whitespace().collect::<String>().to_uppercase();
    let compact = compact.replace('\u{2212}', "-");
    let after = |name: &str| compact.strip_prefix(name);
    let rest = after("UTC").or_else(|| after("GMT")).unwrap_or(&compact);
    let (sign, digits) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
        (Some(digits), _) => (1, digits),
        (None, Some(digits)) => (-1, digits),
        (None, None) => return None,
    };
    let minutes = sign * minutes(digits)?;
    if minutes.abs() > FURTHEST {
        return None;
    }
    if minutes == 0 {
        return Some(TimeZone::UTC);
    }
    let named = (minutes % 60 == 0).then(|| format!("Etc/GMT{:+}", -minutes / 60));
    let named = named.and_then(|name| TimeZone::get(&name).ok());
    named.or_else(|| Some(Offset::from_seconds(minutes * 60).ok()?.to_time_zone()))
}

/// Parses `5`, `05`, `5:30` or `0530`.
fn minutes(digits: &str) -> Option<i32> {
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) if minutes.len() == 2 => (hours, minutes),
        Some(_) => return None,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let number = |part: &str| {
        let is_number = (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| part.parse::<i32>().ok()).flatten()
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (minutes < 60).then_some(hours * 60 + minutes)
}

/// Returns the IANA name, or `UTC+05:00` for an offset: people misread the inverted sign of `Etc/GMT-5`.
pub fn zone_name(zone: &TimeZone) -> String {
    let reversed = |name: &&str| !name.starts_with("Etc/GMT+") && !name.starts_with("Etc/GMT-");
    if let Some(name) = zone.iana_name().filter(reversed) {
        return name.to_owned();
    }
    let offset = zone.to_offset(jiff::Timestamp::UNIX_EPOCH);
    format!("UTC{}", dst::offset_text(offset))
}
