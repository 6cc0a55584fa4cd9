//! Parses time zones as people name them.

use alfred_planner::InputError;
use jiff::Timestamp;
use jiff::tz::{self, TimeZone};

use super::homonyms::{self, Homonym, PLACES, homonym};
use super::offset::parse_offset;
use crate::fold::fold;

/// Prefixes of outdated names, used only if no other name matches.
const OLD_REGIONS: [&str; 7] = [
    "US/", "Canada/", "Brazil/", "Mexico/", "Chile/", "Etc/", "SystemV/",
];
/// Outdated names under a current prefix.
const OLD_NAMES: [&str; 3] = ["Australia/North", "Australia/South", "Australia/West"];
/// Names in the database that aren't zones of a place.
const NO_ZONES: [&str; 3] = ["Factory", "localtime", "posixrules"];
/// Links in the database for cities on two continents.
const LINKS: [&str; 2] = ["Asia/Istanbul", "Europe/Nicosia"];
/// Lowest Jaro-Winkler similarity of a suggestion.
const ALIKE: f64 = 0.86;
const LISTED: usize = 6;

struct Candidate {
    /// Region of the place, if the name alone is ambiguous.
    region: Option<&'static str>,
    zone: String,
}

/// Parses an IANA name in any case ("europe/berlin"), an offset ("UTC+5:30"), or a place. A place is the last
/// part of an IANA name ("New York"), a large city or a country, with its region if ambiguous ("Portland,
/// Maine"). Errors suggest similar names or list the candidates.
pub fn parse_zone(field: &str, text: &str) -> Result<TimeZone, InputError> {
    if let Some(zone) = parse_offset(text) {
        return Ok(zone);
    }
    let names: Vec<String> = tz::db()
        .available()
        .map(|name| name.as_str().to_owned())
        .filter(|name| !NO_ZONES.contains(&name.as_str()))
        .collect();
    let found = resolve_by_title(&names, text);
    match found.as_slice() {
        [] => Err(InputError::new(field, text, unknown(&names, &fold(text)))),
        [one] => TimeZone::get(&one.zone)
            .map_err(|error| InputError::new(field, text, format!("can't be read: {error}."))),
        several => Err(InputError::new(field, text, ambiguous(text, several))),
    }
}

fn ambiguous(text: &str, found: &[Candidate]) -> String {
    let listed: Vec<String> = found
        .iter()
        .take(LISTED)
        .map(|candidate| match candidate.region {
            Some(region) => format!("the one in {region} ({})", candidate.zone),
            None => candidate.zone.clone(),
        })
        .collect();
    let how = match found.iter().find_map(|candidate| candidate.region) {
        Some(region) => {
            let name = text.split(',').next().unwrap_or(text).trim();
            format!("Add where it lies, such as \"{name}, {region}\".")
        }
        None => "Name one of them.".to_owned(),
    };
    format!("could be {}. {how}", listed.join(" or "))
}

/// Accepts a name, a name with regions after commas, or a name that ends in its region.
fn resolve_by_title(names: &[String], text: &str) -> Vec<Candidate> {
    let mut parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let name = parts.next().unwrap_or_default();
    let regions: Vec<&str> = parts.collect();
    if !regions.is_empty() {
        return in_region(names, name, &regions);
    }
    let found = by_name(names, name);
    if !found.is_empty() {
        return found;
    }
    name.match_indices(' ')
        .map(|(at, _)| (&name[..at], &name[at + 1..]))
        .filter(|(_, last)| !homonyms::region(&fold(last)).is_empty())
        .map(|(first, last)| in_region(names, first, &[last]))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

fn by_name(names: &[String], name: &str) -> Vec<Candidate> {
    let wanted = fold(name);
    if let Some(homonym) = homonym(&wanted) {
        let taken = if homonym.first_is_meant {
            1
        } else {
            usize::MAX
        };
        return namesakes(homonym).take(taken).collect();
    }
    candidates(names, name, &wanted)
        .into_iter()
        .map(|zone| Candidate { region: None, zone })
        .collect()
}

fn namesakes(homonym: &Homonym) -> impl Iterator<Item = Candidate> {
    homonym.places.iter().map(|place| Candidate {
        region: Some(place.region),
        zone: place.zone.to_owned(),
    })
}

/// Finds the place within a region. If no known place of this name has one of the region's zones, returns the
/// zones of the region.
fn in_region(names: &[String], name: &str, regions: &[&str]) -> Vec<Candidate> {
    let wanted = fold(name);
    let homonym = homonym(&wanted);
    let exact = homonym.and_then(|homonym| {
        regions
            .iter()
            .find_map(|region| homonym.place_in(&fold(region)))
    });
    if let Some(place) = exact {
        return vec![Candidate {
            region: Some(place.region),
            zone: place.zone.to_owned(),
        }];
    }
    let zones: Vec<String> = regions
        .iter()
        .map(|region| {
            let folded = fold(region);
            let mut zones = candidates(names, region, &folded);
            zones.extend(
                homonyms::region(&folded)
                    .iter()
                    .map(|zone| (*zone).to_owned()),
            );
            zones
        })
        .find(|zones| !zones.is_empty())
        .unwrap_or_default();
    let known: Vec<Candidate> = match homonym {
        Some(homonym) => namesakes(homonym).collect(),
        None => by_name(names, name),
    };
    if zones.is_empty() {
        return known;
    }
    let inside: Vec<Candidate> = known
        .into_iter()
        .filter(|place| zones.iter().any(|zone| same_clocks(zone, &place.zone)))
        .collect();
    if !inside.is_empty() {
        return inside;
    }
    distinct(zones.iter().collect())
        .into_iter()
        .map(|zone| Candidate { region: None, zone })
        .collect()
}

/// Zones that match, without those of equal clocks.
fn candidates(names: &[String], text: &str, wanted: &str) -> Vec<String> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let place: Vec<&String> = names
        .iter()
        .filter(|name| name.contains('/') && ends_with_place(&fold(name), name, wanted))
        .collect();
    if let Some(exact) = names.iter().find(|name| name.eq_ignore_ascii_case(text)) {
        // "Singapore" is an outdated name; the one with its region is current.
        let current = place
            .iter()
            .find(|name| !is_old(name) && same_clocks(name, exact));
        return vec![current.map_or(exact, |name| *name).clone()];
    }
    let (old, current): (Vec<_>, Vec<_>) = place.into_iter().partition(|name| is_old(name));
    if !current.is_empty() {
        return distinct(current);
    }
    if let Some((_, zones)) = PLACES.iter().find(|(place, _)| *place == wanted) {
        return zones.iter().map(|zone| (*zone).to_owned()).collect();
    }
    if !old.is_empty() {
        return distinct(old);
    }
    names
        .iter()
        .filter(|name| fold(name) == wanted)
        .take(1)
        .cloned()
        .collect()
}

fn is_old(name: &str) -> bool {
    OLD_NAMES.contains(&name) || OLD_REGIONS.iter().any(|region| name.starts_with(region))
}

/// Whether the name ends in this place, which may span several parts.
fn ends_with_place(folded: &str, name: &str, wanted: &str) -> bool {
    folded.ends_with(wanted)
        && name
            .match_indices('/')
            .any(|(at, _)| fold(&name[at..]) == wanted)
        || folded == wanted
}

/// Keeps one name per set of equal clocks: the one with most parts, which is the current one.
fn distinct(mut names: Vec<&String>) -> Vec<String> {
    names.sort_by_key(|name| {
        let parts = name.matches('/').count();
        (LINKS.contains(&name.as_str()), std::cmp::Reverse(parts))
    });
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.iter().any(|other| same_clocks(other, name)) {
            kept.push(name.clone());
        }
    }
    kept
}

/// Whether both zones show the same time from 2000 to 2038.
fn same_clocks(a: &str, b: &str) -> bool {
    match (clocks(a), clocks(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn clocks(name: &str) -> Result<Vec<(Timestamp, i32)>, jiff::Error> {
    let zone = TimeZone::get(name)?;
    let start = Timestamp::from_second(946_684_800)?;
    let end = Timestamp::from_second(2_145_916_800)?;
    let mut changes = vec![(start, zone.to_offset(start).seconds())];
    for change in zone
        .following(start)
        .take_while(|change| change.timestamp() < end)
    {
        // Some changes only rename the zone.
        if changes
            .last()
            .is_none_or(|last| last.1 != change.offset().seconds())
        {
            changes.push((change.timestamp(), change.offset().seconds()));
        }
    }
    Ok(changes)
}

fn unknown(names: &[String], wanted: &str) -> String {
    let mut near: Vec<(f64, &str)> = Vec::new();
    for name in names {
        let likeness = name
            .split('/')
            .chain([name.as_str()])
            .map(|part| strsim::jaro_winkler(&fold(part), wanted))
            .fold(0.0, f64::max);
        near.push((likeness, name));
    }
    for (place, zones) in PLACES.iter() {
        let likeness = strsim::jaro_winkler(place, wanted);
        near.extend(zones.iter().map(|zone| (likeness, *zone)));
    }
    near.retain(|(likeness, _)| *likeness >= ALIKE && !wanted.is_empty());
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let mut listed: Vec<&str> = Vec::new();
    for (_, name) in near {
        if listed.len() < LISTED && !listed.contains(&name) {
            listed.push(name);
        }
    }
    let hint = if listed.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", listed.join(" or "))
    };
    format!(
        "is no time zone or city I know.{hint} A large city or a name such as Europe/Berlin would do."
    )
}

#[cfg(test)]
#[path = "zone_tests.rs"]
mod tests;
