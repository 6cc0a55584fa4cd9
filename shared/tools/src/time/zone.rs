//! Time zones as people name them.

use alfred_planner::InputError;
use jiff::Timestamp;
use jiff::tz::{self, TimeZone};

use super::places::PLACES;
use crate::fold::fold;

/// Old names by country, used only when no other fits.
const OLD_REGIONS: [&str; 7] = [
    "US/", "Canada/", "Brazil/", "Mexico/", "Chile/", "Etc/", "SystemV/",
];
/// The same under a region that is still in use.
const OLD_NAMES: [&str; 3] = ["Australia/North", "Australia/South", "Australia/West"];
/// Names in the database that are no zones of a place.
const NO_ZONES: [&str; 3] = ["Factory", "localtime", "posixrules"];
/// Cities on two continents: the name that the database has as a link.
const LINKS: [&str; 2] = ["Asia/Istanbul", "Europe/Nicosia"];
/// From how much likeness on a name is suggested (Jaro-Winkler).
const ALIKE: f64 = 0.86;
/// The most names an error lists.
const LISTED: usize = 6;

/// Reads an IANA name in any case ("europe/berlin"), a place by the last part
/// of such a name ("New York", "Sao Paulo"), or a large city or country. The
/// zone's `iana_name` is spelled as in the database.
///
/// # Errors
/// Names the field: unknown, with near names; ambiguous, with the candidates.
pub fn parse_zone(field: &str, text: &str) -> Result<TimeZone, InputError> {
    let names: Vec<String> = tz::db()
        .available()
        .map(|name| name.as_str().to_owned())
        .filter(|name| !NO_ZONES.contains(&name.as_str()))
        .collect();
    let wanted = fold(text);
    let found = candidates(&names, text.trim(), &wanted);
    match found.as_slice() {
        [] => Err(InputError::new(field, text, unknown(&names, &wanted))),
        [one] => TimeZone::get(one)
            .map_err(|error| InputError::new(field, text, format!("can't be read: {error}."))),
        several => {
            let problem = format!(
                "could be {}. Name one of them.",
                several[..several.len().min(LISTED)].join(" or ")
            );
            Err(InputError::new(field, text, problem))
        }
    }
}

/// The zones that this may mean, those with the same clocks only once.
fn candidates(names: &[String], text: &str, wanted: &str) -> Vec<String> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let place: Vec<&String> = names
        .iter()
        .filter(|name| name.contains('/') && ends_with_place(&fold(name), name, wanted))
        .collect();
    if let Some(exact) = names.iter().find(|name| name.eq_ignore_ascii_case(text)) {
        // "Singapore" is an old name; the one with its region is the current one.
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

/// Whether a name ends in this place: one or more of its parts, from a slash on.
fn ends_with_place(folded: &str, name: &str, wanted: &str) -> bool {
    folded.ends_with(wanted)
        && name
            .match_indices('/')
            .any(|(at, _)| fold(&name[at..]) == wanted)
        || folded == wanted
}

/// One name of each set of clocks: the one with most parts, which the database keeps current.
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

/// Whether two zones have shown the same time since 2000 and will until 2038.
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

/// What to say of a name that nothing fits.
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
    for (place, zones) in PLACES {
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
        "is no time zone or city I know.{hint} Use an IANA name such as Europe/Berlin, or a large city."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(text: &str) -> String {
        let zone = parse_zone("timezone", text).unwrap();
        zone.iana_name().unwrap().to_owned()
    }

    fn error(text: &str) -> String {
        parse_zone("timezone", text).unwrap_err().to_string()
    }

    #[test]
    fn names_in_any_case_and_places() {
        for (text, expected) in [
            ("Europe/Berlin", "Europe/Berlin"),
            ("europe/BERLIN", "Europe/Berlin"),
            ("Tokyo", "Asia/Tokyo"),
            ("new york", "America/New_York"),
            ("new_york", "America/New_York"),
            ("America/New York", "America/New_York"),
            ("Sao Paulo", "America/Sao_Paulo"),
            ("São Paulo", "America/Sao_Paulo"),
            ("Buenos Aires", "America/Argentina/Buenos_Aires"),
            ("argentina/ushuaia", "America/Argentina/Ushuaia"),
            ("Port-au-Prince", "America/Port-au-Prince"),
            ("St. John's", "America/St_Johns"),
            ("Istanbul", "Europe/Istanbul"),
            ("nicosia", "Asia/Nicosia"),
            ("Indianapolis", "America/Indiana/Indianapolis"),
            ("Singapore", "Asia/Singapore"),
            ("utc", "UTC"),
            ("Z", "UTC"),
            ("GMT", "GMT"),
            ("Japan", "Japan"),
            ("San Francisco", "America/Los_Angeles"),
            ("germany", "Europe/Berlin"),
            ("Etc/GMT+5", "Etc/GMT+5"),
            ("Etc/GMT-5", "Etc/GMT-5"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
    }

    #[test]
    fn ambiguous_names_list_their_candidates() {
        assert_eq!(
            error("west"),
            "timezone: \"west\" could be Australia/West or Brazil/West. Name one of them."
        );
        assert!(error("Portland").contains("America/Los_Angeles or America/New_York"));
        assert!(error("IST").contains("Asia/Kolkata or Asia/Jerusalem or Europe/Dublin"));
    }

    #[test]
    fn unknown_names_suggest_near_ones() {
        assert!(
            error("Tokio").contains("Did you mean Asia/Tokyo"),
            "{}",
            error("Tokio")
        );
        assert!(
            error("Europe/Munchen").starts_with("timezone: \"Europe/Munchen\" is no time zone")
        );
        assert!(
            error("San Fransisco").contains("America/Los_Angeles"),
            "{}",
            error("San Fransisco")
        );
        assert!(
            error("Indiana").contains("America/Indiana/"),
            "{}",
            error("Indiana")
        );
        assert!(!error("Xqzv").contains("Did you mean"));
        for text in ["", " ", "/", "..", "Factory", "../../etc/passwd", "Europe/"] {
            assert!(error(text).contains("is no time zone"), "{text}");
        }
    }

    #[test]
    fn every_place_names_zones_that_exist_in_folded_spelling() {
        for (place, zones) in PLACES {
            assert_eq!(fold(place), *place);
            for zone in *zones {
                assert_eq!(name(zone), *zone, "{place}");
            }
        }
    }

    #[test]
    fn every_name_of_the_database_is_accepted() {
        for tzid in tz::db().available() {
            let text = tzid.as_str();
            if !NO_ZONES.contains(&text) {
                assert!(
                    same_clocks(&name(text), text),
                    "{text} became {}",
                    name(text)
                );
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn no_text_panics(text in "\\PC{0,24}") {
            if let Err(error) = parse_zone("timezone", &text) {
                prop_assert!(error.to_string().starts_with("timezone: "));
            }
        }
    }
}
