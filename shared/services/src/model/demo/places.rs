//! Places and zones named in a sentence.

use jiff::tz;
use std::collections::HashMap;
use std::sync::OnceLock;

use super::lex::{Word, fold};
use super::regions::{low, region_behind};

/// The most words of one name.
pub(super) const LONGEST: usize = 4;
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
/// Names that are common words too: only in capitals, or after "in".
const SHORT: [&str; 19] = [
    "us",
    "la",
    "et",
    "pt",
    "ct",
    "west",
    "nice",
    "split",
    "central",
    "mountain",
    "met",
    "wet",
    "eat",
    "rio",
    "cali",
    "est",
    "ny",
    "christmas",
    "easter",
];

/// A place that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// IANA name or offset; the place as written when the tool has to find or to ask which it is.
    pub(super) zone: String,
    /// As written.
    pub(super) written: String,
    /// Words it takes.
    pub(super) len: usize,
}

/// The longest name that starts at this word, with the region behind it.
pub(super) fn at(words: &[Word], start: usize) -> Option<Place> {
    let first = words.get(start)?;
    let found = |zone: String, len: usize| Place {
        zone,
        written: written(&words[start..start + len]),
        len,
    };
    if first.low.contains('/')
        && let Some(zone) = iana(&first.low)
    {
        return Some(found(zone, 1));
    }
    if let Some((zone, len)) = offset_at(words, start) {
        return Some(found(zone, len));
    }
    for len in (1..=LONGEST.min(words.len() - start)).rev() {
        let Some((name, zone)) = named(words, start, len) else {
            continue;
        };
        if SHORT.contains(&name.as_str()) && !stands_alone(words, start) {
            continue;
        }
        return Some(match region_behind(words, start, len, zone) {
            Some(region) => in_region(words, start, len, zone, region),
            None if zone == "?" => found(written(&words[start..start + len]), len),
            None => found(zone.to_owned(), len),
        });
    }
    unknown_in_region(words, start)
}

/// These words as a known name, folded, and its zone. A comma ends a name.
fn named(words: &[Word], start: usize, len: usize) -> Option<(String, &'static str)> {
    let span = words.get(start..start + len)?;
    if span[..len - 1].iter().any(|word| word.end.is_some()) {
        return None;
    }
    let name = low(words, start, len);
    let zone = known(&name)?;
    Some((name, zone))
}

/// A place with its region: the zone if both are known to share it, else what
/// was written, which the tool takes apart.
fn in_region(words: &[Word], start: usize, len: usize, zone: &str, region: usize) -> Place {
    let place = written(&words[start..start + len]);
    let behind = written(&words[start + len..start + len + region]);
    let whole = format!("{place}, {behind}");
    let shared = named(words, start + len, region).is_some_and(|(_, other)| other == zone);
    Place {
        zone: if shared && zone != "?" {
            zone.to_owned()
        } else {
            whole.clone()
        },
        written: whole,
        len: len + region,
    }
}

/// "Eugene, Oregon": an unknown name with a known region is one for the tool.
fn unknown_in_region(words: &[Word], start: usize) -> Option<Place> {
    let is_name = |word: &Word| word.text.starts_with(char::is_uppercase);
    let len = words[start..]
        .iter()
        .take(3)
        .position(|word| word.end == Some(','))?
        + 1;
    if !words[start..start + len].iter().all(is_name) {
        return None;
    }
    let before = words.get(start.checked_sub(1)?)?;
    if !matches!(before.low.as_str(), "in" | "to" | "from" | "for" | "at") {
        return None;
    }
    let region = region_behind(words, start, len, "?")?;
    Some(in_region(words, start, len, "?", region))
}

fn written(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// Whether a short name is meant as one: in capitals, after a preposition of
/// place, or before "time".
fn stands_alone(words: &[Word], at: usize) -> bool {
    let capitals = words[at].text.chars().all(|c| !c.is_lowercase());
    let name = words[at].low.as_str();
    if matches!(name, "christmas" | "easter") {
        return at > 0 && words[at - 1].low == "in";
    }
    let after = at > 0
        && ["in", "to", "into", "at", "for", "from", "the", "->"]
            .contains(&words[at - 1].low.as_str());
    let before = words.get(at + 1).is_some_and(|word| word.low == "time");
    capitals || after || before
}

/// The zone of a folded name, `?` if it has several.
pub(super) fn known(name: &str) -> Option<&'static str> {
    names().get(name).map(String::as_str)
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

/// `utc+2`, `GMT -5`, `utc+5:45`: as `UTC+05:45`.
fn offset_at(words: &[Word], start: usize) -> Option<(String, usize)> {
    let low = words.get(start)?.low.as_str();
    let rest = low
        .strip_prefix("utc")
        .or_else(|| low.strip_prefix("gmt"))?;
    if rest.is_empty() {
        let next = words
            .get(start + 1)
            .filter(|_| words[start].end.is_none())?;
        return Some((offset(&next.low)?, 2));
    }
    Some((offset(rest)?, 1))
}

fn offset(rest: &str) -> Option<String> {
    let sign = rest.chars().next().filter(|c| ['+', '-'].contains(c))?;
    let (hours, minutes) = rest[1..].split_once(':').unwrap_or((&rest[1..], "00"));
    let hours: u8 = hours.parse().ok()?;
    let minutes: u8 = minutes.parse().ok().filter(|_| minutes.len() == 2)?;
    if hours > 14 || minutes > 59 {
        return None;
    }
    Some(if (hours, minutes) == (0, 0) {
        "UTC".into()
    } else {
        format!("UTC{sign}{hours:02}:{minutes:02}")
    })
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
            ("UTC+2", "UTC+02:00"),
            ("GMT-5", "UTC-05:00"),
            ("utc -3:30", "UTC-03:30"),
            ("UTC+0", "UTC"),
            ("Portland", "Portland"),
            ("Portland, Maine", "Portland, Maine"),
            ("Portland OR", "Portland, OR"),
            ("Paris, Texas", "Paris, Texas"),
            ("Osaka, Japan", "Asia/Tokyo"),
            ("Osaka, Paris", "Asia/Tokyo"),
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
