//! A calendar server that fails, refuses, or is changed by others.

use crate::support::{Folder, ana, meeting};

use alfred_core::ports::{AccountError, Calendar, Event, NewEvent};
use alfred_testkit::conformance::calendar::times;
use alfred_testkit::radicale::{PASSWORD, Radicale};
use alfred_testkit::stand_in::{Asked, Log, Reply, serve_logged};
use alfred_workspace::{CalDavServer, Workspace};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A calendar at an address such as `http://127.0.0.1:5232`.
fn calendar(server: &str, password: &str) -> Folder {
    drop(rustls::crypto::ring::default_provider().install_default());
    let url = format!("{}/ana/calendar/", server.replace("//", "//ana@"));
    let server = CalDavServer::read(&url, Some(password.into()));
    Folder::with(Some(server.unwrap()))
}

fn lunch() -> NewEvent {
    NewEvent {
        attendees: Vec::new(),
        ..meeting()
    }
}

async fn events(calendar: &Workspace) -> Result<Vec<Event>, AccountError> {
    let page = calendar.events(&ana(), meeting().span).await?;
    Ok(page.events)
}

/// What happens to the first request of a kind.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    LostBefore,
    LostBehind,
    Conflict,
}

/// A proxy before the server, with the requests that it saw.
struct Between {
    url: String,
    log: Log,
}

impl Between {
    fn start(server: &Radicale, kind: &'static str, fault: Fault) -> Self {
        let (port, mut hits) = (server.port(), 0);
        // Closes the connection without an answer.
        let lost = Reply::default();
        let (url, log) = serve_logged(move |asked| {
            hits += usize::from(asked.method == kind);
            let hit = hits == 1 && asked.method == kind;
            if hit && fault == Fault::Conflict {
                return Reply::new(409, "text/plain", "");
            }
            if hit && fault == Fault::LostBefore {
                return lost.clone();
            }
            let answer = forwarded(port, asked);
            if hit { lost.clone() } else { answer }
        });
        Self { url, log }
    }

    fn calendar(&self) -> Folder {
        calendar(&self.url, PASSWORD)
    }

    fn seen(&self, kind: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.iter().filter(|asked| asked.method == kind).count()
    }

    fn mentions(&self, text: &str) -> usize {
        let log = self.log.lock().unwrap();
        let texts = log.iter().map(|asked| {
            let body = String::from_utf8_lossy(&asked.body);
            asked.path.matches(text).count() + body.matches(text).count()
        });
        texts.sum()
    }
}

/// The server's answer. The server speaks HTTP/1.0, so each connection has one.
fn forwarded(port: u16, asked: &Asked) -> Reply {
    let headers = asked.headers.iter();
    let headers: String = headers
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let head = format!("{} {} HTTP/1.0\r\n{headers}\r\n", asked.method, asked.path);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream
        .write_all(&[head.as_bytes(), &asked.body].concat())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let (first, headers) = head.split_once("\r\n").unwrap();
    let status = first.split(' ').nth(1).unwrap().to_owned();
    let mut reply = Reply {
        status,
        body: body.into(),
        ..Reply::default()
    };
    for line in headers.lines() {
        let (name, value) = line.split_once(": ").unwrap();
        if !name.eq_ignore_ascii_case("content-length") {
            reply = reply.with(name, value);
        }
    }
    reply
}

fn radicale() -> Radicale {
    let server = Radicale::start(&["ana"]);
    let empty = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n";
    server.put("ana", "/ana/calendar/", empty);
    server
}

/// Lost before it came: nothing was made. Lost behind: nobody knows, and the look does. Either way once.
#[tokio::test]
async fn an_event_whose_answer_is_lost_is_made_once() {
    for fault in [Fault::LostBefore, Fault::LostBehind] {
        let before = fault == Fault::LostBefore;
        let server = radicale();
        let between = Between::start(&server, "PUT", fault);
        let folder = between.calendar();
        let calendar = &folder.workspace;
        let error = calendar.create(&ana(), &lunch(), "k").await.unwrap_err();
        assert!(matches!(error, AccountError::Unknown { .. }), "{error:?}");
        let found = calendar.find_created(&ana(), "k").await.unwrap();
        assert_eq!(found.is_some(), !before);
        let made = calendar.create(&ana(), &lunch(), "k").await.unwrap();
        assert_eq!(found.unwrap_or(made.clone()), made);
        assert_eq!(events(calendar).await.unwrap(), [made]);
        assert_eq!(between.seen("PUT"), if before { 2 } else { 1 });
    }
}

/// What is asked changes nothing, so it wasn't reached.
#[tokio::test]
async fn a_look_that_is_lost_is_not_reached() {
    let server = radicale();
    for kind in ["PROPFIND", "REPORT"] {
        let between = Between::start(&server, kind, Fault::LostBefore);
        let folder = between.calendar();
        let calendar = &folder.workspace;
        let error = events(calendar).await.unwrap_err();
        assert!(
            matches!(error, AccountError::NotReached { .. }),
            "{error:?}"
        );
        assert_eq!(events(calendar).await.unwrap(), []);
    }
}

/// RFC 4918: the calendar isn't there. It isn't another version, so it isn't tried again.
#[tokio::test]
async fn a_conflict_is_refused_at_once() {
    let server = radicale();
    let between = Between::start(&server, "PUT", Fault::Conflict);
    let folder = between.calendar();
    let calendar = &folder.workspace;
    let made = calendar.create(&ana(), &lunch(), "k").await;
    assert!(
        matches!(made, Err(AccountError::Refused { .. })),
        "{made:?}"
    );
    assert_eq!(between.seen("PUT"), 1);
}

/// Of a calendar of many years, a day, an event and a creation ask only for the events of then.
#[tokio::test]
async fn only_wanted_events_are_downloaded() {
    let server = Radicale::start(&["ana"]);
    let mut many = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n".to_owned();
    for number in 0..300 {
        let (month, day) = (number / 28 % 12 + 1, number % 28 + 1);
        many += &format!(
            "BEGIN:VEVENT\r\nUID:{number}@x\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:2024{month:02}{day:02}T090000Z\r\nDTEND:2024{month:02}{day:02}T100000Z\r\nSUMMARY:Old\r\nEND:VEVENT\r\n"
        );
    }
    server.put("ana", "/ana/calendar/", &(many + "END:VCALENDAR\r\n"));
    let between = Between::start(&server, "none", Fault::LostBefore);
    let ask = || between.calendar();
    let made = ask().workspace.create(&ana(), &lunch(), "k").await.unwrap();
    let page = events(&ask().workspace).await.unwrap();
    assert_eq!(page, std::slice::from_ref(&made));
    let found = ask().workspace.event(&ana(), &made.id).await.unwrap();
    assert_eq!(found, Some(made));
    let downloads = between.mentions(".ics");
    assert!(downloads < 10, "{downloads} events were asked for");
}

/// Another program's change is seen, and what it wrote stays.
#[tokio::test]
async fn what_another_program_changes_is_read_anew() {
    let server = radicale();
    let url = format!("http://127.0.0.1:{}", server.port());
    let folder = calendar(&url, PASSWORD);
    let calendar = &folder.workspace;
    let lay = |title: &str| {
        let event = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:a@x\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261127T090000Z\r\nDTEND:20261127T100000Z\r\nSUMMARY:{title}\r\nX-KEPT:yes\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        server.put("ana", "/ana/calendar/a.ics", &event);
    };
    lay("Dentist");
    let first = events(calendar).await.unwrap();
    assert_eq!(first[0].title, "Dentist");
    lay("Barber");
    let later = times("11-27T11:00/12:00");
    let ana = ana();
    let moved = calendar.reschedule(&ana, &first[0].id, later, None, "k");
    assert_eq!(moved.await.unwrap().title, "Barber");
    lay("Baker");
    assert_eq!(events(calendar).await.unwrap()[0].title, "Baker");
}

#[tokio::test]
async fn a_wrong_password_is_said_and_isnt_shown() {
    let server = radicale();
    let url = format!("http://127.0.0.1:{}", server.port());
    let folder = calendar(&url, "hush");
    let error = events(&folder.workspace).await.unwrap_err();
    let AccountError::Refused { reason } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(
        reason,
        "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it."
    );
}
