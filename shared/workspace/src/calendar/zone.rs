//! The meaning of a `TZID`: an IANA zone, a Windows zone, or one that the file describes by another name.

use calcard::common::timezone::Tz;
use calcard::icalendar::{ICalendarComponentType, ICalendarProperty};
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::str::FromStr;

use super::source::{Block, Line, Source};
use super::vevent;

#[derive(Clone, Debug)]
pub(super) struct Zones {
    own: HashMap<String, TimeZone>,
    /// For times without a zone.
    pub floating: TimeZone,
}

impl Zones {
    /// `otherwise` is the zone of times without one, unless the file names it.
    pub fn from_source(source: &Source, otherwise: &TimeZone) -> Self {
        let said = source.property("X-WR-TIMEZONE").and_then(known);
        let blocks = source.blocks.iter().filter(|b| b.name == "VTIMEZONE");
        let own = blocks.filter_map(|block| described(source, block));
        Self {
            own: own.collect(),
            floating: said.unwrap_or_else(|| otherwise.clone()),
        }
    }

    pub fn get(&self, id: &str) -> Option<TimeZone> {
        let id = id.trim().trim_matches('"');
        known(id).or_else(|| self.own.get(id).cloned())
    }
}

/// Looks up a zone by name, ignoring a registry prefix (`/example.org/Europe/Berlin`).
fn known(id: &str) -> Option<TimeZone> {
    if let Ok(zone) = TimeZone::get(id) {
        return Some(zone);
    }
    if let Some(zone) = Tz::from_str(id).ok().and_then(iana) {
        return Some(zone);
    }
    let behind = id.match_indices('/').map(|(at, _)| &id[at + 1..]);
    behind
        .filter(|name| name.contains('/'))
        .take(8)
        .find_map(|name| TimeZone::get(name).ok())
}

fn iana(zone: Tz) -> Option<TimeZone> {
    TimeZone::get(&zone.name()?).ok()
}

/// A zone that its `VTIMEZONE` names otherwise, such as by `X-LIC-LOCATION`, or that has a single offset.
fn described(source: &Source, block: &Block) -> Option<(String, TimeZone)> {
    let zone = source.text_of(block);
    let zone = vevent::component(zone, &ICalendarComponentType::VTimezone)?;
    let id = zone.property(&ICalendarProperty::Tzid)?.values.first()?;
    let id = id.as_text()?.trim_matches('"').to_owned();
    let named = zone.timezone().and_then(|(_, named)| iana(named));
    Some((id, named.or_else(|| fixed(source.lines_of(block)))?))
}

/// The zone of rules that all have the same offset. Other rules aren't read.
fn fixed(rules: &[Line]) -> Option<TimeZone> {
    let offsets = rules.iter().filter(|line| line.name() == "TZOFFSETTO");
    let mut offsets: Vec<_> = offsets.map(Line::value).collect();
    offsets.dedup();
    let [first] = offsets[..] else { return None };
    Some(strtime::parse("%z", first).ok()?.offset()?.to_time_zone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::datetime;

    fn zones(rules: &str) -> Zones {
        let text = format!("BEGIN:VCALENDAR\r\n{rules}END:VCALENDAR\r\n");
        Zones::from_source(&Source::parse(text).unwrap(), &TimeZone::UTC)
    }

    fn summer_and_winter(zone: &TimeZone) -> [i32; 2] {
        [7, 1].map(|month| {
            let at = datetime(2026, month, 15, 12, 0, 0, 0);
            zone.to_zoned(at).unwrap().offset().seconds() / 60
        })
    }

    #[test]
    fn windows_and_prefixed_names_are_known() {
        let zones = zones(
            "BEGIN:VTIMEZONE\r\nTZID:Mine\r\nX-LIC-LOCATION:Europe/Berlin\r\nEND:VTIMEZONE\r\n",
        );
        for (id, expected) in [
            ("Europe/Berlin", [120, 60]),
            ("Mine", [120, 60]),
            ("W. Europe Standard Time", [120, 60]),
            ("Eastern Standard Time", [-240, -300]),
            ("/freeassociation.sourceforge.net/Europe/Berlin", [120, 60]),
            (
                "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
                [120, 60],
            ),
            ("\"America/New_York\"", [-240, -300]),
        ] {
            let zone = zones.get(id).unwrap_or_else(|| panic!("{id}"));
            assert_eq!(summer_and_winter(&zone), expected, "{id}");
        }
        assert!(zones.get("Mars/Olympus").is_none());
    }

    #[test]
    fn times_without_a_zone_are_the_calendars() {
        let said = zones("X-WR-TIMEZONE:Asia/Tokyo\r\n").floating;
        assert_eq!(summer_and_winter(&said), [540, 540]);
        assert_eq!(summer_and_winter(&zones("").floating), [0, 0]);
    }
}
