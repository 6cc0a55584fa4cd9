//! Times with a zone (<https://learn.microsoft.com/graph/api/resources/datetimetimezone>).

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use serde_json::{Value, json};

use crate::error::ApiError;

/// Some of Windows' zones; those of IANA are known all.
const WINDOWS: [(&str, &str); 3] = [
    ("GMT Standard Time", "Europe/London"),
    ("Tokyo Standard Time", "Asia/Tokyo"),
    ("W. Europe Standard Time", "Europe/Berlin"),
];

/// The zone of a name.
pub(super) fn zone(name: &str) -> Result<TimeZone, ApiError> {
    let known = WINDOWS.iter().find(|(windows, _)| *windows == name);
    let iana = known.map_or(name, |(_, iana)| iana);
    TimeZone::get(iana).map_err(|_| {
        let words = format!("TimeZone value '{name}' is not supported.");
        ApiError::new(400, "TimeZoneNotSupportedException", words)
    })
}

/// When an event is, by the clocks of its zone; whole days from midnight to midnight.
#[derive(Clone, Debug)]
pub(super) struct When {
    pub all_day: bool,
    pub start: DateTime,
    pub end: DateTime,
    pub zone: String,
}

impl When {
    pub fn read(start: &Value, end: &Value, all_day: bool) -> Result<Self, ApiError> {
        let bad = |what: &str| ApiError::new(400, "ErrorPropertyValidationFailure", what);
        let time = |value: &Value| {
            let text = value["dateTime"].as_str().unwrap_or_default();
            // An offset would be another way to say a zone.
            let plain = !text.ends_with('Z') && !text.contains('+');
            let time = text.parse::<DateTime>().ok().filter(|_| plain);
            time.ok_or_else(|| bad("dateTime"))
        };
        let (from, to) = (time(start)?, time(end)?);
        let name = start["timeZone"].as_str().ok_or_else(|| bad("timeZone"))?;
        zone(name)?;
        if end["timeZone"] != name || to < from {
            return Err(bad("start and end"));
        }
        let midnight = |time: DateTime| time == time.date().to_datetime(Default::default());
        if all_day && !(midnight(from) && midnight(to) && from < to) {
            return Err(bad("whole days"));
        }
        Ok(Self {
            all_day,
            start: from,
            end: to,
            zone: name.to_owned(),
        })
    }

    /// From its first instant to the one after it, whole days as in the zone of their reader.
    pub fn instants(&self, reader: &str) -> Result<(Timestamp, Timestamp), ApiError> {
        let zone = zone(if self.all_day { reader } else { &self.zone })?;
        let at = |time: DateTime| {
            let at = time.to_zoned(zone.clone()).map(|at| at.timestamp());
            at.map_err(|_| ApiError::bad_request("a time that isn't there"))
        };
        Ok((at(self.start)?, at(self.end)?))
    }

    /// The same on another day.
    pub fn on(&self, date: Date) -> Self {
        let length: Span = self.start.until(self.end).unwrap_or_default();
        let start = date.to_datetime(self.start.time());
        Self {
            start,
            end: start.saturating_add(length),
            ..self.clone()
        }
    }

    /// Start and end as they are told in a zone; whole days are days wherever they are read.
    pub fn shown(&self, to: &str) -> Result<[Value; 2], ApiError> {
        let time = |at: DateTime| {
            let text = at.strftime("%Y-%m-%dT%H:%M:%S.0000000").to_string();
            json!({"dateTime": text, "timeZone": to})
        };
        if self.all_day {
            return Ok([time(self.start), time(self.end)]);
        }
        let (start, end) = self.instants(to)?;
        let zone = zone(to)?;
        Ok([start, end].map(|at| time(zone.to_datetime(at))))
    }
}
