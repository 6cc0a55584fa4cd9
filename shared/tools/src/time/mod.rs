pub mod add;
pub mod convert;
pub mod now;
pub mod offset;
pub mod zone;

mod homonyms;

use jiff::Zoned;

use crate::prelude::*;

pub const TOOLSET: Toolset = Toolset::new(
    "time",
    "dates, time zones and durations: convert, add",
    "is checking the time…",
    "That",
    "tell the time",
);

/// A moment in a time zone, with the local abbreviation at that time, such as `CEST`.
fn local_time(at: &Zoned) -> Value {
    let zone = at.time_zone();
    let info = zone.to_offset_info(at.timestamp());
    json!({
        "timezone": offset::zone_name(zone),
        "date": at.date(),
        "time": at.strftime("%H:%M").to_string(),
        "weekday": at.strftime("%A").to_string(),
        "utcOffset": dst::offset_text(at.offset()),
        "abbreviation": info.abbreviation(),
        "dateTime": at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
    })
}
