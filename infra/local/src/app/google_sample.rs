//! Fills the accounts of the local Google with the sample's mail, events, documents and sheets.

use alfred_core::ports::{
    Account, AccountError, Accounts, Attendance, Cell, CellRange, Event, EventTime, Mailbox, Rows,
    Span, Tab,
};
use alfred_google_local as google;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::sheets::Entered;
use alfred_mime::Raw;
use alfred_workspace::Sample;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::path::Path;

const MOST: usize = 100;
/// Rows and columns of a new Google sheet.
const GRID: (u32, u32) = (1_000, 26);
/// Events are copied this many days before and after today.
const DAYS: i64 = 45;

/// Fills a new account. Unreadable items are logged and left out.
pub async fn fill(
    account: &mut google::Account,
    workspace: &Path,
    (before, owner): (&Accounts, &Account),
    now: Timestamp,
) {
    let mut people = Sample::PEOPLE.iter();
    if let Some((handle, _)) = people.find(|(_, email)| *email == account.email) {
        let mail = workspace.join(handle).join("mail");
        deliver(account, &mail.join("inbox"), &["INBOX", "UNREAD"], now);
        deliver(account, &mail.join("sent"), &["SENT"], now);
    }
    let days = SignedDuration::from_hours(24 * DAYS);
    let start = now.saturating_sub(days).unwrap_or(now);
    let end = now.saturating_add(days).unwrap_or(now);
    let span = Span { start, end };
    let page = before.calendar.events(owner, span).await;
    let events = or_nothing(page.map(|page| page.events));
    for (at, event) in events.iter().enumerate() {
        if let Err(error) = account.calendar.put(as_google(at, event, &account.email)) {
            tracing::warn!(%error, "an event of the sample isn't taken over");
        }
    }
    for (at, file) in files(before, owner).await.into_iter().enumerate() {
        account.drive.put(&format!("1sample{at:04}"), file);
    }
}

/// Logs an error and goes on without the item. A Word file, for example, is listed but can't be read.
fn or_nothing<T: Default>(read: Result<T, AccountError>) -> T {
    read.unwrap_or_else(|error| {
        tracing::debug!(%error, "an account of the local Google begins without an item");
        T::default()
    })
}

/// A person's documents and sheets, which weren't made with the app.
async fn files(before: &Accounts, owner: &Account) -> Vec<File> {
    let mut files = Vec::new();
    for found in or_nothing(before.documents.find(owner, &[], MOST).await) {
        if let Some(document) = or_nothing(before.documents.read(owner, &found.id).await) {
            let content = google::docs::Document::of_lines(document.text.trim_end());
            let content = Content::Document(content);
            files.push(File::new(&found.title, content, found.modified));
        }
    }
    for found in or_nothing(before.sheets.find(owner, &[], MOST).await) {
        let Some(sheet) = or_nothing(before.sheets.sheet(owner, &found.id).await) else {
            continue;
        };
        let mut tabs = Vec::new();
        for (id, tab) in (0..).zip(&sheet.tabs) {
            let range = CellRange {
                tab: tab.name.clone(),
                top: 1,
                left: 1,
                rows: tab.rows.max(1),
                columns: tab.columns.max(1),
            };
            let rows = or_nothing(before.sheets.read(owner, &found.id, &range).await);
            tabs.push(filled(id, tab, &rows.unwrap_or_default()));
        }
        let content = Content::Spreadsheet(google::sheets::Spreadsheet::of(tabs));
        files.push(File::new(&found.title, content, found.modified));
    }
    files.iter_mut().for_each(|file| file.by_app = false);
    files
}

fn filled(id: u32, tab: &Tab, rows: &Rows) -> google::sheets::Tab {
    let mut made = google::sheets::Tab::new(id, &tab.name, GRID);
    for (at, row) in (0..).zip(rows) {
        for (column, cell) in (0..).zip(row) {
            let entered = match cell {
                Cell::Empty => continue,
                Cell::Number(number) => Entered::NumberValue(*number),
                Cell::Bool(truth) => Entered::BoolValue(*truth),
                Cell::Text(text) => Entered::StringValue(text.clone()),
            };
            made.put(at, column, entered);
        }
    }
    made
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

fn as_google(at: usize, event: &Event, email: &str) -> Value {
    let (start, end) = match &event.time {
        EventTime::Timed { start, end } => (json!({"dateTime": start}), json!({"dateTime": end})),
        EventTime::AllDay { first, last } => {
            let behind = last.tomorrow().unwrap_or(*last);
            (json!({"date": first}), json!({"date": behind}))
        }
    };
    let attendee = |mailbox: &Mailbox, attendance: Attendance| json!({"email": mailbox.address, "displayName": mailbox.name, "responseStatus": said(attendance)});
    let attendees = event.attendees.iter();
    let attendees = attendees.map(|one| attendee(&one.mailbox, one.attendance));
    let organizer = event.organizer.as_ref();
    json!({
        "id": format!("sample{at:04}"),
        "status": "confirmed",
        "summary": event.title,
        "description": event.description,
        "location": event.location,
        "start": start,
        "end": end,
        "attendees": attendees.collect::<Vec<_>>(),
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
