//! Calendars as programs write them.

use crate::support;

use alfred_core::ports::{
    AccountError, Attendance, Availability, Calendar, Event, EventPage, EventTime, Mailbox,
    NewEvent, Notice, Span,
};
use insta::assert_snapshot;
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

/// When the events of each of these are, a line a case.
async fn unrolled(cases: &[&str], span: Span) -> String {
    let mut lines = Vec::new();
    for case in cases {
        let page = read(&event(case), span).await;
        assert_eq!(page.unreadable, [], "{case}");
        lines.push(starts(&page).join(" "));
    }
    lines.join("\n")
}

#[tokio::test]
async fn rules_are_unrolled() {
    let cases = [
        "DTSTART:20261102T090000Z\nRRULE:FREQ=WEEKLY;COUNT=2",
        "DTSTART:20261102T090000Z\nRRULE:FREQ=WEEKLY;UNTIL=20261109T090000Z",
        "DTSTART:20261102T090000Z\nRRULE:FREQ=WEEKLY;UNTIL=20261109",
        "DTSTART:20260101T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=-1FR",
        "DTSTART:20200101T090000Z\nRRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=5,6",
        "DTSTART:20260130T090000Z\nRRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "DTSTART:20261102T090000Z\nRDATE:20261104T090000Z,20261105T100000Z",
        "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;COUNT=4\nEXDATE:20261103T090000Z\nEXDATE;VALUE=DATE:20261104",
        "DTSTART;VALUE=DATE:20261102\nDTEND;VALUE=DATE:20261104\nRRULE:FREQ=WEEKLY;COUNT=2",
        "DTSTART;VALUE=DATE:20261102\nDTEND;VALUE=DATE:20261102",
        "DTSTART:20261031T230000\nDURATION:PT3H",
    ];
    assert_snapshot!(unrolled(&cases, november()).await, @"
2026-11-02T09:00:00Z 2026-11-09T09:00:00Z
2026-11-02T09:00:00Z 2026-11-09T09:00:00Z
2026-11-02T09:00:00Z 2026-11-09T09:00:00Z
2026-11-27T09:00:00Z
2026-11-05T09:00:00Z 2026-11-06T09:00:00Z
2026-11-30T09:00:00Z
2026-11-02T09:00:00Z 2026-11-04T09:00:00Z 2026-11-05T10:00:00Z
2026-11-02T09:00:00Z 2026-11-05T09:00:00Z
2026-11-02/2026-11-03 2026-11-09/2026-11-10
2026-11-02/2026-11-02
2026-10-31T23:00:00Z
");
}

#[tokio::test]
async fn summer_time_moves_the_instant_and_not_the_clock() {
    let year = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    let cases = [
        "DTSTART;TZID=Europe/Berlin:20261018T090000",
        "DTSTART;TZID=W. Europe Standard Time:20261018T090000",
        // Twice that night: the first one.
        "DTSTART;TZID=Europe/Berlin:20261018T023000",
        // Skipped that night: as late behind the hour before.
        "DTSTART;TZID=Europe/Berlin:20260322T023000",
        // Without a zone it is the owner's.
        "DTSTART:20261018T090000",
    ]
    .map(|start| format!("{start}\nRRULE:FREQ=WEEKLY;COUNT=3"));
    let cases = cases.each_ref().map(String::as_str);
    assert_snapshot!(unrolled(&cases, year).await, @"
2026-10-18T07:00:00Z 2026-10-25T08:00:00Z 2026-11-01T08:00:00Z
2026-10-18T07:00:00Z 2026-10-25T08:00:00Z 2026-11-01T08:00:00Z
2026-10-18T00:30:00Z 2026-10-25T00:30:00Z 2026-11-01T01:30:00Z
2026-03-22T01:30:00Z 2026-03-29T01:30:00Z 2026-04-05T00:30:00Z
2026-10-18T08:00:00Z 2026-10-25T09:00:00Z 2026-11-01T09:00:00Z
");
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
    let expected = "2026-11-02T08:00:00Z 2026-11-05T08:00:00Z 2026-11-20T09:00:00Z";
    assert_eq!(starts(&page).join(" "), expected);
    assert!(page.events.iter().all(|event| event.series.is_some()));
    let later =
        event("RECURRENCE-ID;RANGE=THISANDFUTURE:20261104T080000Z\nDTSTART:20261104T100000Z");
    let page = read(&format!("{series}\n{later}"), november()).await;
    assert_eq!((page.events.len(), page.unreadable.len()), (4, 1));
}

#[tokio::test]
async fn what_is_broken_is_named_and_the_rest_goes_on() {
    let good = "BEGIN:VEVENT\nUID:good\nSUMMARY:good\nDTSTART:20261110T090000Z\nEND:VEVENT";
    let mut broken = Vec::new();
    for lines in [
        "DTSTART:20261102T090000Z\nRRULE:FREQ=SOMETIMES",
        "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;BYHOUR=300",
        "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;COUNT=x",
        "DTSTART:20261102T090000Z\nRRULE:FREQ=DAILY;UNTIL=soon",
        "DTSTART:20261102T090000Z\nRRULE:",
        "DTSTART:20261399T090000Z",
        "DTSTART:tomorrow",
        "DESCRIPTION:none",
        "DTSTART;TZID=Mars/Olympus:20261102T090000",
        "DTSTART:20261102T090000Z\nDTEND:20261101T090000Z",
        "DTSTART:20261102T090000Z\nDURATION:-PT1H",
        "DTSTART:20261102T090000Z\nEXDATE:never",
    ] {
        let page = read(&format!("{}\n{good}", event(lines)), november()).await;
        let [one] = page.unreadable.as_slice() else {
            panic!("{lines}: {:?}", page.unreadable)
        };
        let shown = page.events.len() - 1;
        broken.push(format!("{shown} shown, {}: {}", one.name, one.reason));
    }
    assert_snapshot!(broken.join("\n"), @"
1 shown, calendar.ics: s: `RRULE`: “FREQ=SOMETIMES” is no rule I can read, so only the first occurrence is shown.
1 shown, calendar.ics: s: `RRULE`: “FREQ=DAILY;BYHOUR=300” is no rule I can read, so only the first occurrence is shown.
1 shown, calendar.ics: s: `RRULE`: “FREQ=DAILY;COUNT=x” is no rule I can read, so only the first occurrence is shown.
1 shown, calendar.ics: s: `RRULE`: “FREQ=DAILY;UNTIL=soon” is no rule I can read, so only the first occurrence is shown.
1 shown, calendar.ics: s: `RRULE`: “” is no rule I can read, so only the first occurrence is shown.
0 shown, calendar.ics: u: `DTSTART` is missing or can't be read.
0 shown, calendar.ics: u: `DTSTART` is missing or can't be read.
0 shown, calendar.ics: u: `DTSTART` is missing or can't be read.
0 shown, calendar.ics: u: `DTSTART`: I don't know the time zone “Mars/Olympus”. Please choose a city's zone for it in your calendar program.
0 shown, calendar.ics: u: The event ends before it starts (`DTEND` or `DURATION`).
0 shown, calendar.ics: u: The event ends before it starts (`DTEND` or `DURATION`).
0 shown, calendar.ics: u: `EXDATE` is missing or can't be read.
");
    let cut = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261102";
    for text in ["no calendar", cut] {
        let folder = Folder::new();
        folder.put("calendar.ics", text);
        let page = folder.events(november()).await;
        assert!(page.events.is_empty(), "{text}");
        assert_eq!(page.unreadable.len(), 1, "{text}");
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
        let endless = event(&format!("DTSTART:20000101T000000Z\nRRULE:{rule}"));
        let page = read(&endless, november()).await;
        assert!(page.events.len() <= 200_000, "{rule}");
        let took = began.elapsed();
        assert!(took.as_secs() < 60, "{rule} took {took:?}");
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
    let ben = Mailbox::new("Ben, O", "ben@example.com");
    assert_eq!(event.organizer, Some(ben));
    assert_eq!(event.attendance, Attendance::Unanswered);
}

async fn made(folder: &Folder, key: &str) -> Event {
    let made = folder.workspace.create(&ana(), &meeting(), key).await;
    made.unwrap()
}

fn meeting() -> NewEvent {
    NewEvent {
        title: "Tables; and chairs, \\ all".into(),
        span: span("2026-10-26T09:00:00Z", "2026-10-26T10:00:00Z"),
        time_zone: "Europe/Berlin".into(),
        description: "One\nTwo".into(),
        attendees: vec![Mailbox::new("Ben \"B\"; Okafor", "ben@example.com")],
        repeat: None,
        video_call: false,
    }
}

#[tokio::test]
async fn what_is_made_is_written_in_its_zone_and_told() {
    let folder = Folder::new();
    let first = made(&folder, "k").await;
    assert_eq!(first.title, "Tables; and chairs, \\ all");
    assert_eq!(first.attendees[0].mailbox.name, "Ben 'B'; Okafor");
    let text = folder.text("calendar.ics");
    let start = "DTSTART;TZID=Europe/Berlin:20261026T100000";
    assert!(text.contains(start), "{text}");
    let zones = |text: &str| text.matches("BEGIN:VTIMEZONE").count();
    assert_eq!(zones(&text), 1);
    made(&folder, "other").await;
    assert_eq!(zones(&folder.text("calendar.ics")), 1);
    let to = span("2026-10-27T09:00:00Z", "2026-10-27T10:00:00Z");
    let (workspace, ana, notice) = (&folder.workspace, ana(), Notice::default());
    let moved = workspace.reschedule(&ana, &first.id, to, None, "m1");
    moved.await.unwrap();
    let later = span("2026-10-28T09:00:00Z", "2026-10-28T10:00:00Z");
    let moved = workspace.reschedule(&ana, &first.id, later, Some(&notice), "m2");
    moved.await.unwrap();
    let cancelled = workspace.cancel(&ana, &first.id, true, "c").await;
    assert!(cancelled.unwrap());
    assert!(folder.text("calendar.ics").contains("SEQUENCE:3"));
    let mut methods = Vec::new();
    for file in fs::read_dir(folder.path("mail/sent")).unwrap() {
        let mail = fs::read_to_string(file.unwrap().path()).unwrap();
        let method = mail.split("method=").nth(1).unwrap();
        let method = method.trim_start_matches('"').chars();
        methods.push(method.take_while(|c| c.is_alphabetic()).collect::<String>());
        assert!(mail.contains("multipart/alternative") && mail.contains("ben@example.com"));
    }
    methods.sort();
    assert_eq!(methods, ["CANCEL", "REQUEST", "REQUEST", "REQUEST"]);
}

#[tokio::test]
async fn a_change_leaves_the_rest_of_the_file_as_it_is() {
    let folder = Folder::new();
    let series = "BEGIN:VEVENT\r\nUID:team\r\nX-ODD;P=\"a:b\":1\r\nURL:https://meet.example/a,b;c\r\nSUMMARY:Te\r\n am\r\nDTSTART;TZID=Europe/Berlin:20261102T090000\r\nDTEND;TZID=Europe/Berlin:20261102T100000\r\nRRULE:FREQ=WEEKLY\r\nBEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\n";
    let other = "BEGIN:VTODO\r\nUID:todo\r\nEND:VTODO\r\nBEGIN:VEVENT\r\nUID:x\r\nDTSTART:broken\r\nEND:VEVENT\r\n";
    let whole = format!("BEGIN:VCALENDAR\r\nX-A:b\r\n{series}{other}END:VCALENDAR\r\n");
    folder.put("calendar/work.ics", &whole);
    let second = folder.events(november()).await.events.remove(1);
    let to = span("2026-11-10T13:00:00Z", "2026-11-10T14:00:00Z");
    let (workspace, ana, notice) = (&folder.workspace, ana(), Notice::default());
    let moved = workspace.reschedule(&ana, &second.id, to, Some(&notice), "m");
    moved.await.unwrap();
    let text = folder.text("calendar/work.ics");
    let before = format!("BEGIN:VCALENDAR\r\nX-A:b\r\n{series}");
    let added = text.strip_prefix(&before).unwrap();
    let added = added.strip_suffix(&format!("{other}END:VCALENDAR\r\n"));
    for line in [
        "RECURRENCE-ID;TZID=Europe/Berlin:20261109T090000\r\n",
        "DTSTART;TZID=Europe/Berlin:20261110T140000\r\n",
        // Calendar libraries escape the comma, which breaks the link.
        "URL:https://meet.example/a,b;c\r\n",
    ] {
        assert!(added.unwrap().contains(line), "{text}");
    }
    let third = folder.events(november()).await.events.remove(2);
    let cancelled = workspace.cancel(&ana, &third.id, false, "c").await;
    assert!(cancelled.unwrap());
    let text = folder.text("calendar/work.ics");
    let without = "EXDATE;TZID=Europe/Berlin:20261116T090000\r\n";
    assert!(text.contains(without), "{text}");
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
        let is_refused = matches!(made, Err(AccountError::Refused { .. }));
        assert!(is_refused, "{made:?}");
        assert_eq!(fs::read(folder.path("calendar.ics")).unwrap(), damaged);
        assert!(!folder.path("mail/sent").exists());
    }
}

#[tokio::test]
async fn an_event_without_a_uid_is_found_again_after_its_change() {
    for uid in ["", "UID:\n", "UID: \n"] {
        let folder = Folder::new();
        let event = "SUMMARY:Lunch\nDTSTART:20261103T090000Z\nDTEND:20261103T100000Z";
        let text = ics(&format!("BEGIN:VEVENT\n{uid}{event}\nEND:VEVENT"));
        folder.put("calendar.ics", text);
        let id = folder.events(november()).await.events[0].id.clone();
        let calendar = &folder.workspace;
        let to = span("2026-11-04T09:00:00Z", "2026-11-04T10:00:00Z");
        let moved = calendar.reschedule(&ana(), &id, to, None, "m").await;
        assert_eq!(moved.unwrap().id, id, "{uid:?}");
        assert!(calendar.cancel(&ana(), &id, false, "c").await.unwrap());
        let found = calendar.find_cancelled(&ana(), &id, "c").await.unwrap();
        assert_eq!(found.map(|event| event.id), Some(id), "{uid:?}");
    }
}

#[tokio::test]
async fn what_other_programs_write_meanwhile_stays() {
    let folder = Folder::new();
    made(&folder, "one").await;
    let by_hand = "BEGIN:VEVENT\nUID:hand\nDTSTART:20261103T090000Z\nEND:VEVENT\nEND:VCALENDAR";
    let text = folder.text("calendar.ics");
    let text = text.replace("END:VCALENDAR", by_hand);
    folder.put("calendar.ics", text);
    made(&folder, "two").await;
    let year = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    assert_eq!(folder.events(year).await.events.len(), 3);
}

/// A time in an unknown zone can't be computed, so nobody is free because of it.
#[tokio::test]
async fn others_with_an_unreadable_event_are_hidden() {
    let meeting = span("2026-11-02T08:00:00Z", "2026-11-02T09:00:00Z");
    let busy = Availability::Busy(vec![meeting]);
    for (summer, expected) in [("+0100", busy), ("+0200", Availability::Hidden)] {
        let text = format!(
            "BEGIN:VTIMEZONE\nTZID:Mine\nBEGIN:STANDARD\nTZOFFSETTO:+0100\nEND:STANDARD\nBEGIN:DAYLIGHT\nTZOFFSETTO:{summer}\nEND:DAYLIGHT\nEND:VTIMEZONE\nBEGIN:VEVENT\nDTSTART;TZID=Mine:20261102T090000\nDURATION:PT1H\nEND:VEVENT"
        );
        let folder = Folder::new();
        folder.put("people/ben@example.com.ics", ics(&text));
        let (ana, ben) = (ana(), ["ben@example.com".into()]);
        let seen = folder.workspace.availability(&ana, &ben, november()).await;
        assert_eq!(seen.unwrap(), [expected], "{summer}");
    }
}

#[tokio::test]
async fn an_address_is_never_a_path() {
    let folder = Folder::new();
    let hour = ics(&event("DTSTART:20261102T090000Z\nDURATION:PT1H"));
    folder.put("calendar.ics", &hour);
    folder.put("people/ben@example.com.ics", &hour);
    let asked = "../calendar,people/ben@example.com,BEN@example.com,".split(',');
    let asked: Vec<_> = asked.map(String::from).collect();
    let (workspace, ana) = (&folder.workspace, ana());
    let seen = workspace.availability(&ana, &asked, november()).await;
    let seen = seen.unwrap();
    let hidden: Vec<_> = seen.iter().map(|a| *a == Availability::Hidden).collect();
    assert_eq!(hidden, [true, true, false, true]);
}
