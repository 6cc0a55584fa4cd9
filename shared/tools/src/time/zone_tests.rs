use super::super::offset::zone_name;
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
        ("Washington DC", "America/New_York"),
        ("Washington, D.C.", "America/New_York"),
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
    assert_eq!(
        error("Portland"),
        "timezone: \"Portland\" could be the one in Oregon (America/Los_Angeles) or the one in Maine (America/New_York). Add where it lies, such as \"Portland, Oregon\"."
    );
    for text in [
        "San José",
        "Birmingham",
        "springfield",
        "Hamilton",
        "Portland, USA",
    ] {
        assert!(error(text).contains("Add where it lies"), "{text}");
    }
    assert!(error("IST").contains("Asia/Kolkata or Asia/Jerusalem or Europe/Dublin"));
}

#[test]
fn a_region_tells_namesakes_apart() {
    for (text, expected) in [
        ("Portland, Maine", "America/New_York"),
        ("Portland, OR", "America/Los_Angeles"),
        ("portland oregon", "America/Los_Angeles"),
        ("Birmingham, Alabama, USA", "America/Chicago"),
        ("Birmingham, UK", "Europe/London"),
        ("San Jose, Costa Rica", "America/Costa_Rica"),
        ("Paris", "Europe/Paris"),
        ("Paris, Texas", "America/Chicago"),
        ("London, Ontario", "America/Toronto"),
        ("Perth, Australia", "Australia/Perth"),
        ("San Francisco, CA", "America/Los_Angeles"),
        // No Lima in Ohio is known, but the state has only one zone.
        ("Lima, Ohio", "America/New_York"),
        ("Tokyo, Japan", "Asia/Tokyo"),
        ("Kathmandu, Shangri-La", "Asia/Kathmandu"),
    ] {
        assert_eq!(name(text), expected, "{text}");
    }
    assert!(error("Houstonia, Texas").contains("America/Chicago or America/Denver"));
    assert!(error("Nowhere, Shangri-La").contains("is no time zone"));
}

#[test]
fn offsets_are_read_with_their_sign() {
    let shown = |text: &str| zone_name(&parse_zone("timezone", text).unwrap());
    assert_eq!(shown("GMT+5"), "UTC+05:00");
    assert_eq!(shown("UTC-3:30"), "UTC-03:30");
    assert_eq!(shown("Etc/GMT+5"), "UTC-05:00");
    assert_eq!(shown("Europe/Rome"), "Europe/Rome");
}

#[test]
fn unknown_names_suggest_near_ones() {
    assert!(
        error("Tokio").contains("Did you mean Asia/Tokyo"),
        "{}",
        error("Tokio")
    );
    assert!(error("Europe/Munchen").starts_with("timezone: \"Europe/Munchen\" is no time zone"));
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
    assert!(PLACES.len() > 90);
    for (place, zones) in PLACES.iter() {
        assert_eq!(fold(place), *place);
        for zone in zones {
            assert_eq!(name(zone), *zone, "{place}");
        }
    }
}

#[test]
fn every_name_of_the_database_is_accepted() {
    assert!(tz::db().available().count() > 400);
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
