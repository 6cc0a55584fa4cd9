//! Times, dates and moments as people and models write them, and the clock of a day.

use alfred_core::user::DayPreferences;
use jiff::civil::{Date, DateTime, Weekday, date};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;

use super::{SATURDAY, check, clock, time};
use crate::{ClockTime, DayClock, Habits, InputError, Moment, Span, dst, parse_date, parse_moment};

fn shown(read: Result<impl ToString, InputError>) -> String {
    read.map_or_else(|error| error.to_string(), |value| value.to_string())
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn texts_are_read_or_refused_with_their_field() {
    check("a time is read or refused with its field", |[text]| {
        shown(ClockTime::parse("startTime", text).map(ClockTime::minutes))
    });
    check("a date is read or refused with its field", |[text]| {
        shown(parse_date("dueDate", text, SATURDAY))
    });
    check("a moment is read or its wrong part is named", |[text]| {
        let moment = parse_moment("time", text, SATURDAY);
        shown(moment.map(|moment| format!("{moment:?}")))
    });
    check("both ends are read and compared", |[start, end]| {
        shown(Span::parse(("start", start), ("end", end)))
    });
}

#[test]
fn the_end_of_the_day_is_the_next_midnight() {
    let end = ClockTime::END_OF_DAY;
    assert_eq!(end.on(SATURDAY), date(2026, 11, 22).at(0, 0, 0, 0));
    assert_eq!(end.on(Date::MAX), DateTime::MAX);
}

#[test]
fn the_time_that_was_taken_is_named() {
    check("the time that was taken is named", |[at]| {
        let zone = TimeZone::get("America/New_York").unwrap();
        let (found, how) = dst::resolve(at.parse().unwrap(), &zone).unwrap();
        let how = how.map(|how| format!(" {:?}: {}", how.kind, how.explanation));
        format!("{found}{}", how.unwrap_or_default())
    });
}

#[test]
fn a_preference_that_cannot_be_used_is_named() {
    let usual = serde_json::to_value(DayPreferences::default()).unwrap();
    check("unusable preferences are named", |[field, value]| {
        let mut day = usual.clone();
        day[field] = serde_json::from_str(value).unwrap();
        let habits = Habits::read(&serde_json::from_value(day).unwrap());
        shown(habits.map(|_| ""))
    });
}

#[test]
fn minutes_between_two_times_are_those_that_pass() {
    check("minutes that pass", |[zone, day, start, end]| {
        let clock = clock(zone, day.parse().unwrap());
        clock.between(time(start), time(end)).to_string()
    });
}

#[test]
fn a_skipped_time_is_refused_with_its_bounds() {
    check("skipped times are refused", |[zone, day, text]| {
        let clock = match DayClock::new(day.parse().unwrap(), &TimeZone::get(zone).unwrap()) {
            Ok(clock) => clock,
            Err(error) => return error.to_string(),
        };
        let start = clock.check_start("start", time(text)).err();
        let end = clock.check_end("end", time(text)).err();
        let problems = start.iter().chain(&end).map(ToString::to_string);
        problems.collect::<Vec<_>>().join(" ")
    });
}

#[test]
fn moments_are_shown_on_the_clock_of_the_zone() {
    check("moments in a zone", |[zone, day, start, end]| {
        let span = clock(zone, day.parse().unwrap()).project(at(start), at(end));
        span.map(|span| span.to_string()).unwrap_or_default()
    });
}

#[test]
fn now_is_rounded_up_to_a_minute_that_exists() {
    check("now is rounded up to a minute that exists", |[now]| {
        let time = clock("Europe/Berlin", date(2026, 11, 21)).at_or_after(at(now));
        time.map(|time| time.to_string()).unwrap_or_default()
    });
}

#[test]
fn times_agree_with_the_zone_on_days_of_clock_changes() {
    // With changes of an hour, of half an hour, at midnight, by a day, and none.
    let zones = "Europe/Berlin America/New_York America/Santiago America/Nuuk Africa/Cairo \
        Australia/Lord_Howe Africa/Casablanca Asia/Kathmandu Pacific/Apia UTC";
    for name in zones.split(' ') {
        let zone = TimeZone::get(name).unwrap();
        for change in zone.following(at("2024-01-01T00:00:00Z")).take(6) {
            let day = zone.to_datetime(change.timestamp()).date();
            for date in [day.yesterday().unwrap(), day] {
                let begins = date.to_zoned(zone.clone()).unwrap().timestamp();
                let clock = clock(name, date);
                for time in (0..1_440).filter_map(ClockTime::from_minutes) {
                    let shown = time.on(date);
                    let offset = zone.to_ambiguous_timestamp(shown).offset();
                    let is_skipped = matches!(offset, AmbiguousOffset::Gap { .. });
                    assert_eq!(clock.exists(time), !is_skipped);
                    let moment = zone.to_timestamp(shown).unwrap();
                    let passed = moment.duration_since(begins).as_mins();
                    assert!(is_skipped || i64::from(clock.elapsed(time)) == passed);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_projection_covers_what_happens(from in 0_i64..2_880, length in 1_i64..600) {
        let clock = clock("Europe/Berlin", date(2026, 10, 25));
        let start = at("2026-10-24T22:00:00Z") + SignedDuration::from_mins(from - 600);
        let end = start + SignedDuration::from_mins(length);
        let covered = clock.project(start, end).map_or(0, |span| clock.minutes(span));
        let first = (from - 600).clamp(0, 1_500);
        let last = (from - 600 + length).clamp(0, 1_500);
        prop_assert!(i64::from(covered) >= last - first);
    }

    #[test]
    fn every_time_survives_text_and_json(m in 0_u16..=1_440) {
        let time = ClockTime::from_minutes(m).unwrap();
        prop_assert_eq!(ClockTime::parse_end("t", &format!(" {time} ")).unwrap(), time);
        let json = serde_json::to_string(&time).unwrap();
        prop_assert_eq!(serde_json::from_str::<ClockTime>(&json).unwrap(), time);
    }

    #[test]
    fn twelve_hours_and_twenty_four_agree(h in 0_u16..24, m in 0_u16..60) {
        let half = if h < 12 { "am" } else { "pm" };
        let shown = if h % 12 == 0 { 12 } else { h % 12 };
        let time = ClockTime::parse("t", &format!("{shown}:{m:02} {half}")).unwrap();
        prop_assert_eq!(time.minutes(), h * 60 + m);
    }

    #[test]
    fn a_written_date_is_the_date(y in 1900_i16..=2199, m in 1_i8..=12, d in 1_i8..=31) {
        let text = format!(" {y:04}-{m:02}-{d:02} ");
        prop_assert_eq!(parse_date("d", &text, SATURDAY).ok(), Date::new(y, m, d).ok());
    }

    #[test]
    fn a_weekday_is_within_the_next_week(offset in 0_i32..4_000, days in 0_i64..7) {
        let weekday = Weekday::Monday.wrapping_add(days);
        let today = SATURDAY + offset.days();
        let read = |text: &str| parse_date("date", text, today).unwrap();
        let found = read(&format!("{weekday:?}"));
        prop_assert!((0..7).contains(&(found - today).get_days()));
        prop_assert_eq!(found.weekday(), weekday);
        let next = read(&format!("next {weekday:?}"));
        prop_assert!((1..=7).contains(&(next - today).get_days()));
    }

    #[test]
    fn iso_is_read_as_written(y in 1900_i16..=2199, day in 1_i16..=365, m in 0_u16..1_440) {
        let date = Date::new(y, 1, 1).unwrap() + (day - 1).days();
        let at = ClockTime::from_minutes(m).unwrap().on(date);
        let text = at.strftime("%Y-%m-%dT%H:%M").to_string();
        prop_assert_eq!(parse_moment("t", &text, SATURDAY).unwrap(), Moment::Local(at));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,30}", digits in "[0-9T: -]{0,24}") {
        let _ = parse_moment("t", &text, SATURDAY);
        let _ = parse_moment("t", &digits, SATURDAY);
    }
}
