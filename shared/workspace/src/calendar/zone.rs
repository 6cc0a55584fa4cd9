//! The meaning of a `TZID`: an IANA zone, a Windows zone, or the file's own definition.

use calcard::common::timezone::Tz;
use calcard::icalendar::{ICalendarComponent, ICalendarComponentType};
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
        Self {
            own: blocks
                .filter_map(|block| described(source, block))
                .collect(),
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
    if let Some(zone) = Tz::from_str(id)
        .ok()
        .and_then(|zone| TimeZone::get(&zone.name()?).ok())
    {
        return Some(zone);
    }
    let behind = id.match_indices('/').map(|(at, _)| &id[at + 1..]);
    behind
        .filter(|name| name.contains('/'))
        .take(8)
        .find_map(|name| TimeZone::get(name).ok())
}

/// A zone from its `VTIMEZONE`: by a name in it, otherwise by its rules.
fn described(source: &Source, block: &Block) -> Option<(String, TimeZone)> {
    let lines = source.lines_of(block);
    let id = lines.iter().find(|line| line.name() == "TZID")?.value();
    let named = vevent::component(source.text_of(block), |kind| {
        *kind == ICalendarComponentType::VTimezone
    });
    let named = named.as_ref().and_then(ICalendarComponent::timezone);
    let named = named.and_then(|(_, zone)| TimeZone::get(&zone.name()?).ok());
    let zone = named.or_else(|| by_rules(lines))?;
    Some((id.trim_matches('"').to_owned(), zone))
}

/// The yearly start of an offset.
struct Observance<'a> {
    daylight: bool,
    begins: &'a str,
    offset: i32,
    rule: Option<&'a str>,
}

/// The latest rules as a POSIX zone, applied to all years. Files rarely contain past rules.
fn by_rules(lines: &[Line]) -> Option<TimeZone> {
    let mut found: Vec<Observance<'_>> = Vec::new();
    for line in lines {
        let last = found.last_mut();
        match (line.name().as_str(), line.value(), last) {
            ("BEGIN", kind @ ("STANDARD" | "DAYLIGHT"), _) => found.push(Observance {
                daylight: kind == "DAYLIGHT",
                begins: "",
                offset: 0,
                rule: None,
            }),
            ("DTSTART", begins, Some(last)) => last.begins = begins,
            ("TZOFFSETTO", offset, Some(last)) => last.offset = seconds(offset)?,
            ("RRULE", rule, Some(last)) if !rule.contains("UNTIL") => last.rule = Some(rule),
            _ => {}
        }
    }
    let latest = |daylight: bool| {
        let mut kind: Vec<_> = found.iter().filter(|o| o.daylight == daylight).collect();
        kind.sort_by_key(|o| (o.rule.is_some(), o.begins));
        kind.pop()
    };
    let standard = latest(false)?;
    let mut posix = format!("<STD>{}", offset(standard.offset));
    if let Some(daylight) = latest(true)
        && let (Some(on), Some(off)) = (day(daylight), day(standard))
    {
        posix.push_str(&format!("<DST>{},{on},{off}", offset(daylight.offset)));
    }
    TimeZone::posix(&posix).ok()
}

/// `+0100`, `-033000`.
fn seconds(text: &str) -> Option<i32> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("-", digits) => (-1, digits),
        ("+", digits) => (1, digits),
        _ => (1, text),
    };
    let part = |at: usize| digits.get(at..at + 2)?.parse::<i32>().ok();
    let all = part(0)? * 3_600 + part(2)? * 60 + part(4).unwrap_or(0);
    (all <= 24 * 3_600).then_some(sign * all)
}

/// POSIX counts west of Greenwich as positive.
fn offset(seconds: i32) -> String {
    let sign = if seconds > 0 { "-" } else { "+" };
    let all = seconds.abs();
    format!(
        "{sign}{:02}:{:02}:{:02}",
        all / 3_600,
        all / 60 % 60,
        all % 60
    )
}

/// `M3.5.0/02:00:00`: the last Sunday of March, at two.
fn day(observance: &Observance<'_>) -> Option<String> {
    let parts: HashMap<_, _> = observance
        .rule?
        .split(';')
        .filter_map(|p| p.split_once('='))
        .collect();
    let month: u8 = parts.get("BYMONTH")?.parse().ok()?;
    let by_day = *parts.get("BYDAY")?;
    let (number, name) = by_day.split_at_checked(by_day.len().checked_sub(2)?)?;
    let names = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
    let weekday = names.iter().position(|known| *known == name)?;
    let week = match (number, parts.get("BYMONTHDAY")) {
        ("", Some(days)) => days.split(',').next()?.parse::<u8>().ok()?.checked_sub(1)? / 7 + 1,
        ("", None) => 1,
        (number, _) => match number.parse::<i8>().ok()? {
            -1 => 5,
            week @ 1..=4 => week.unsigned_abs(),
            _ => return None,
        },
    };
    let time = observance.begins.split_once('T')?.1;
    let (hour, minute) = (time.get(..2)?, time.get(2..4)?);
    Some(format!("M{month}.{week}.{weekday}/{hour}:{minute}:00"))
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
        let zones = zones("");
        for (id, expected) in [
            ("Europe/Berlin", [120, 60]),
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
    fn a_zone_of_the_files_own_follows_its_rules() {
        let rules = "BEGIN:VTIMEZONE\r\nTZID:Customized Time Zone\r\nBEGIN:STANDARD\r\nDTSTART:16010101T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r\nBEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE\r\n";
        let zone = zones(rules).get("Customized Time Zone").unwrap();
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        for day in 0..365_i64 {
            let at = jiff::Timestamp::from_second(1_767_225_600 + day * 86_400).unwrap();
            assert_eq!(zone.to_offset(at), berlin.to_offset(at), "{at}");
        }
        let fixed = "BEGIN:VTIMEZONE\r\nTZID:Half\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETTO:+0530\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
        let zone = zones(fixed).get("Half").unwrap();
        assert_eq!(summer_and_winter(&zone), [330, 330]);
    }

    #[test]
    fn times_without_a_zone_are_the_calendars() {
        let said = zones("X-WR-TIMEZONE:Asia/Tokyo\r\n").floating;
        assert_eq!(summer_and_winter(&said), [540, 540]);
        assert_eq!(summer_and_winter(&zones("").floating), [0, 0]);
    }
}
