use super::super::clock::{clock, length};
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
    ] {
        assert_eq!(read(text), Some((expected.into(), len)), "{text}");
    }
    for text in ["25:00", "9:75", "13pm", "abc", "4.5"] {
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
    ] {
        assert_eq!(read(text), Some((expected.into(), len)), "{text}");
    }
    for text in ["2026-13-01", "31 February", "monday's", "15 apples"] {
        let found = read(text);
        assert!(found.is_none() || text == "monday's", "{text}: {found:?}");
    }
}

#[test]
fn without_a_date_the_words_stay() {
    let read = |text: &str| day(&words(text), 0, &Now::default()).map(|found| found.0);
    assert_eq!(read("tomorrow").as_deref(), Some("tomorrow"));
    assert_eq!(read("next Friday").as_deref(), Some("next friday"));
    assert_eq!(read("2026-12-03").as_deref(), Some("2026-12-03"));
}
