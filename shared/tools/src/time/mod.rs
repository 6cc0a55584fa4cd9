//! Time: now, elsewhere, and later.

pub mod add;
pub mod convert;
pub mod now;
pub mod offset;
pub mod zone;

mod homonyms;

use alfred_agent::tool::Toolset;
use alfred_planner::dst;
use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::prelude::*;

/// These tools.
pub const TOOLSET: Toolset = Toolset::new(
    "time",
    "dates, time zones and durations: convert, add",
    "is checking the time…",
    "That",
    "tell the time",
);

/// A moment on the clocks of a zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalTime {
    /// IANA name, or `UTC+05:00`.
    timezone: String,
    /// `YYYY-MM-DD`.
    date: String,
    /// `HH:MM`.
    time: String,
    weekday: String,
    /// `+05:30`.
    utc_offset: String,
    /// What locals call the zone at that time, `CEST`.
    abbreviation: String,
    /// RFC 3339, to the second.
    date_time: String,
}

impl LocalTime {
    fn new(at: &Zoned) -> Self {
        let zone = at.time_zone();
        Self {
            timezone: offset::zone_name(zone),
            date: at.date().to_string(),
            time: at.strftime("%H:%M").to_string(),
            weekday: at.strftime("%A").to_string(),
            utc_offset: dst::offset_text(at.offset()),
            abbreviation: zone
                .to_offset_info(at.timestamp())
                .abbreviation()
                .to_owned(),
            date_time: at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        }
    }
}

/// The zone of an argument, the person's own when it was left out.
fn zone_or_own(
    context: &ToolContext,
    field: &str,
    text: Option<&str>,
) -> Result<TimeZone, ToolError> {
    match text {
        Some(text) => zone::parse_zone(field, text).map_err(invalid),
        None => Ok(context.zone()),
    }
}
