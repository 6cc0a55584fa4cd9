//! Whatever lies in the folder is read or named, and never ends the process: structured random mails,
//! mailboxes and calendars, and the sample's with bytes changed. Bounded by the number of cases
//! (`PROPTEST_CASES`); a failure prints the smallest input it finds and its seed.

use crate::support;

use alfred_core::ports::{Attendance, Calendar, EventTime, Mail, MailMessage, Notice, Response};
use alfred_testkit::temp_dir;
use alfred_workspace::Sample;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use std::fs;
use std::time::{Duration, Instant};
use support::{Folder, ana, span};
use walkdir::WalkDir;

/// In a build without optimisation on a busy machine: a rule by the second is unrolled several times.
const LONGEST: Duration = Duration::from_secs(60);

/// Bytes that a failure shows as text.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future)
}

fn shown(mail: &MailMessage) -> Result<(), TestCaseError> {
    let summary = &mail.summary;
    prop_assert!(summary.snippet.chars().count() <= 200);
    prop_assert!(mail.text.len() <= 200_000);
    let from = &summary.from;
    let lines = [&summary.subject, &from.name, &from.address];
    let names = mail.attachments.iter().map(|file| &file.name);
    for line in lines.into_iter().chain([&summary.snippet]).chain(names) {
        let steers = |c: char| c.is_control() || ('\u{202A}'..='\u{202E}').contains(&c);
        prop_assert!(!line.contains(steers), "{line:?}");
    }
    prop_assert!(mail.attachments.iter().all(|file| !file.name.contains('/')));
    Ok(())
}

/// Lists and reads it.
fn mail(bytes: &[u8]) -> Result<(), TestCaseError> {
    let began = Instant::now();
    let folder = Folder::new();
    folder.put("mail/inbox/a.eml", bytes);
    run(async {
        let page = folder.page().await;
        prop_assert!(page.total.number() + page.unreadable.len() >= 1);
        for summary in page.mails {
            let read = folder.workspace.read(&ana(), &summary.id).await.unwrap();
            if let Some(whole) = read {
                shown(&whole)?;
                prop_assert_eq!(whole.summary.received_at, summary.received_at);
            }
        }
        Ok(())
    })?;
    prop_assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    Ok(())
}

/// Lists everything of a year, and reads, moves and cancels the first events.
fn calendar(text: &[u8]) -> Result<(), TestCaseError> {
    let began = Instant::now();
    let folder = Folder::new();
    folder.put("calendar.ics", text);
    let year = span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z");
    run(async {
        let page = folder.events(year).await;
        for event in &page.events {
            if let EventTime::Timed { start, end } = event.time {
                prop_assert!(start <= end);
            }
            let begins = event.time.span(&TimeZone::UTC).start;
            prop_assert!(begins < year.end + jiff::SignedDuration::from_hours(48));
        }
        prop_assert!(page.unreadable.iter().all(|entry| !entry.reason.is_empty()));
        for event in page.events.iter().take(3) {
            let read = folder.workspace.event(&ana(), &event.id).await.unwrap();
            prop_assert_eq!(read.as_ref().map(|e| &e.id), Some(&event.id));
            let to = span("2026-06-01T09:00:00Z", "2026-06-01T10:00:00Z");
            // Refused where it isn't one's own or the file is damaged; then nothing has changed.
            let (notice, key) = (Notice::default(), event.id.as_str());
            let (ana, calendar) = (ana(), &folder.workspace);
            let moved = calendar.reschedule(&ana, &event.id, to, Some(&notice), key);
            if let Ok(moved) = moved.await {
                prop_assert_eq!(&moved.id, &event.id);
                let (start, end) = (to.start, to.end);
                prop_assert_eq!(moved.time, EventTime::Timed { start, end });
            }
            let no = Response {
                attendance: Attendance::Declined,
                ..Response::default()
            };
            let answered = calendar.respond(&ana, &event.id, &no, key).await;
            if let Ok(answered) = answered {
                prop_assert_eq!(
                    (answered.id, answered.attendance),
                    (event.id.clone(), no.attendance)
                );
            }
            let cancelled = calendar.cancel(&ana, &event.id, true, key).await;
            if cancelled.is_ok() {
                let gone = calendar.event(&ana, &event.id).await.unwrap();
                prop_assert_eq!(gone, None);
                let found = calendar.find_cancelled(&ana, &event.id, key).await.unwrap();
                prop_assert_eq!(found.map(|event| event.id), Some(event.id.clone()));
            }
        }
        Ok(())
    })?;
    prop_assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    Ok(())
}

/// One of these words, or none where two spaces stand.
fn one_of(words: &'static str) -> impl Strategy<Value = &'static str> {
    prop::sample::select(words.split(' ').collect::<Vec<_>>())
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,20}",
        ".{0,12}",
        prop::sample::select(include_str!("any_words.txt").lines().collect::<Vec<_>>())
            .prop_map(str::to_owned),
    ]
}

fn header() -> impl Strategy<Value = String> {
    let names = one_of(
        "From To Cc Subject Date Received Content-Type Content-Transfer-Encoding \
         Content-Disposition Message-ID References In-Reply-To List-Id Precedence  \
         Reply-To MIME-Version",
    );
    (names, prop::collection::vec(word(), 0..4), prop::bool::ANY).prop_map(
        |(name, words, folds)| {
            format!("{name}: {}\n", words.join(if folds { "\n " } else { ", " }))
        },
    )
}

fn part() -> impl Strategy<Value = String> {
    let body = prop_oneof![
        "[ -~\n]{0,200}",
        "[A-Za-z0-9+/=\n]{0,200}",
        Just("<div>".repeat(3_000)),
        Just("<table><tr><td>".repeat(100)),
        Just(">".repeat(2_000)),
        Just("\n--x--\n--x\n".to_owned()),
    ];
    (prop::collection::vec(header(), 0..5), body)
        .prop_map(|(headers, body)| format!("{}\n{body}", headers.concat()))
}

/// The first part has the headers of the mail.
fn structured_mail() -> impl Strategy<Value = Bytes> {
    let kind = prop_oneof![
        Just("Content-Type: multipart/mixed; boundary=x\n"),
        Just("")
    ];
    (kind, prop::collection::vec(part(), 1..6)).prop_map(|(kind, parts)| {
        format!("{kind}{}", parts.join("\n--x\n"))
            .into_bytes()
            .into()
    })
}

fn property() -> impl Strategy<Value = String> {
    let time = prop_oneof![
        "20260[1-9][0-3][0-9]T[0-2][0-9]0000Z?",
        "2026[01][0-9][0-3][0-9]",
        "[0-9TZ]{0,16}",
        Just("00010101T000000".to_owned()),
        Just("99991231T235959Z".to_owned()),
    ];
    let zones = "||;TZID=Europe/Berlin|;TZID=W. Europe Standard Time|;TZID=own|\
                 ;TZID=\"no:where\"|;VALUE=DATE|;VALUE=PERIOD";
    let zone = prop::sample::select(zones.split('|').collect::<Vec<_>>());
    let name = one_of("DTSTART DTSTART DTEND RDATE EXDATE RECURRENCE-ID DTSTAMP");
    let dated = (name, zone, time).prop_map(|(name, zone, time)| format!("{name}{zone}:{time}"));
    let freq = one_of("YEARLY MONTHLY WEEKLY DAILY HOURLY MINUTELY SECONDLY X ");
    let numbered = one_of(
        "BYMONTH BYMONTHDAY BYYEARDAY BYWEEKNO BYSETPOS BYHOUR BYMINUTE BYSECOND INTERVAL COUNT",
    );
    let by = prop_oneof![
        (numbered, any::<i16>()).prop_map(|(name, n)| format!(";{name}={n}")),
        "(;BYDAY=-?[0-9]{0,2}(MO|TU|SU)(,[1-5]?FR)?)",
        "(;UNTIL=20[0-9]{6}(T[0-2][0-9]0000Z?)?)",
        "(;WKST=(MO|SU|XX))",
    ];
    let rule = (freq, prop::collection::vec(by, 0..4))
        .prop_map(|(freq, by)| format!("RRULE:FREQ={freq}{}", by.concat()));
    prop_oneof![
        4 => dated,
        2 => rule,
        1 => "DURATION:-?P[0-9]{0,12}[WDT][0-9]{0,6}[HMS]?",
        1 => "(SUMMARY|DESCRIPTION|LOCATION|UID|SEQUENCE|STATUS|TRANSP)(;[A-Z]{1,4}=.{0,5})?:.{0,20}",
        1 => prop::sample::select(vec![
            "UID:u", "UID:u", "STATUS:CANCELLED", "ORGANIZER:mailto:ana@example.com", "ATTENDEE;CN=\"x\":mailto:ben@example.com",
            "BEGIN:VALARM", "END:VALARM", "BEGIN:VEVENT", "END:VEVENT", "END:VCALENDAR", " folded", "SEQUENCE:99999999999999999999",
        ]).prop_map(str::to_owned),
    ]
}

fn structured_calendar() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(prop::collection::vec(property(), 0..9), 0..4).prop_map(|events| {
        let event =
            |lines: Vec<String>| format!("BEGIN:VEVENT\n{}\nEND:VEVENT\n", lines.join("\n"));
        let events: String = events.into_iter().map(event).collect();
        format!("BEGIN:VCALENDAR\n{events}END:VCALENDAR\n")
            .into_bytes()
            .into()
    })
}

/// The files of the sample with this ending.
fn samples(ending: &str) -> Vec<Vec<u8>> {
    let above = temp_dir();
    let folder = above.path().join("w");
    Sample::lay(&folder, "2026-11-21".parse().unwrap()).unwrap();
    let files = WalkDir::new(folder).sort_by_file_name().into_iter();
    let paths = files.map(|file| file.unwrap().into_path());
    paths
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .map(|path| fs::read(path).unwrap())
        .collect()
}

/// Bytes replaced, cut out, doubled.
fn mutated(ending: &str) -> impl Strategy<Value = Bytes> {
    let change = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        any::<u8>(),
        0..4_u8,
    );
    (
        prop::sample::select(samples(ending)),
        prop::collection::vec(change, 1..12),
    )
        .prop_map(|(mut bytes, changes)| {
            for (from, to, byte, kind) in changes {
                if bytes.is_empty() {
                    break;
                }
                let (a, b) = (from.index(bytes.len()), to.index(bytes.len()));
                let range = a.min(b)..a.max(b).min(a.min(b) + 400);
                match kind {
                    0 => bytes[a] = byte,
                    1 => drop(bytes.drain(range)),
                    2 => {
                        let twice = bytes[range.clone()].to_vec();
                        bytes.splice(range.end..range.end, twice);
                    }
                    _ => bytes.insert(a, byte),
                }
            }
            Bytes(bytes)
        })
}

fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|cases| cases.parse().ok()).unwrap_or(usual),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn any_bytes_are_read_or_named(bytes in prop::collection::vec(any::<u8>(), 0..2_000).prop_map(Bytes)) {
        mail(&bytes.0)?;
        calendar(&bytes.0)?;
    }

    #[test]
    fn any_mail_is_read_or_named(bytes in structured_mail()) {
        mail(&bytes.0)?;
    }

    #[test]
    fn a_changed_mail_is_read_or_named(bytes in mutated(".eml")) {
        mail(&bytes.0)?;
    }

    #[test]
    fn any_calendar_is_read_or_named(bytes in structured_calendar()) {
        calendar(&bytes.0)?;
    }

    #[test]
    fn a_changed_calendar_is_read_or_named(bytes in mutated(".ics")) {
        calendar(&bytes.0)?;
    }
}
