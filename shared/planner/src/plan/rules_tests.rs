use crate::plan::{Habits, check_wishes};
use crate::wish::Changes;
use alfred_core::user::DayPreferences;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

fn fits(changes: &Value, date: &str, zone: &str) -> bool {
    let habits = Habits::read(&DayPreferences::default()).unwrap();
    let zone = TimeZone::get(zone).unwrap();
    let changes: Changes = serde_json::from_value(changes.clone()).unwrap();
    let wishes = changes.wishes().unwrap();
    check_wishes(&habits, &wishes, date.parse().unwrap(), &zone).is_ok()
}

#[test]
fn wishes_fit_a_day_one_by_one_and_together() {
    let fits = |changes: &Value| fits(changes, "2026-11-23", "Europe/Berlin");
    for changes in [
        json!({"lunchAt": "13:00"}),
        json!({"startAt": "16:00"}),
        json!({"endAt": "15:00"}),
        json!({"breakMinutes": 60}),
    ] {
        assert!(fits(&changes), "{changes}");
    }
    for changes in [
        json!({"breakMinutes": 120}),
        json!({"focusMinutes": 600}),
        json!({"startAt": "18:00"}),
        json!({"startAt": "16:00", "endAt": "15:00"}),
    ] {
        assert!(!fits(&changes), "{changes}");
    }
}

#[test]
fn a_time_that_a_day_leaves_out_fits_the_days_around_it() {
    let changes = json!({"noFocusBefore": "02:30"});
    let fits = |date| fits(&changes, date, "Europe/Berlin");
    assert!(fits("2026-03-28") && !fits("2026-03-29") && fits("2026-03-30"));
}
