//! Calendars as programs write them.

#![allow(clippy::unwrap_used, reason = "a test stops at the first failure")]

mod support;

use alfred_core::ports::{
    AccountError, Attendance, Availability, Calendar, EventPage, EventTime, Mailbox, NewEvent,
    Notice, Span,
};
use std::fs;
use support::{Folder, ana, span};

fn ics(events: &str) -> String {
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}\r\nEND:VCALENDAR\r\n").replace("\r\n", "\n")
}

fn event(lines: &str) -> String {
    format!("BEGIN:VEVENT\nUID:u\nSUMMARY:s\n{lines}\nEND:VEVENT")
}

async fn read(events: &str, span: Span) -> EventPage {
    let folder = Folder::new();
    folder.put("calendar.ics", ics(events));
    folder.events(span).await
}

fn starts(page: &EventPage) -> Vec<String> {
    let start = |time: &EventTime| match time {
        EventTime::Timed { start, .. } => start.to_string(),
        EventTime::AllDay { first, last } => format!("{first}/{last}"),
    };
    page.events.iter().map(|event| start(&event.time)).collect()
}

fn november() -> Span {
    span("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z")
}

#[tokio::test]
async fn rules_are_unrolled() {
    let cases: [(&str, &[&str]); 11] = [
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=WEEKLY;COUNT=2",
            &["2026-11-02T09:00:00Z", "2026-11-09T09:00:00Z"],
        ),
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=WEEKLY;UNTIL=20261109T090000Z",
            &["2026-11-02T09:00:00Z", "2026-11-09T09:00:00Z"],
        ),
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=WEEKLY;UNTIL=20261109",
            &["2026-11-02T09:00:00Z", "2026-11-09T09:00:00Z"],
        ),
        (
            "DTSTART:20260101T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=-1FR",
            &["2026-11-27T09:00:00Z"],
        ),
        (
            "DTSTART:20200101T090000Z\nRRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=5,6",
            &["2026-11-05T09:00:00Z", "2026-11-06T09:00:00Z"],
        ),
        (
            "DTSTART:20260130T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            &["2026-11-30T09:00:00Z"],
        ),
        (
            "DTSTART:20261102T090000Z\nRDATE:20261104T090000Z,20261105T100000Z",
            &[
                "2026-11-02T09:00:00Z",
                "2026-11-04T09:00:00Z",
                "2026-11-05T10:00:00Z",
            ],
        ),
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE:20261103T090000Z\nEXDATE;VALUE=DATE:20261104",
            &["2026-11-02T09:00:00Z", "2026-11-05T09:00:00Z"],
        ),
        (
            "DTSTART;VALUE=DATE:20261102\nDTEND;VALUE=DATE:20261104\nRRULE:FREQ=WEEKLY;COUNT=2",
            &["2026-11-02/2026-11-03", "2026-11-09/2026-11-10"],
        ),
        (
            "DTSTART;VALUE=DATE:20261102\nDTEND;VALUE=DATE:20261102",
            &["2026-11-02/2026-11-02"],
        ),
        (
            "DTSTART:20261031T230000\nDURATION:PT3H",
            &["2026-10-31T23:00:00Z"],
        ),
    ];
    for (lines, expected) in cases {
        let page = read(&event(lines), november()).await;
        assert_eq!(starts(&page), expected, "{lines}");
        assert_eq!(page.unreadable, [], "{lines}");
    }
}

#[tokio::test]
async fn summer_time_moves_the_instant_and_not_the_clock() {
    let weekly = "RRULE:FREQ=WEEKLY;COUNT=3";
    let cases: [(&str, &[&str]); 5] = [
        (
            "DTSTART;TZID=Europe/Berlin:20261018T090000",
            &[
                "2026-10-18T07:00:00Z",
                "2026-10-25T08:00:00Z",
                "2026-11-01T08:00:00Z",
            ],
        ),
        (
            "DTSTART;TZID=W. Europe Standard Time:20261018T090000",
            &[
                "2026-10-18T07:00:00Z",
                "2026-10-25T08:00:00Z",
                "2026-11-01T08:00:00Z",
            ],
        ),
        // Twice that night: the first one.
        (
            "DTSTART;TZID=Europe/Berlin:20261018T023000",
            &[
                "2026-10-18T00:30:00Z",
                "2026-10-25T00:30:00Z",
                "2026-11-01T01:30:00Z",
            ],
        ),
        // Skipped that night: as late behind the hour before.
        (
            "DTSTART;TZID=Europe/Berlin:20260322T023000",
            &[
                "2026-03-22T01:30:00Z",
                "2026-03-29T01:30:00Z",
                "2026-04-05T00:30:00Z",
            ],
        ),
        // Without a zone it is the owner's.
        (
            "DTSTART:20261018T090000",
            &[
                "2026-10-18T08:00:00Z",
                "2026-10-25T09:00:00Z",
                "2026-11-01T09:00:00Z",
            ],
        ),
    ];
    let year = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    for (start, expected) in cases {
        let page = read(&event(&format!("{start}\n{weekly}")), year).await;
        assert_eq!(starts(&page), expected, "{start}");
    }
    // A night of nine hours by the clock is ten long; so long is each of its kind by rule.
    let night =
        "DTSTART;TZID=Europe/Berlin:20261024T220000\nDTEND;TZID=Europe/Berlin:20261025T070000";
    let EventTime::Timed { start, end } = read(&event(night), year).await.events[0].time else {
        panic!("it is timed")
    };
    assert_eq!(end.duration_since(start).as_hours(), 10);
}

#[tokio::test]
async fn one_of_a_series_may_be_elsewhere_or_off() {
    let series = event(
        "DTSTART;TZID=Europe/Berlin:20261102T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4",
    );
    let moved = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20261103T090000\nDTSTART:20261120T090000Z\nDURATION:PT1H",
    );
    let off = event("RECURRENCE-ID:20261104T080000Z\nDTSTART:20261104T080000Z\nSTATUS:CANCELLED");
    let page = read(&format!("{moved}\n{series}\n{off}"), november()).await;
    let expected = [
        "2026-11-02T08:00:00Z",
        "2026-11-05T08:00:00Z",
        "2026-11-20T09:00:00Z",
    ];
    assert_eq!(starts(&page), expected);
    assert!(page.events.iter().all(|event| event.recurring));
    let later =
        event("RECURRENCE-ID;RANGE=THISANDFUTURE:20261104T080000Z\nDTSTART:20261104T100000Z");
    let page = read(&format!("{series}\n{later}"), november()).await;
    assert_eq!((page.events.len(), page.unreadable.len()), (4, 1));
}

#[tokio::test]
async fn what_is_broken_is_named_and_the_rest_goes_on() {
    let good = "BEGIN:VEVENT\nUID:good\nSUMMARY:good\nDTSTART:20261110T090000Z\nEND:VEVENT";
    let cases = [
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=SOMETIMES",
            "RRULE",
            true,
        ),
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;BYHOUR=300",
            "RRULE",
            true,
        ),
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;COUNT=x",
            "RRULE",
            true,
        ),
        (
            "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;UNTIL=soon",
            "RRULE",
            true,
        ),
        ("DTSTART:20261102T090000Z\nRRULE:", "RRULE", true),
        ("DTSTART:20261399T090000Z", "DTSTART", false),
        ("DTSTART:tomorrow", "DTSTART", false),
        ("DESCRIPTION:none", "DTSTART", false),
        (
            "DTSTART;TZID=Mars/Olympus:20261102T090000",
            "Mars/Olympus",
            false,
        ),
        (
            "DTSTART:20261102T090000Z\nDTEND:20261101T090000Z",
            "DTEND",
            false,
        ),
        (
            "DTSTART:20261102T090000Z\nDURATION:-PT1H",
            "DURATION",
            false,
        ),
        ("DTSTART:20261102T090000Z\nEXDATE:never", "EXDATE", false),
    ];
    for (lines, field, shown) in cases {
        let page = read(&format!("{}\n{good}", event(lines)), november()).await;
        let [broken] = page.unreadable.as_slice() else {
            panic!("{lines}: {:?}", page.unreadable)
        };
        assert!(broken.reason.contains(field), "{lines}: {broken:?}");
        assert!(broken.name.starts_with("calendar.ics: "), "{broken:?}");
        assert_eq!(page.events.len(), 1 + usize::from(shown), "{lines}");
    }
    for (text, events) in [
        ("no calendar", 0),
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261102", 0),
    ] {
        let folder = Folder::new();
        folder.put("calendar.ics", text);
        let page = folder.events(november()).await;
        assert_eq!(
            (page.events.len(), page.unreadable.len()),
            (events, 1),
            "{text}"
        );
    }
}

#[tokio::test]
async fn endless_rules_end_with_the_span() {
    for rule in [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY;INTERVAL=1",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2,4",
        "FREQ=DAILY;COUNT=4000000000",
        "FREQ=YEARLY;INTERVAL=60000",
        "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
    ] {
        let began = std::time::Instant::now();
        let page = read(
            &event(&format!("DTSTART:20000101T000000Z\nRRULE:{rule}")),
            november(),
        )
        .await;
        assert!(page.events.len() <= 200_000, "{rule}");
        assert!(
            began.elapsed().as_secs() < 60,
            "{rule} took {:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn who_organises_it_decides_whose_it_is() {
    let own = event(
        "DTSTART:20261102T090000Z\nORGANIZER:MAILTO:ANA@example.com\nATTENDEE;PARTSTAT=TENTATIVE:mailto:ana@example.com",
    );
    let page = read(&own, november()).await;
    assert!(page.events[0].own);
    assert_eq!(page.events[0].attendance, Attendance::Tentative);
    let theirs = event(
        "DTSTART:20261102T090000Z\nORGANIZER;CN=\"Ben, O\":mailto:ben@example.com\nATTENDEE:mailto:ana@example.com",
    );
    let page = read(&theirs, november()).await;
    let event = &page.events[0];
    assert!(!event.own && event.busy);
    assert_eq!(
        event.organizer,
        Some(Mailbox::new("Ben, O", "ben@example.com"))
    );
    assert_eq!(event.attendance, Attendance::Unanswered);
}

fn meeting() -> NewEvent {
    NewEvent {
        title: "Tables; and chairs, \\ all".into(),
        span: span("2026-10-26T09:00:00Z", "2026-10-26T10:00:00Z"),
        time_zone: "Europe/Berlin".into(),
        description: "One\nTwo".into(),
        attendees: vec![Mailbox::new("Ben \"B\"; Okafor", "ben@example.com")],
    }
}

#[tokio::test]
async fn what_is_made_is_written_in_its_zone_and_told() {
    let folder = Folder::new();
    let made = folder
        .workspace
        .create(&ana(), &meeting(), "k")
        .await
        .unwrap();
    assert_eq!(made.title, "Tables; and chairs, \\ all");
    assert_eq!(made.attendees[0].mailbox.name, "Ben 'B'; Okafor");
    let text = folder.text("calendar.ics");
    assert!(
        text.contains("DTSTART;TZID=Europe/Berlin:20261026T100000"),
        "{text}"
    );
    assert_eq!(text.matches("BEGIN:VTIMEZONE").count(), 1);
    folder
        .workspace
        .create(&ana(), &meeting(), "other")
        .await
        .unwrap();
    assert_eq!(
        folder
            .text("calendar.ics")
            .matches("BEGIN:VTIMEZONE")
            .count(),
        1
    );
    let to = span("2026-10-27T09:00:00Z", "2026-10-27T10:00:00Z");
    folder
        .workspace
        .reschedule(&ana(), &made.id, to, None, "m1")
        .await
        .unwrap();
    let later = span("2026-10-28T09:00:00Z", "2026-10-28T10:00:00Z");
    folder
        .workspace
        .reschedule(&ana(), &made.id, later, Some(&Notice::default()), "m2")
        .await
        .unwrap();
    assert!(
        folder
            .workspace
            .cancel(&ana(), &made.id, true)
            .await
            .unwrap()
    );
    assert!(folder.text("calendar.ics").contains("SEQUENCE:3"));
    let mut methods = Vec::new();
    for file in fs::read_dir(folder.path("mail/sent")).unwrap() {
        let mail = fs::read_to_string(file.unwrap().path()).unwrap();
        let method = mail.split("method=").nth(1).unwrap();
        methods.push(
            method
                .trim_start_matches('"')
                .chars()
                .take_while(|c| c.is_alphabetic())
                .collect::<String>(),
        );
        assert!(mail.contains("multipart/alternative") && mail.contains("ben@example.com"));
    }
    methods.sort();
    assert_eq!(methods, ["CANCEL", "REQUEST", "REQUEST", "REQUEST"]);
}

#[tokio::test]
async fn a_change_leaves_the_rest_of_the_file_as_it_is() {
    let folder = Folder::new();
    let series = "BEGIN:VEVENT\r\nUID:team\r\nX-ODD;P=\"a:b\":1\r\nSUMMARY:Te\r\n am\r\nDTSTART;TZID=Europe/Berlin:20261102T090000\r\nDTEND;TZID=Europe/Berlin:20261102T100000\r\nRRULE:FREQ=WEEKLY\r\nBEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\n";
    let other = "BEGIN:VTODO\r\nUID:todo\r\nEND:VTODO\r\nBEGIN:VEVENT\r\nUID:x\r\nDTSTART:broken\r\nEND:VEVENT\r\n";
    let whole = format!("BEGIN:VCALENDAR\r\nX-A:b\r\n{series}{other}END:VCALENDAR\r\n");
    folder.put("calendar/work.ics", &whole);
    let second = folder.events(november()).await.events.remove(1);
    let to = span("2026-11-10T13:00:00Z", "2026-11-10T14:00:00Z");
    folder
        .workspace
        .reschedule(&ana(), &second.id, to, Some(&Notice::default()), "m")
        .await
        .unwrap();
    let text = folder.text("calendar/work.ics");
    assert!(
        text.starts_with(&format!("BEGIN:VCALENDAR\r\nX-A:b\r\n{series}")),
        "{text}"
    );
    assert!(
        text.ends_with(&format!("{other}END:VCALENDAR\r\n")),
        "{text}"
    );
    assert!(
        text.contains("RECURRENCE-ID;TZID=Europe/Berlin:20261109T090000\r\n"),
        "{text}"
    );
    assert!(
        text.contains("DTSTART;TZID=Europe/Berlin:20261110T140000\r\n"),
        "{text}"
    );
    let third = folder.events(november()).await.events.remove(2);
    assert!(
        folder
            .workspace
            .cancel(&ana(), &third.id, false)
            .await
            .unwrap()
    );
    let text = folder.text("calendar/work.ics");
    assert!(
        text.contains("EXDATE;TZID=Europe/Berlin:20261116T090000\r\n"),
        "{text}"
    );
    assert!(!folder.path("calendar.ics").exists());
}

#[tokio::test]
async fn a_damaged_calendar_isnt_written_to() {
    for damaged in [
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\n".as_bytes(),
        b"no calendar",
        b"BEGIN:VCALENDAR\n\xFF\nEND:VCALENDAR\n",
    ] {
        let folder = Folder::new();
        folder.put("calendar.ics", damaged);
        let made = folder.workspace.create(&ana(), &meeting(), "k").await;
        assert!(
            matches!(made, Err(AccountError::Refused { .. })),
            "{made:?}"
        );
        assert_eq!(fs::read(folder.path("calendar.ics")).unwrap(), damaged);
        assert!(!folder.path("mail/sent").exists());
    }
}

#[tokio::test]
async fn what_other_programs_write_meanwhile_stays() {
    let folder = Folder::new();
    folder
        .workspace
        .create(&ana(), &meeting(), "one")
        .await
        .unwrap();
    let by_hand = "BEGIN:VEVENT\nUID:hand\nDTSTART:20261103T090000Z\nEND:VEVENT\nEND:VCALENDAR";
    let text = folder
        .text("calendar.ics")
        .replace("END:VCALENDAR", by_hand);
    folder.put("calendar.ics", text);
    folder
        .workspace
        .create(&ana(), &meeting(), "two")
        .await
        .unwrap();
    let year = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    assert_eq!(folder.events(year).await.events.len(), 3);
}

#[tokio::test]
async fn an_address_is_never_a_path() {
    let folder = Folder::new();
    folder.put(
        "calendar.ics",
        ics(&event("DTSTART:20261102T090000Z\nDURATION:PT1H")),
    );
    folder.put(
        "people/ben@example.com.ics",
        ics(&event("DTSTART:20261102T090000Z\nDURATION:PT1H")),
    );
    let asked = [
        "../calendar",
        "people/ben@example.com",
        "BEN@example.com",
        "",
    ]
    .map(String::from);
    let seen = folder
        .workspace
        .availability(&ana(), &asked, november())
        .await
        .unwrap();
    let hidden: Vec<_> = seen.iter().map(|a| *a == Availability::Hidden).collect();
    assert_eq!(hidden, [true, true, false, true]);
}
