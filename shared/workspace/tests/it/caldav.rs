//! A calendar server that fails, refuses, or is changed by others.

use crate::support;

use alfred_core::ports::{AccountError, Calendar, Event, Mailbox, NewEvent};
use alfred_testkit::radicale::{PASSWORD, Radicale};
use alfred_testkit::{ManualClock, temp_dir};
use alfred_workspace::{CalDavServer, Identity, Workspace};
use jiff::tz::TimeZone;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use support::{ana, meeting, span};
use tempfile::TempDir;

fn calendar(port: u16, password: &str) -> (Workspace, TempDir) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = temp_dir();
    let url = format!("http://ana@127.0.0.1:{port}/ana/calendar/");
    let ana = Identity {
        account: ana(),
        mailbox: Mailbox::new("Ana Marques", "ana@example.com"),
        zone: TimeZone::UTC,
        calendar: Some(CalDavServer::read(&url, Some(password.into())).unwrap()),
    };
    let people = [(ana, folder.path().to_owned())];
    let workspace = Workspace::new(people, Arc::new(ManualClock::default()));
    (workspace, folder)
}

/// A meeting of nobody else.
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
    port: u16,
    server: u16,
    kind: &'static str,
    fault: Fault,
    seen: Mutex<Vec<String>>,
}

impl Between {
    fn start(server: u16, kind: &'static str, fault: Fault) -> Arc<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let between = Arc::new(Self {
            port: listener.local_addr().unwrap().port(),
            server,
            kind,
            fault,
            seen: Mutex::default(),
        });
        let shared = between.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let shared = shared.clone();
                thread::spawn(move || shared.pass(stream.unwrap()));
            }
        });
        between
    }

    fn seen(&self, kind: &str) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|one| one.starts_with(kind)).count()
    }

    /// How often a text was in a request.
    fn mentions(&self, text: &str) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|one| one.matches(text).count()).sum()
    }

    /// Passes on one request. The server speaks HTTP/1.0, so each connection has one.
    fn pass(&self, mut from: TcpStream) {
        let Some(request) = whole(&mut from) else {
            return;
        };
        self.seen.lock().unwrap().push(request.clone());
        let hit = request.starts_with(self.kind) && self.seen(self.kind) == 1;
        if hit && self.fault == Fault::Conflict {
            let answer = b"HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            return from.write_all(answer).unwrap();
        }
        if hit && self.fault == Fault::LostBefore {
            return;
        }
        let mut to = TcpStream::connect(("127.0.0.1", self.server)).unwrap();
        let closing = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
        to.write_all(closing.as_bytes()).unwrap();
        let mut answer = Vec::new();
        to.read_to_end(&mut answer).unwrap();
        if !hit {
            from.write_all(&answer).unwrap();
        }
    }
}

/// A request with its body. `None` if the connection ends before.
fn whole(from: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut piece = [0; 4_096];
    loop {
        let read = from.read(&mut piece).unwrap_or(0);
        request.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let lower = text.to_lowercase();
        let length = lower
            .split_once("content-length: ")
            .map_or("0", |(_, rest)| rest);
        let length = length.split("\r\n").next()?.parse::<usize>().unwrap();
        match text.split_once("\r\n\r\n") {
            Some((_, body)) if body.len() >= length => return Some(text),
            _ if read == 0 => return None,
            _ => {}
        }
    }
}

fn radicale() -> Radicale {
    let server = Radicale::start(&["ana"]);
    let empty = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n";
    server.put("ana", "/ana/calendar/", empty);
    server
}

/// Lost before it came: nothing was made. Lost behind: nobody knows, and the look does. Either way once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_whose_answer_is_lost_is_made_once() {
    for fault in [Fault::LostBefore, Fault::LostBehind] {
        let before = fault == Fault::LostBefore;
        let server = radicale();
        let between = Between::start(server.port(), "PUT", fault);
        let (calendar, _folder) = calendar(between.port, PASSWORD);
        let error = calendar.create(&ana(), &lunch(), "k").await.unwrap_err();
        assert!(matches!(error, AccountError::Unknown { .. }), "{error:?}");
        let found = calendar.find_created(&ana(), "k").await.unwrap();
        assert_eq!(found.is_some(), !before);
        let made = calendar.create(&ana(), &lunch(), "k").await.unwrap();
        assert_eq!(found.unwrap_or(made.clone()), made);
        assert_eq!(events(&calendar).await.unwrap(), [made]);
        assert_eq!(between.seen("PUT"), if before { 2 } else { 1 });
    }
}

/// What is asked changes nothing, so it wasn't reached.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_that_is_lost_is_not_reached() {
    let server = radicale();
    for kind in ["PROPFIND", "REPORT"] {
        let between = Between::start(server.port(), kind, Fault::LostBefore);
        let (calendar, _folder) = calendar(between.port, PASSWORD);
        let error = events(&calendar).await.unwrap_err();
        assert!(
            matches!(error, AccountError::NotReached { .. }),
            "{error:?}"
        );
        assert_eq!(events(&calendar).await.unwrap(), []);
    }
}

/// RFC 4918: the calendar isn't there. It isn't another version, so it isn't tried again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conflict_is_refused_at_once() {
    let server = radicale();
    let between = Between::start(server.port(), "PUT", Fault::Conflict);
    let (calendar, _folder) = calendar(between.port, PASSWORD);
    let made = calendar.create(&ana(), &lunch(), "k").await;
    assert!(
        matches!(made, Err(AccountError::Refused { .. })),
        "{made:?}"
    );
    assert_eq!(between.seen("PUT"), 1);
}

/// Of a calendar of many years, a day, an event and a creation ask only for the events of then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
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
    let between = Between::start(server.port(), "none", Fault::LostBefore);
    let ask = || calendar(between.port, PASSWORD);
    let made = ask().0.create(&ana(), &lunch(), "k").await.unwrap();
    let page = events(&ask().0).await.unwrap();
    assert_eq!(page, std::slice::from_ref(&made));
    let found = ask().0.event(&ana(), &made.id).await.unwrap();
    assert_eq!(found, Some(made));
    let downloads = between.mentions(".ics");
    assert!(downloads < 10, "{downloads} events were asked for");
}

/// Another program's change is seen, and what it wrote stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_program_changes_is_read_anew() {
    let server = radicale();
    let (calendar, _folder) = calendar(server.port(), PASSWORD);
    let lay = |title: &str| {
        let event = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:a@x\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261127T090000Z\r\nDTEND:20261127T100000Z\r\nSUMMARY:{title}\r\nX-KEPT:yes\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        server.put("ana", "/ana/calendar/a.ics", &event);
    };
    lay("Dentist");
    let first = events(&calendar).await.unwrap();
    assert_eq!(first[0].title, "Dentist");
    lay("Barber");
    let later = span("2026-11-27T11:00:00Z", "2026-11-27T12:00:00Z");
    let ana = ana();
    let moved = calendar.reschedule(&ana, &first[0].id, later, None, "k");
    assert_eq!(moved.await.unwrap().title, "Barber");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_said_and_isnt_shown() {
    let server = radicale();
    let (calendar, _folder) = calendar(server.port(), "hush");
    let error = events(&calendar).await.unwrap_err();
    let AccountError::Refused { reason } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(
        reason,
        "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it."
    );
}
