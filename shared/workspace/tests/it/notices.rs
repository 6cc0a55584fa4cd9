//! Notices about events by way of SMTP: what others read, and what is known of a change that was refused,
//! in doubt, or interrupted.

use crate::support;

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, Attendance, Calendar, Notice, Response, Span};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_workspace::Workspace;
use insta::assert_snapshot;
use mail_parser::MessageParser;
use support::{Folder, ana, meeting, span, through};

/// Tom's weekly meeting, to which Ana is invited, with notes and an alarm of her own. And a meeting of hers.
const EVENTS: &str = "BEGIN:VEVENT\r\nUID:sync\r\nSEQUENCE:4\r\nSUMMARY:Sync\r\nDESCRIPTION:Mine\r\nDTSTART;TZID=Europe/Berlin:20261102T090000\r\nDTEND;TZID=Europe/Berlin:20261102T100000\r\nRRULE:FREQ=WEEKLY\r\nORGANIZER;CN=\"Tom: L\":mailto:tom@nordwood.example\r\nATTENDEE;CN=\"Ana; M\";PARTSTAT=NEEDS-ACTION;RSVP=TRUE:MAILTO:Ana@Example.com\r\nATTENDEE;PARTSTAT=ACCEPTED:mailto:ben@example.com\r\nATTENDEE;CUTYPE=ROOM:ldap://dir.example/cn=Room,ou=Berlin\r\nBEGIN:VALARM\r\nDESCRIPTION:Mine\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:own\r\nSEQUENCE:0\r\nSUMMARY:Tables\r\nDTSTART:20261110T090000Z\r\nDTEND:20261110T100000Z\r\nORGANIZER:mailto:ana@example.com\r\nATTENDEE:mailto:ben@example.com\r\nEND:VEVENT\r\n";
const FILE: &str = "calendar.ics";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    Create,
    Move,
    Cancel,
    Answer,
}

/// An effect on one of the events.
struct Desk {
    effect: Effect,
    folder: Folder,
    server: Server,
    workspace: Workspace,
    id: EventId,
}

impl Desk {
    async fn new(effect: Effect) -> Self {
        let (folder, server) = (Folder::new(), Server::start());
        folder.put(FILE, calendar(EVENTS));
        let november = span("2026-11-08T00:00:00Z", "2026-11-14T00:00:00Z");
        let mut events = folder.events(november).await.events.into_iter();
        let title = match effect {
            Effect::Answer => "Sync",
            Effect::Create | Effect::Move | Effect::Cancel => "Tables",
        };
        let event = events.find(|event| event.title == title).unwrap();
        Self {
            effect,
            workspace: through(&folder, &server),
            folder,
            server,
            id: event.id,
        }
    }

    async fn act(&self, key: &str) -> Result<(), AccountError> {
        let (calendar, ana, id) = (&self.workspace, ana(), &self.id);
        match self.effect {
            Effect::Create => calendar.create(&ana, &meeting(), key).await.map(drop),
            Effect::Move => {
                let why = Notice {
                    note: "The train is late; größer, \"later\"\nATTENDEE:mailto:eve@evil.example"
                        .into(),
                };
                let moved = calendar.reschedule(&ana, id, later(), Some(&why), key);
                moved.await.map(drop)
            }
            Effect::Cancel => calendar.cancel(&ana, id, true, key).await.map(drop),
            Effect::Answer => {
                let no = Response {
                    attendance: Attendance::Declined,
                    note: "On a train;\r\nEND:VEVENT".into(),
                };
                calendar.respond(&ana, id, &no, key).await.map(drop)
            }
        }
    }

    /// Whether it was done.
    async fn look(&self, key: &str) -> Result<bool, AccountError> {
        let (calendar, ana, id) = (&self.workspace, ana(), &self.id);
        let found = match self.effect {
            Effect::Create => calendar.find_created(&ana, key).await,
            Effect::Move => calendar.find_moved(&ana, id, later(), key).await,
            Effect::Cancel => calendar.find_cancelled(&ana, id, key).await,
            Effect::Answer => {
                let declined = Attendance::Declined;
                calendar.find_responded(&ana, id, declined, key).await
            }
        };
        found.map(|event| event.is_some())
    }

    /// What the last notice says, and its iCalendar lines, unfolded.
    fn notice(&self) -> (String, String) {
        let taken = self.server.taken().pop().unwrap();
        let mail = MessageParser::default().parse(&taken.bytes).unwrap();
        let [text, calendar] = [1, 2].map(|part| {
            let part = mail.part(part).unwrap().text_contents().unwrap();
            part.replace("\r\n ", "").replace("\r\n", "\n")
        });
        (text, calendar)
    }
}

fn calendar(events: &str) -> String {
    format!("BEGIN:VCALENDAR\r\n{events}END:VCALENDAR\r\n")
}

fn later() -> Span {
    span("2026-11-27T13:00:00Z", "2026-11-27T14:00:00Z")
}

fn is_unknown<T>(result: &Result<T, AccountError>) -> bool {
    matches!(result, Err(AccountError::Unknown { .. }))
}

#[tokio::test]
async fn others_are_notified_once_before_a_change_is_written() {
    for effect in [Effect::Create, Effect::Move, Effect::Cancel, Effect::Answer] {
        let desk = Desk::new(effect).await;
        let before = desk.folder.text(FILE);
        let recipient = match effect {
            Effect::Answer => "tom@nordwood.example",
            Effect::Create | Effect::Move | Effect::Cancel => "ben@example.com",
        };
        desk.server.refuse(recipient, "550 5.1.1 nobody here");
        match desk.act("a").await {
            Err(AccountError::Refused { reason }) => assert!(reason.contains(recipient)),
            other => panic!("{effect:?}: {other:?}"),
        }
        assert!(!desk.look("a").await.unwrap(), "{effect:?}");
        desk.server.refuse("nobody", "");
        desk.server.fail(Point::Content, Act::Drop);
        assert!(is_unknown(&desk.act("a").await), "{effect:?}");
        let first = desk.notice();
        assert!(is_unknown(&desk.look("a").await), "{effect:?}");
        // Nobody was notified under another key.
        assert!(!desk.look("b").await.unwrap(), "{effect:?}");
        assert_eq!(desk.folder.text(FILE), before, "{effect:?}");
        // Whatever another program makes of the event.
        desk.folder.put(FILE, calendar(""));
        assert!(is_unknown(&desk.look("a").await), "{effect:?}");
        desk.folder.put(FILE, &before);
        desk.act("a").await.unwrap();
        assert!(desk.look("a").await.unwrap(), "{effect:?}");
        // As after a crash between the notice and the change.
        let edited = before.replace("SEQUENCE:", "SEQUENCE:7");
        desk.folder.put(FILE, edited);
        assert!(!desk.look("a").await.unwrap(), "{effect:?}");
        desk.act("a").await.unwrap();
        assert!(desk.look("a").await.unwrap(), "{effect:?}");
        let taken = desk.server.taken();
        assert_eq!(taken.len(), 2, "{effect:?}");
        assert!(taken.iter().all(|mail| mail.to == [recipient]));
        // The same `UID`, or a guest's calendar would show two events.
        assert_eq!(desk.notice(), first, "{effect:?}");
        assert!(!desk.folder.text(FILE).contains("train"), "{effect:?}");
    }
}

#[tokio::test]
async fn an_organiser_reads_the_answer_and_nothing_of_ones_own() {
    let desk = Desk::new(Effect::Answer).await;
    desk.act("a").await.unwrap();
    let text = desk.folder.text(FILE);
    let series = EVENTS.split_inclusive("END:VEVENT\r\n").next().unwrap();
    assert!(text.contains(series), "{text}");
    assert!(text.contains("ATTENDEE;CN=\"Ana; M\";PARTSTAT=DECLINED:MAILTO:Ana@Example.com"));
    // In the series and in the answered occurrence. Calendar libraries escape the comma.
    let room = "\r\nATTENDEE;CUTYPE=ROOM:ldap://dir.example/cn=Room,ou=Berlin\r\n";
    assert_eq!(text.matches(room).count(), 2, "{text}");
    let (text, calendar) = desk.notice();
    assert_snapshot!(text.trim_end(), @"
Ana Marques declines the invitation to “Sync”:

Monday 9 November 2026, 08:00–09:00 (Europe/Lisbon)

On a train;
END:VEVENT
");
    let lines = calendar
        .lines()
        .filter(|line| !line.starts_with("DTSTAMP:"));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
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
async fn attendees_read_why_a_meeting_moves() {
    let desk = Desk::new(Effect::Move).await;
    desk.act("a").await.unwrap();
    let (text, lines) = desk.notice();
    assert!(text.contains("The train is late; größer"), "{text}");
    for line in [
        "METHOD:REQUEST",
        "SEQUENCE:1",
        "COMMENT:The train is late\\; größer\\, \"later\"\\nATTENDEE:mailto:eve@evil.example",
    ] {
        assert!(lines.lines().any(|have| have == line), "{line}\n{lines}");
    }
    assert_eq!(lines.matches("\nATTENDEE").count(), 1, "{lines}");
    // Without a notice nobody is notified.
    let other = span("2026-11-27T15:00:00Z", "2026-11-27T16:00:00Z");
    let (calendar, ana) = (&desk.workspace, ana());
    let moved = calendar.reschedule(&ana, &desk.id, other, None, "n");
    moved.await.unwrap();
    assert_eq!(desk.server.taken().len(), 1);
}
