//! Parses time zones as people name them.

use alfred_planner::InputError;
use jiff::Timestamp;
use jiff::tz::{self, TimeZone};
use std::cmp::Reverse;
use std::iter::once;
use std::sync::LazyLock;

use super::homonyms::{self, Namesake, PLACES, homonym};
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
const ALIKE: f64 = 0.9;
const LISTED: usize = 6;

static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = tz::db().available().map(|name| name.as_str().to_owned());
    let names = names.filter(|name| !NO_ZONES.contains(&name.as_str()));
    names.collect()
});

fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(String::as_str)
}

/// Parses an IANA name in any case ("europe/berlin"), an offset ("UTC+5:30"), or a place. A place is the last
/// part of an IANA name ("New York"), a large city or a country, with its region if ambiguous ("Portland,
/// Maine"). Errors suggest similar names or list the candidates.
pub fn parse_zone(field: &str, text: &str) -> Result<TimeZone, InputError> {
    if let Some(zone) = parse_offset(text) {
        return Ok(zone);
    }
    let problem = match places(text).as_slice() {
        [] => unknown(&fold(text)),
        [one] => match TimeZone::get(one.zone) {
            Ok(zone) => return Ok(zone),
            Err(error) => format!("can't be read: {error}."),
        },
        several => ambiguous(text, several),
    };
    Err(InputError::new(field, text, problem))
}

fn ambiguous(text: &str, found: &[Namesake]) -> String {
    let line = |place: &Namesake| match place.region {
        "" => place.zone.to_owned(),
        region => format!("the one in {region} ({})", place.zone),
    };
    let listed: Vec<String> = found.iter().take(LISTED).map(line).collect();
    let how = match found.iter().find(|place| !place.region.is_empty()) {
        Some(Namesake { region, .. }) => {
            let name = text.split(',').next().unwrap_or(text).trim();
            format!("Add where it lies, such as \"{name}, {region}\".")
        }
        None => "Name one of them.".to_owned(),
    };
    format!("could be {}. {how}", listed.join(" or "))
}

/// Accepts a name, a name with regions after commas, or a name that ends in its region.
fn places(text: &str) -> Vec<Namesake> {
    let parts = text.split(',').map(str::trim);
    let mut parts = parts.filter(|part| !part.is_empty());
    let name = parts.next().unwrap_or_default();
    let regions: Vec<&str> = parts.collect();
    if !regions.is_empty() {
        return in_region(name, &regions);
    }
    let found = by_name(name);
    if !found.is_empty() {
        return found;
    }
    name.match_indices(' ')
        .map(|(at, _)| (&name[..at], &name[at + 1..]))
        .filter(|(_, last)| !homonyms::region(&fold(last)).is_empty())
        .map(|(first, last)| in_region(first, &[last]))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

fn by_name(name: &str) -> Vec<Namesake> {
    let wanted = fold(name);
    match homonym(&wanted) {
        Some(homonym) if homonym.first_is_meant => homonym.places[..1].to_vec(),
        Some(homonym) => homonym.places.clone(),
        None => without_region(zones(name, &wanted)),
    }
}

fn without_region(zones: Vec<&'static str>) -> Vec<Namesake> {
    let place = |zone| Namesake { region: "", zone };
    zones.into_iter().map(place).collect()
}

/// Finds the place within a region. If no known place of this name has one of the region's zones, returns the
/// zones of the region.
fn in_region(name: &str, regions: &[&str]) -> Vec<Namesake> {
    let homonym = homonym(&fold(name));
    let place_in = |region: &&str| homonym?.place_in(&fold(region));
    if let Some(place) = regions.iter().find_map(place_in) {
        return vec![*place];
    }
    let zones_of = |region: &&str| {
        let folded = fold(region);
        let mut zones = zones(region, &folded);
        zones.extend(homonyms::region(&folded));
        zones
    };
    let mut zones = regions.iter().map(zones_of);
    let zones = zones.find(|zones| !zones.is_empty()).unwrap_or_default();
    let mut found = homonym.map_or_else(|| by_name(name), |homonym| homonym.places.clone());
    if zones.is_empty() {
        return found;
    }
    found.retain(|place| zones.iter().any(|zone| same_clocks(zone, place.zone)));
    if found.is_empty() {
        without_region(distinct(zones))
    } else {
        found
    }
}

/// Zones that match, without those of equal clocks.
fn zones(text: &str, wanted: &str) -> Vec<&'static str> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let place = names().filter(|name| name.contains('/') && ends_with_place(name, wanted));
    let (old, current): (Vec<_>, Vec<_>) = place.partition(|name| is_old(name));
    if let Some(exact) = names().find(|name| name.eq_ignore_ascii_case(text)) {
        // "Singapore" is an outdated name; the one with its region is current.
        let current = current.into_iter().find(|name| same_clocks(name, exact));
        return vec![current.unwrap_or(exact)];
    }
    if !current.is_empty() {
        return distinct(current);
    }
    if let Some((_, zones)) = PLACES.iter().find(|(place, _)| *place == wanted) {
        return zones.clone();
    }
    if !old.is_empty() {
        return distinct(old);
    }
    let named = names().find(|name| fold(name) == wanted);
    named.into_iter().collect()
}

fn is_old(name: &str) -> bool {
    OLD_NAMES.contains(&name) || OLD_REGIONS.iter().any(|region| name.starts_with(region))
}

/// Whether the name ends in this place, which may span several parts.
fn ends_with_place(name: &str, wanted: &str) -> bool {
    let folded = fold(name);
    let mut ends = name.match_indices('/').map(|(at, _)| fold(&name[at..]));
    folded == wanted || folded.ends_with(wanted) && ends.any(|end| end == wanted)
}

/// Keeps one name per set of equal clocks: the one with most parts, which is the current one.
fn distinct(mut names: Vec<&'static str>) -> Vec<&'static str> {
    names.sort_by_key(|name| (LINKS.contains(name), Reverse(name.matches('/').count())));
    let mut kept: Vec<&str> = Vec::new();
    for name in names {
        if !kept.iter().any(|other| same_clocks(other, name)) {
            kept.push(name);
        }
    }
    kept
}

/// Whether both zones show the same time from 2000 to 2038.
fn same_clocks(a: &str, b: &str) -> bool {
    let clocks_of_a = clocks(a);
    clocks_of_a.is_some() && clocks_of_a == clocks(b)
}

fn clocks(name: &str) -> Option<Vec<(Timestamp, i32)>> {
    let zone = TimeZone::get(name).ok()?;
    let start = Timestamp::from_second(946_684_800).ok()?;
    let end = Timestamp::from_second(2_145_916_800).ok()?;
    let first = (start, zone.to_offset(start).seconds());
    let changes = zone.following(start);
    let changes = changes.map(|change| (change.timestamp(), change.offset().seconds()));
    let changes = changes.take_while(|(at, _)| *at < end);
    let mut clocks: Vec<(Timestamp, i32)> = once(first).chain(changes).collect();
    // Some changes only rename the zone.
    clocks.dedup_by_key(|(_, offset)| *offset);
    Some(clocks)
}

fn unknown(wanted: &str) -> String {
    let mut near: Vec<(f64, &str)> = Vec::new();
    for name in names() {
        let parts = name.split('/').chain([name]);
        let likeness = parts.map(|part| strsim::jaro_winkler(&fold(part), wanted));
        near.push((likeness.fold(0.0, f64::max), name));
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
    let hint = match listed.join(" or ").as_str() {
        "" => String::new(),
        names => format!(" Did you mean {names}?"),
    };
    format!(
        "is no time zone or city I know.{hint} A large city or a name such as Europe/Berlin would do."
    )
}

#[cfg(test)]
#[path = "zone_tests.rs"]
mod tests;
