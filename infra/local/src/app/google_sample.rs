//! What the accounts of the local Google begin with: the mail and the events that the sample has for the same person.

use alfred_core::ports::{Account, Attendance, Calendar, Event, EventTime, Mailbox, Span};
use alfred_google_local as google;
use alfred_mime::Raw;
use alfred_workspace::Sample;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::path::Path;

/// How far around today events are taken over.
const DAYS: i64 = 45;

/// Fills a new account. What can't be read is left out, and said in the log.
pub async fn fill(
    account: &mut google::Account,
    workspace: &Path,
    (calendar, owner): (&dyn Calendar, &Account),
    now: Timestamp,
) {
    let handle = Sample::PEOPLE
        .iter()
        .find(|(_, email)| *email == account.email);
    if let Some((handle, _)) = handle {
        let mail = workspace.join(handle).join("mail");
        deliver(account, &mail.join("inbox"), &["INBOX", "UNREAD"], now);
        deliver(account, &mail.join("sent"), &["SENT"], now);
    }
    let days = SignedDuration::from_hours(24 * DAYS);
    let span = Span {
        start: now.saturating_sub(days).unwrap_or(now),
        end: now.saturating_add(days).unwrap_or(now),
    };
    let events = match calendar.events(owner, span).await {
        Ok(page) => page.events,
        Err(error) => {
            tracing::debug!(%error, "an account of the local Google begins without events");
            return;
        }
    };
    for (at, event) in events.iter().enumerate() {
        if let Err(error) = account.calendar.put(as_google(at, event, &account.email)) {
            tracing::warn!(%error, "an event of the sample isn't taken over");
        }
    }
}

fn deliver(account: &mut google::Account, folder: &Path, labels: &[&str], now: Timestamp) {
    let Ok(files) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        match std::fs::read(&path) {
            Ok(raw) => {
                let mail = Raw {
                    bytes: &raw,
                    whole: true,
                    size: raw.len() as u64,
                    modified: now,
                };
                let at = mail.summary().map_or(now, |mail| mail.received_at);
                account.mailbox.deliver(&raw, labels, at);
            }
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a mail of the sample isn't taken over");
            }
        }
    }
}

/// As the API would give it.
fn as_google(at: usize, event: &Event, email: &str) -> Value {
    let (start, end) = match &event.time {
        EventTime::Timed { start, end } => (json!({"dateTime": start}), json!({"dateTime": end})),
        EventTime::AllDay { first, last } => {
            let behind = last.tomorrow().unwrap_or(*last);
            (json!({"date": first}), json!({"date": behind}))
        }
    };
    let attendee = |mailbox: &Mailbox, attendance: Attendance| json!({"email": mailbox.address, "displayName": mailbox.name, "responseStatus": said(attendance)});
    let attendees: Vec<Value> = event
        .attendees
        .iter()
        .map(|one| attendee(&one.mailbox, one.attendance))
        .collect();
    let organizer = event.organizer.as_ref();
    json!({
        "id": format!("sample{at:04}"),
        "status": "confirmed",
        "summary": event.title,
        "description": event.description,
        "location": event.location,
        "start": start,
        "end": end,
        "attendees": attendees,
        "organizer": {"email": organizer.map_or(email, |one| one.address.as_str())},
        "transparency": if event.busy { "opaque" } else { "transparent" },
    })
}

fn said(attendance: Attendance) -> &'static str {
    match attendance {
        Attendance::Unanswered => "needsAction",
        Attendance::Accepted => "accepted",
        Attendance::Tentative => "tentative",
        Attendance::Declined => "declined",
    }
}
