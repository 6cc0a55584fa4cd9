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
