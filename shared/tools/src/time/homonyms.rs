//! Tables of place names that the IANA database lacks or that several places share, with their regions.

use std::sync::LazyLock;

use crate::fold::fold;

/// A place that a name means.
#[derive(Clone, Copy)]
pub(super) struct Namesake {
    /// Country or state; empty if the name alone says which place.
    pub(super) region: &'static str,
    pub(super) zone: &'static str,
}

pub(super) struct Homonym {
    name: &'static str,
    /// Whether the name alone means the first place.
    pub(super) first_is_meant: bool,
    pub(super) places: Vec<Namesake>,
}

struct Region {
    name: &'static str,
    short: &'static str,
    zones: Vec<&'static str>,
}

static HOMONYMS: LazyLock<Vec<Homonym>> = LazyLock::new(|| {
    lines(include_str!("homonyms.txt"))
        .map(|(head, rest)| Homonym {
            name: head.trim_end_matches('!'),
            first_is_meant: head.ends_with('!'),
            places: rest
                .split(", ")
                .filter_map(|place| place.split_once(" = "))
                .map(|(region, zone)| Namesake { region, zone })
                .collect(),
        })
        .collect()
});

static REGIONS: LazyLock<Vec<Region>> = LazyLock::new(|| {
    lines(include_str!("regions.txt"))
        .filter_map(|(head, rest)| {
            let (name, short) = head.split_once(", ")?;
            let zones = rest.split(", ").collect();
            Some(Region { name, short, zones })
        })
        .collect()
});

/// Folded names of places, countries and zones, with their IANA zones.
pub(super) static PLACES: LazyLock<Vec<(&'static str, Vec<&'static str>)>> = LazyLock::new(|| {
    lines(include_str!("places.txt"))
        .map(|(name, zones)| (name, zones.split(", ").collect()))
        .collect()
});

fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(": "))
}

pub(super) fn homonym(wanted: &str) -> Option<&'static Homonym> {
    HOMONYMS.iter().find(|homonym| homonym.name == wanted)
}

/// Zones of a state or province, by folded name or abbreviation.
pub(super) fn region(wanted: &str) -> &'static [&'static str] {
    let found = REGIONS.iter().find(|region| region.is(wanted));
    found.map_or(&[], |region| &region.zones)
}

impl Homonym {
    pub(super) fn place_in(&self, wanted: &str) -> Option<&Namesake> {
        self.places.iter().find(|place| {
            let name = fold(place.region);
            let known = REGIONS.iter().find(|region| region.is(&name));
            name == wanted || known.is_some_and(|region| region.is(wanted))
        })
    }
}

impl Region {
    /// "D.C." is folded to "d c".
    fn is(&self, wanted: &str) -> bool {
        let letters = || wanted.chars().filter(|c| *c != ' ');
        self.name == wanted || letters().eq(self.short.chars())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    #[test]
    fn the_tables_hold_zones_that_exist_and_names_as_they_are_folded() {
        let exists = |zone: &str| TimeZone::get(zone).is_ok();
        assert!(HOMONYMS.len() > 50 && REGIONS.len() > 60);
        for homonym in HOMONYMS.iter() {
            assert_eq!(fold(homonym.name), homonym.name);
            assert!(homonym.places.len() > 1, "{}", homonym.name);
            let mut zones = homonym.places.iter().map(|place| place.zone);
            assert!(zones.all(exists), "{}", homonym.name);
        }
        for region in REGIONS.iter() {
            assert_eq!(fold(region.name), region.name);
            assert!(!region.zones.is_empty(), "{}", region.name);
            let mut zones = region.zones.iter();
            assert!(zones.all(|zone| exists(zone)), "{}", region.name);
        }
    }
}
