pub mod add;
pub mod convert;
pub mod now;
pub mod offset;
pub mod zone;

mod homonyms;

use alfred_agent::tool::Toolset;
use alfred_planner::dst;
use jiff::Zoned;

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "time",
    "dates, time zones and durations: convert, add",
    "is checking the time…",
    "That",
    "tell the time",
);

/// A moment in a time zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalTime {
    timezone: String,
    date: String,
    time: String,
    weekday: String,
    utc_offset: String,
    /// Local abbreviation at that time, `CEST`.
    abbreviation: String,
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
