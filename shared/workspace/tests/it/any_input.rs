//! Whatever lies in the folder is read or named, and never ends the process: structured random mails,
//! mailboxes and calendars, and the sample's with bytes changed. Bounded by the number of cases
//! (`PROPTEST_CASES`); a failure prints the smallest input it finds and its seed.

use crate::support;

use alfred_core::ports::{Attendance, Calendar, EventTime, Mail, MailMessage, Notice, Response};
use alfred_testkit::conformance::calendar::times;
use alfred_testkit::temp_dir;
use alfred_workspace::Sample;
use bytes::Bytes;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::string::string_regex;
use std::fs;
use std::time::{Duration, Instant};
use support::{Folder, ana};
use walkdir::WalkDir;

/// In a build without optimisation on a busy machine: a rule by the second is unrolled several times.
const LONGEST: Duration = Duration::from_secs(60);

/// Runs a check of an input; it may not take too long.
fn check(future: impl Future<Output = Result<(), TestCaseError>>) -> Result<(), TestCaseError> {
    let began = Instant::now();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future)?;
    prop_assert!(began.elapsed() < LONGEST, "{:?}", began.elapsed());
    Ok(())
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

fn mail(bytes: &[u8]) -> Result<(), TestCaseError> {
    let folder = Folder::new();
    folder.put("mail/inbox/a.eml", bytes);
    check(async {
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
    })
}

/// Lists everything of a year, and reads, moves and cancels the first events.
fn calendar(text: &[u8]) -> Result<(), TestCaseError> {
    let folder = Folder::new();
    folder.put("calendar.ics", text);
    let year = times("01-01T00:00/2027-01-01T00:00");
    check(async {
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
            let to = times("06-01T09:00/10:00");
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
    })
}

/// An input of this kind. The text has a regular expression a line, of what its first word names; those with one name
/// are alternatives. In later ones `<name>` is one of them.
fn any_input(kind: &str) -> impl Strategy<Value = Bytes> {
    let mut kinds: Vec<(&str, String)> = Vec::new();
    for line in include_str!("any_input.txt").lines() {
        let (name, regex) = line.split_once(' ').unwrap();
        let insert = |regex: String, (known, its): &(&str, String)| {
            regex.replace(&format!("<{known}>"), &format!("({its})"))
        };
        let regex = kinds.iter().fold(regex.to_owned(), insert);
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, alternatives)) => *alternatives += &format!("|{regex}"),
            None => kinds.push((name, regex)),
        }
    }
    let (_, regex) = kinds.iter().find(|(name, _)| *name == kind).unwrap();
    string_regex(regex).unwrap().prop_map(Bytes::from)
}

/// The files of the sample with this ending.
fn samples(ending: &str) -> Vec<Vec<u8>> {
    let above = temp_dir();
    let folder = above.path().join("w");
    Sample::lay(&folder, "2026-11-21".parse().unwrap()).unwrap();
    let files = WalkDir::new(folder).sort_by_file_name().into_iter();
    let paths = files.map(|file| file.unwrap().into_path());
    let paths = paths.filter(|path| path.to_string_lossy().ends_with(ending));
    paths.map(|path| fs::read(path).unwrap()).collect()
}

/// Bytes replaced, inserted, cut out, doubled.
fn mutated(ending: &str) -> impl Strategy<Value = Bytes> {
    let index = any::<prop::sample::Index>;
    let changes = prop::collection::vec((index(), index(), any::<u8>(), 0..4_u8), 1..12);
    let input = (prop::sample::select(samples(ending)), changes);
    input.prop_map(|(mut bytes, changes)| {
        for (from, to, byte, kind) in changes {
            if bytes.is_empty() {
                break;
            }
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let start = from.min(to);
            let end = from.max(to).min(start + 400);
            let (range, new) = match kind {
                0 => (from..from + 1, vec![byte]),
                1 => (from..from, vec![byte]),
                2 => (start..end, Vec::new()),
                _ => (end..end, bytes[start..end].to_vec()),
            };
            bytes.splice(range, new);
        }
        Bytes::from(bytes)
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
    fn any_bytes_are_read_or_named(bytes in prop::collection::vec(any::<u8>(), 0..2_000).prop_map(Bytes::from)) {
        mail(&bytes)?;
        calendar(&bytes)?;
    }

    #[test]
    fn any_mail_is_read_or_named(bytes in any_input("mail")) {
        mail(&bytes)?;
    }

    #[test]
    fn a_changed_mail_is_read_or_named(bytes in mutated(".eml")) {
        mail(&bytes)?;
    }

    #[test]
    fn any_calendar_is_read_or_named(bytes in any_input("calendar")) {
        calendar(&bytes)?;
    }

    #[test]
    fn a_changed_calendar_is_read_or_named(bytes in mutated(".ics")) {
        calendar(&bytes)?;
    }
}
