use super::super::clock::clock;
use super::super::length::length;
use super::super::lex::words;
use super::*;
use serde_json::{Map, Value};

fn now() -> Now {
    Now::read("You are Alfred.\nNow: 2026-11-21 Saturday 14:05, time zone Europe/Berlin\nBe kind.")
}

#[test]
fn the_line_about_now_is_read_in_any_order() {
    assert_eq!(now().date, Some(date(2026, 11, 21)));
    assert_eq!(now().zone.as_deref(), Some("Europe/Berlin"));
    let other = Now::read("  now: Saturday, 14:05 2026-11-21 (UTC)");
    assert_eq!(other.zone.as_deref(), Some("UTC"));
    assert_eq!(other.date, Some(date(2026, 11, 21)));
    assert_eq!(Now::read("nothing"), Now::default());
}

#[test]
fn clock_times() {
    let read = |text: &str| clock(&words(text), 0, true).map(|(clock, len)| (clock.text(), len));
    for (text, expected, len) in [
        ("3pm", "15:00", 1),
        ("8:15 pm", "20:15", 2),
        ("12am", "00:00", 1),
        ("12:30 p.m.", "12:30", 2),
        ("4.30pm", "16:30", 1),
        ("noon", "12:00", 1),
        ("9", "09:00", 1),
        ("half past nine", "09:30", 3),
        ("quarter to five", "04:45", 3),
        ("6 in the evening", "18:00", 4),
        ("7 o'clock", "07:00", 2),
        ("23:59", "23:59", 1),
        ("24:00", "24:00", 1),
    ] {
        assert_eq!(read(text), Some((expected.into(), len)), "{text}");
    }
    for (text, problem) in [
        ("25:00", "\"25:00\" is no time: the day ends at 24:00."),
        ("24:30", "\"24:30\" is no time: the day ends at 24:00."),
        ("9:75", "\"09:75\" is no time: minutes run from 00 to 59."),
        (
            "13pm",
            "\"13pm\" is no time: with am and pm, hours run from 1 to 12.",
        ),
        (
            "13:30 pm",
            "\"13:30pm\" is no time: with am and pm, hours run from 1 to 12.",
        ),
    ] {
        let found = clock(&words(text), 0, false).unwrap().0.problem();
        assert_eq!(found.as_deref(), Some(problem), "{text}");
    }
    for text in ["abc", "4.5", "25", "9:7", "123:00"] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn lengths() {
    let read = |text: &str| {
        length(&words(text), 0).map(|(length, len)| {
            let mut arguments = Map::new();
            length.arguments(1, &mut arguments);
            (Value::Object(arguments).to_string(), len)
        })
    };
    for (text, expected, len) in [
        ("90 minutes", "{\"minutes\":90}", 2),
        ("an hour and a half", "{\"hours\":1,\"minutes\":30}", 5),
        ("two and a half hours", "{\"hours\":2,\"minutes\":30}", 5),
        ("1.5 days", "{\"days\":1,\"hours\":12}", 2),
        ("1h30", "{\"hours\":1,\"minutes\":30}", 1),
        (
            "2 years, 3 months and 1 day",
            "{\"days\":1,\"months\":3,\"years\":2}",
            7,
        ),
        ("half an hour", "{\"minutes\":30}", 3),
        ("a couple of weeks", "{\"weeks\":2}", 4),
    ] {
        assert_eq!(read(text), Some((expected.into(), len)), "{text}");
    }
    assert_eq!(read("5 apples"), None);
}

#[test]
fn days() {
    let read = |text: &str| day(&words(text), 0, &now());
    for (text, expected, len) in [
        ("tomorrow", "2026-11-22", 1),
        ("next Friday", "2026-11-27", 2),
        ("Saturday", "2026-11-28", 1),
        ("last Friday", "2026-11-20", 2),
        ("3rd of December", "2026-12-03", 3),
        ("Jan 5", "2027-01-05", 2),
        ("29 February 2028", "2028-02-29", 3),
        ("12/03/2026", "2026-12-03", 1),
        ("3.12.2026", "2026-12-03", 1),
        ("the 15th", "2026-12-15", 2),
        ("the day after tomorrow", "2026-11-23", 4),
        ("Christmas Eve", "2026-12-24", 2),
        ("new year's day", "2027-01-01", 3),
        ("Christmas", "2026-12-25", 1),
        // What doesn't exist goes to the tools as a date, which say so.
        ("2026-13-01", "2026-13-01", 1),
        ("2026-2-30", "2026-02-30", 1),
        ("31 February", "2027-02-31", 2),
        ("November 31st", "2026-11-31", 2),
        ("30.2.2027", "2027-02-30", 1),
        ("Feb 29", "2028-02-29", 2),
    ] {
        assert_eq!(read(text), Some((expected.into(), len)), "{text}");
    }
    for text in ["15 apples", "2026-1", "1.2", "christmas party", "12/2026"] {
        assert_eq!(read(text).filter(|found| found.1 > 1), None, "{text}");
    }
}

#[test]
fn without_a_date_the_words_stay() {
    let read = |text: &str| day(&words(text), 0, &Now::default()).map(|found| found.0);
    assert_eq!(read("tomorrow").as_deref(), Some("tomorrow"));
    assert_eq!(read("next Friday").as_deref(), Some("next friday"));
    assert_eq!(read("2026-12-03").as_deref(), Some("2026-12-03"));
}
