//! A calendar server that fails, refuses, or is changed by others.

use alfred_core::ports::{Account, AccountError, Calendar, Mailbox, NewEvent, Span};
use alfred_testkit::radicale::{PASSWORD, Radicale};
use alfred_testkit::{ManualClock, temp_dir};
use alfred_workspace::{CalDavServer, Identity, Workspace};
use jiff::tz::TimeZone;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use tempfile::TempDir;

fn account() -> Account {
    Account {
        team: "T1".into(),
        user: "UANA".into(),
    }
}

fn calendar(port: u16, password: &str) -> (Workspace, TempDir) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = temp_dir();
    let url = format!("http://ana@127.0.0.1:{port}/ana/calendar/");
    let ana = Identity {
        account: account(),
        mailbox: Mailbox::new("Ana Marques", "ana@example.com"),
        zone: TimeZone::UTC,
        calendar: Some(CalDavServer::read(&url, Some(password.into())).unwrap()),
    };
    let people = [(ana, folder.path().to_owned())];
    let workspace = Workspace::new(people, Arc::new(ManualClock::default()));
    (workspace, folder)
}

fn span() -> Span {
    Span {
        start: "2026-11-24T09:00:00Z".parse().unwrap(),
        end: "2026-11-24T10:00:00Z".parse().unwrap(),
    }
}

fn lunch() -> NewEvent {
    NewEvent {
        title: "Lunch".into(),
        span: span(),
        time_zone: "UTC".into(),
        description: String::new(),
        attendees: Vec::new(),
        repeat: None,
        video_call: false,
    }
}

/// What comes between Alfred and the server: it ends the connection at the nth request of a kind, before it was passed
/// on or behind its answer.
struct Between {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Between {
    fn start(server: u16, kind: &'static str, before: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let shared = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let seen = shared.clone();
                thread::spawn(move || pass(stream.unwrap(), server, kind, before, &seen));
            }
        });
        Self { port, seen }
    }

    fn seen(&self, kind: &str) -> usize {
        let seen = self.seen.lock().unwrap();
        seen.iter().filter(|verb| *verb == kind).count()
    }
}

/// One request a connection, as the server behind it answers with HTTP/1.0.
fn pass(mut from: TcpStream, server: u16, kind: &str, before: bool, seen: &Mutex<Vec<String>>) {
    let mut request = Vec::new();
    let mut piece = [0; 4_096];
    let whole = loop {
        let read = from.read(&mut piece).unwrap_or(0);
        request.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let length = text
            .to_lowercase()
            .split("content-length: ")
            .nth(1)
            .map(|rest| {
                let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                digits.parse::<usize>().unwrap()
            });
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
        match (read, body) {
            (0, _) => return,
            (_, Some(body)) if body >= length.unwrap_or(0) => break text,
            _ => {}
        }
    };
    let verb = whole.split(' ').next().unwrap().to_owned();
    let is_first = {
        let mut seen = seen.lock().unwrap();
        seen.push(verb.clone());
        seen.iter().filter(|known| **known == verb).count() == 1
    };
    let ends = verb == kind && is_first;
    if ends && before {
        return;
    }
    let mut to = TcpStream::connect(("127.0.0.1", server)).unwrap();
    let closing = whole.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    to.write_all(closing.as_bytes()).unwrap();
    let mut answer = Vec::new();
    to.read_to_end(&mut answer).unwrap();
    if !ends {
        from.write_all(&answer).unwrap();
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
    for before in [true, false] {
        let server = radicale();
        let between = Between::start(server.port(), "PUT", before);
        let (calendar, _folder) = calendar(between.port, PASSWORD);
        let error = calendar
            .create(&account(), &lunch(), "k")
            .await
            .unwrap_err();
        assert!(matches!(error, AccountError::Unknown { .. }), "{error:?}");
        let found = calendar.find_created(&account(), "k").await.unwrap();
        assert_eq!(found.is_some(), !before);
        let made = calendar.create(&account(), &lunch(), "k").await.unwrap();
        assert_eq!(found.unwrap_or(made.clone()), made);
        let page = calendar.events(&account(), span()).await.unwrap();
        assert_eq!(page.events, [made]);
        assert_eq!(between.seen("PUT"), if before { 2 } else { 1 });
    }
}

/// What is asked changes nothing, so it wasn't reached.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_that_is_lost_is_not_reached() {
    let server = radicale();
    for kind in ["PROPFIND", "REPORT"] {
        let between = Between::start(server.port(), kind, true);
        let (calendar, _folder) = calendar(between.port, PASSWORD);
        let error = calendar.events(&account(), span()).await.unwrap_err();
        assert!(
            matches!(error, AccountError::NotReached { .. }),
            "{error:?}"
        );
        assert_eq!(
            calendar.events(&account(), span()).await.unwrap().events,
            []
        );
    }
}

/// Another program's change is seen, and what it wrote stays.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_program_changes_is_read_anew() {
    let server = radicale();
    let (calendar, _folder) = calendar(server.port(), PASSWORD);
    let lay = |title: &str| {
        let event = format!(
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:a@x\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261124T090000Z\r\nDTEND:20261124T100000Z\r\nSUMMARY:{title}\r\nX-KEPT:yes\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        server.put("ana", "/ana/calendar/a.ics", &event);
    };
    lay("Dentist");
    let first = calendar.events(&account(), span()).await.unwrap().events;
    assert_eq!(first[0].title, "Dentist");
    lay("Barber");
    let later = Span {
        start: "2026-11-24T11:00:00Z".parse().unwrap(),
        end: "2026-11-24T12:00:00Z".parse().unwrap(),
    };
    let ana = account();
    let moved = calendar.reschedule(&ana, &first[0].id, later, None, "k");
    assert_eq!(moved.await.unwrap().title, "Barber");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_password_is_said_and_isnt_shown() {
    let server = radicale();
    let (calendar, _folder) = calendar(server.port(), "hush");
    let error = calendar.events(&account(), span()).await.unwrap_err();
    let AccountError::Refused { reason } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(
        reason,
        "The calendar server doesn't accept the sign-in, so nothing was changed; please ask an administrator to check it."
    );
}
