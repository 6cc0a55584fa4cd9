//! Answers to invitations and cancellations by way of SMTP: what others are told, and what is known behind a crash.

use crate::support;

use alfred_core::ports::{AccountError, Attendance, Calendar, Event, Response};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_workspace::{Smtp, Workspace};
use insta::assert_snapshot;
use mail_parser::MessageParser;
use support::{Folder, ana, meeting, span};

/// Tom's weekly meeting, to which Ana is invited; with notes and an alarm of her own.
const SYNC: &str = "BEGIN:VEVENT\r\nUID:sync\r\nSEQUENCE:4\r\nSUMMARY:Sync\r\nDESCRIPTION:Mine\r\nDTSTART;TZID=Europe/Berlin:20261102T090000\r\nDTEND;TZID=Europe/Berlin:20261102T100000\r\nRRULE:FREQ=WEEKLY\r\nORGANIZER;CN=\"Tom: L\":mailto:tom@nordwood.example\r\nATTENDEE;CN=\"Ana; M\";PARTSTAT=NEEDS-ACTION;RSVP=TRUE:MAILTO:Ana@Example.com\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:ben@example.com\r\nBEGIN:VALARM\r\nDESCRIPTION:Mine\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\n";
const FILE: &str = "calendar/work.ics";

fn through(folder: &Folder, server: &Server) -> Workspace {
    let smtp = Smtp::read(&server.url(), None).unwrap();
    folder.workspace.clone().with_smtp(smtp)
}

/// The second date of it.
async fn invited(folder: &Folder) -> Event {
    folder.put(FILE, format!("BEGIN:VCALENDAR\r\n{SYNC}END:VCALENDAR\r\n"));
    let november = span("2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z");
    folder.events(november).await.events.remove(1)
}

fn no() -> Response {
    Response {
        attendance: Attendance::Declined,
        note: "On a train;\r\nEND:VEVENT".into(),
    }
}

fn is_unknown<T: std::fmt::Debug>(result: Result<T, AccountError>) {
    assert!(
        matches!(result, Err(AccountError::Unknown { .. })),
        "{result:?}"
    );
}

#[tokio::test]
async fn an_organiser_is_told_the_answer_and_nothing_of_ones_own() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let second = invited(&folder).await;
    let answered = workspace.respond(&ana(), &second.id, &no(), "a").await;
    assert_eq!(answered.unwrap().attendance, Attendance::Declined);
    let text = folder.text(FILE);
    assert!(
        text.starts_with(&format!("BEGIN:VCALENDAR\r\n{SYNC}")),
        "{text}"
    );
    assert!(text.contains("ATTENDEE;CN=\"Ana; M\";PARTSTAT=DECLINED:MAILTO:Ana@Example.com"));
    let taken = server.taken().remove(0);
    let mail = MessageParser::default().parse(&taken.bytes).unwrap();
    assert_eq!(taken.to, ["tom@nordwood.example"]);
    let part = |n: u32| {
        let part = mail.part(n).unwrap().text_contents().unwrap();
        let lines = part.lines().filter(|line| !line.starts_with("DTSTAMP:"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(part(1), @"
Ana Marques declines the invitation to “Sync”:

Monday 9 November 2026, 08:00–09:00 (Europe/Lisbon)

On a train;
END:VEVENT
");
    assert_snapshot!(part(2), @r#"
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Alfred//Alfred//EN
METHOD:REPLY
BEGIN:VEVENT
UID:sync
SEQUENCE:4
SUMMARY:Sync
ORGANIZER;CN="Tom: L":mailto:tom@nordwood.example
RECURRENCE-ID;TZID=Europe/Berlin:20261109T090000
DTSTART;TZID=Europe/Berlin:20261109T090000
DTEND;TZID=Europe/Berlin:20261109T100000
ATTENDEE;CN="Ana; M";PARTSTAT=DECLINED:MAILTO:Ana@Example.com
COMMENT:On a train\;\nEND:VEVENT
END:VEVENT
END:VCALENDAR
"#);
}

#[tokio::test]
async fn an_answer_that_nobody_heard_of_is_unknown_and_told_once_behind_a_crash() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let (ana, id) = (ana(), invited(&folder).await.id);
    let look = |key| workspace.find_responded(&ana, &id, Attendance::Declined, key);
    server.fail(Point::Content, Act::Drop);
    is_unknown(workspace.respond(&ana, &id, &no(), "a").await);
    is_unknown(look("a").await);
    assert_eq!(
        look("b").await.unwrap(),
        None,
        "by another answer nobody was told"
    );
    let before = folder.text(FILE);
    workspace.respond(&ana, &id, &no(), "b").await.unwrap();
    assert!(look("b").await.unwrap().is_some());
    // As after a crash between telling and writing.
    let told = server.taken().len();
    folder.put(FILE, &before);
    assert_eq!(look("b").await.unwrap(), None);
    workspace.respond(&ana, &id, &no(), "b").await.unwrap();
    assert_eq!(server.taken().len(), told);
}

#[tokio::test]
async fn a_cancellation_that_nobody_heard_of_is_unknown_and_told_once_behind_a_crash() {
    let (folder, server) = (Folder::new(), Server::start());
    let workspace = through(&folder, &server);
    let ana = ana();
    let id = workspace.create(&ana, &meeting(), "k").await.unwrap().id;
    let look = |key| workspace.find_cancelled(&ana, &id, key);
    server.fail(Point::Content, Act::Drop);
    is_unknown(workspace.cancel(&ana, &id, true, "a").await);
    is_unknown(look("a").await);
    let before = folder.text("calendar.ics");
    assert!(workspace.cancel(&ana, &id, true, "b").await.unwrap());
    assert!(look("b").await.unwrap().is_some());
    let told = server.taken().len();
    folder.put("calendar.ics", &before);
    assert_eq!(look("b").await.unwrap(), None);
    assert!(workspace.cancel(&ana, &id, true, "b").await.unwrap());
    assert_eq!(server.taken().len(), told);
}
