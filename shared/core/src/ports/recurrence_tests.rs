use super::*;

fn rule(text: &str) -> Recurrence {
    text.parse().unwrap()
}

#[test]
fn what_is_read_is_written_and_what_isnt_a_rule_is_named() {
    for text in [
        "FREQ=DAILY",
        "FREQ=DAILY;INTERVAL=99;COUNT=999",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;UNTIL=20261231",
        "FREQ=MONTHLY;COUNT=2",
    ] {
        assert_eq!(rule(text).to_string(), text);
    }
    let loose = rule(" rrule:freq=weekly;byday=we, mo,we;interval=1; ".trim_end_matches("; "));
    assert_eq!(loose.to_string(), "FREQ=WEEKLY;BYDAY=MO,WE");
    let bad = [
        "",
        "weekly",
        "FREQ=YEARLY",
        "FREQ=DAILY;COUNT=1",
        "FREQ=DAILY;COUNT=-2",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=MONTHLY;BYDAY=2TU",
        "FREQ=MONTHLY;BYDAY=TU",
        "FREQ=DAILY;UNTIL=20260231",
        "FREQ=DAILY;COUNT=2;UNTIL=20261231",
        "FREQ=DAILY\r\nATTENDEE:mailto:eve@evil.example",
    ];
    for text in bad {
        assert!(text.parse::<Recurrence>().is_err(), "{text}");
    }
    let read = "INTERVAL=2".parse::<Recurrence>();
    assert_eq!(read, Err(BadRule::NoFrequency));
}

#[test]
fn its_days() {
    let first = "2026-01-31".parse().unwrap();
    for (text, expected) in [
        ("FREQ=DAILY;INTERVAL=2;COUNT=3", "01-31 02-02 02-04"),
        ("FREQ=WEEKLY;COUNT=2", "01-31 02-07"),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SA",
            "01-31 02-09 02-14 02-23 02-28",
        ),
        ("FREQ=WEEKLY;UNTIL=20260207", "01-31 02-07"),
        ("FREQ=MONTHLY;COUNT=3", "01-31 03-31 05-31"),
    ] {
        let rule = rule(text);
        let days = rule.dates(first).take(5);
        let days: Vec<String> = days.map(|day| day.strftime("%m-%d").to_string()).collect();
        assert_eq!(days.join(" "), expected, "{text}");
    }
    assert!(!rule("FREQ=WEEKLY;BYDAY=MO").takes(first));
    assert!(!rule("FREQ=DAILY;UNTIL=20260130").takes(first));
}

#[test]
fn the_time_on_the_wall_stays_when_clocks_change() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let at = |text: &str| -> jiff::Timestamp { text.parse().unwrap() };
    let [start, end] = ["2026-03-28T01:30:00Z", "2026-03-28T02:00:00Z"].map(at);
    let first = Span { start, end };
    let rule = rule("FREQ=DAILY;UNTIL=20260330");
    let starts: Vec<String> = rule
        .spans(first, zone.clone())
        .map(|span| span.start.to_string())
        .collect();
    let expected = [
        "2026-03-28T01:30:00Z",
        // 02:30 doesn't exist that night.
        "2026-03-29T01:30:00Z",
        "2026-03-30T00:30:00Z",
    ];
    assert_eq!(starts, expected);
    assert_eq!(rule.rrule(&zone), "FREQ=DAILY;UNTIL=20260330T215959Z");
}
