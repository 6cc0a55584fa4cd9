//! Places and zones named in a sentence.

use jiff::tz;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::lex::{Word, fold};

/// The most words of one name.
const LONGEST: usize = 4;
/// Old names by country; their last parts are no places.
const OLD_REGIONS: [&str; 9] = [
    "US/", "Canada/", "Brazil/", "Mexico/", "Chile/", "Etc/", "SystemV/", "posix/", "right/",
];
/// Cities the database has under two continents: the one that is a link.
const LINKS: [&str; 2] = ["Asia/Istanbul", "Europe/Nicosia"];
/// Last parts of names that are words before they are places.
const WORDS: [&str; 10] = [
    "north",
    "south",
    "west",
    "east",
    "center",
    "factory",
    "localtime",
    "posixrules",
    "universal",
    "act",
];
/// Short names that are common words too: only in capitals, or after "in".
const SHORT: [&str; 17] = [
    "us", "la", "et", "pt", "ct", "west", "nice", "split", "central", "mountain", "met", "wet",
    "eat", "rio", "cali", "est", "ny",
];

/// A place that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// IANA name; the place as written when it has several zones.
    pub(super) zone: String,
    /// Words it takes.
    pub(super) len: usize,
}

/// The longest name that starts at this word.
pub(super) fn at(words: &[Word], start: usize) -> Option<Place> {
    let first = words.get(start)?;
    if first.low.contains('/')
        && let Some(zone) = iana(&first.low)
    {
        return Some(Place { zone, len: 1 });
    }
    if let Some(zone) = offset(&first.low) {
        return Some(Place { zone, len: 1 });
    }
    for len in (1..=LONGEST.min(words.len() - start)).rev() {
        let span = &words[start..start + len];
        // A comma ends a name.
        if span[..len - 1].iter().any(|word| word.end.is_some()) {
            continue;
        }
        let lows: Vec<&str> = span.iter().map(|word| word.low.as_str()).collect();
        let name = lows.join(" ");
        let Some(zone) = names().get(&name) else {
            continue;
        };
        if SHORT.contains(&name.as_str()) && !stands_alone(words, start) {
            continue;
        }
        let zone = if zone == "?" {
            let written: Vec<&str> = span.iter().map(|word| word.text.as_str()).collect();
            written.join(" ")
        } else {
            zone.clone()
        };
        return Some(Place { zone, len });
    }
    None
}

/// Whether a short name is meant as one: in capitals, after a preposition of
/// place, or before "time".
fn stands_alone(words: &[Word], at: usize) -> bool {
    let capitals = words[at].text.chars().all(|c| !c.is_lowercase());
    let after = at > 0
        && ["in", "to", "into", "at", "for", "from", "the", "->"]
            .contains(&words[at - 1].low.as_str());
    let before = words.get(at + 1).is_some_and(|word| word.low == "time");
    capitals || after || before
}

/// Every known name, folded, with its zone.
fn names() -> &'static HashMap<String, String> {
    static NAMES: OnceLock<HashMap<String, String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names = HashMap::new();
        for zone in zones() {
            if OLD_REGIONS.iter().any(|old| zone.starts_with(old)) {
                continue;
            }
            let last = zone.rsplit('/').next().unwrap_or(zone);
            let place = fold(&last.replace('_', " "));
            if WORDS.contains(&place.as_str()) || !zone.contains('/') {
                continue;
            }
            let better = |known: &String| rank(zone) > rank(known);
            if names.get(&place).is_none_or(better) {
                names.insert(place, zone.clone());
            }
        }
        let table = include_str!("places.txt").lines();
        for line in table.filter(|line| !line.starts_with('#')) {
            let Some((zone, places)) = line.split_once(": ") else {
                continue;
            };
            for place in places.split(", ") {
                names.insert(fold(place), zone.to_owned());
            }
        }
        names
    })
}

/// The current name of a place has the most parts (`America/Argentina/Buenos_Aires`).
fn rank(zone: &str) -> (bool, usize) {
    (!LINKS.contains(&zone), zone.matches('/').count())
}

fn zones() -> &'static [String] {
    static ZONES: OnceLock<Vec<String>> = OnceLock::new();
    ZONES.get_or_init(|| {
        tz::db()
            .available()
            .map(|name| name.as_str().to_owned())
            .collect()
    })
}

/// An IANA name in any case, as the database spells it.
fn iana(low: &str) -> Option<String> {
    let wanted = low.replace(' ', "_");
    zones()
        .iter()
        .find(|zone| zone.eq_ignore_ascii_case(&wanted))
        .cloned()
}

/// `utc+2`, `gmt-5`: whole hours have names in the database, with the sign turned round.
fn offset(low: &str) -> Option<String> {
    let rest = low
        .strip_prefix("utc")
        .or_else(|| low.strip_prefix("gmt"))?;
    let hours: i8 = rest.strip_prefix('+').unwrap_or(rest).parse().ok()?;
    match hours {
        0 => Some("UTC".into()),
        1..=14 => Some(format!("Etc/GMT-{hours}")),
        -12..=-1 => Some(format!("Etc/GMT+{}", -hours)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lex::words;
    use super::*;

    fn zone(text: &str) -> Option<String> {
        at(&words(text), 0).map(|place| place.zone)
    }

    #[test]
    fn every_zone_in_the_table_exists() {
        for zone in names().values().filter(|zone| *zone != "?") {
            assert!(tz::TimeZone::get(zone).is_ok(), "{zone}");
        }
    }

    #[test]
    fn names_are_found_by_their_last_part_and_by_the_table() {
        for (text, expected) in [
            ("Kathmandu", "Asia/Kathmandu"),
            ("são paulo", "America/Sao_Paulo"),
            ("asia/kolkata", "Asia/Kolkata"),
            ("Buenos Aires", "America/Argentina/Buenos_Aires"),
            ("Istanbul", "Europe/Istanbul"),
            ("Thimphu", "Asia/Thimphu"),
            ("Knox", "America/Indiana/Knox"),
            ("Zürich", "Europe/Zurich"),
            ("UTC+2", "Etc/GMT-2"),
            ("United States", "United States"),
        ] {
            assert_eq!(zone(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(zone("Atlantis"), None);
    }

    #[test]
    fn short_names_need_capitals_or_a_preposition() {
        assert_eq!(zone("tell us"), None);
        assert_eq!(at(&words("tell us"), 1), None);
        assert!(at(&words("in la"), 1).is_some());
        assert!(at(&words("tell US"), 1).is_some());
    }
}
