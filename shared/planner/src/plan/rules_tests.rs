use crate::plan::{Habits, check_wishes};
use crate::wish::parse_feedback;
use alfred_core::user::DayPreferences;
use jiff::tz::TimeZone;

fn fits(words: &str, date: &str, zone: &str) -> bool {
    let habits = Habits::read(&DayPreferences::default()).unwrap();
    let zone = TimeZone::get(zone).unwrap();
    let wishes = parse_feedback(words).wishes;
    assert!(!wishes.is_empty(), "{words}");
    check_wishes(&habits, &wishes, date.parse().unwrap(), &zone).is_ok()
}

#[test]
fn wishes_fit_a_day_one_by_one_and_together() {
    let fits = |words| fits(words, "2026-11-23", "Europe/Berlin");
    for words in [
        "lunch at one",
        "start at 4 pm",
        "end at 3 pm",
        "breaks of 60 minutes",
    ] {
        assert!(fits(words), "{words}");
    }
    for words in [
        "two hour breaks",
        "focus blocks of 10 hours",
        "start at 6 pm",
        "start at 4 pm; end at 3 pm",
    ] {
        assert!(!fits(words), "{words}");
    }
}

#[test]
fn a_time_that_a_day_leaves_out_fits_the_days_around_it() {
    let fits = |date| fits("no focus work before 2:30 am", date, "Europe/Berlin");
    assert!(fits("2026-03-28") && !fits("2026-03-29") && fits("2026-03-30"));
}
