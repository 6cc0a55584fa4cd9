use super::*;
use proptest::prelude::*;

fn name(text: &str) -> String {
    let zone = parse_zone("timezone", text).unwrap();
    zone.iana_name().unwrap().to_owned()
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
            let found = name(text);
            assert!(same_clocks(&found, text), "{text} became {found}");
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
