//! Who waits while the server is slow: what is reported as not sent doesn't leave afterwards.

use crate::support;

use alfred_core::ports::{AccountError, Calendar, Event, Mail, NewEvent};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_testkit::within;
use alfred_workspace::Workspace;
use futures_util::FutureExt;
use std::fs;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Folder, ana, draft, meeting, span, through};
use tokio::task::JoinHandle;

/// A server that is slow at this point of the first conversation, until it is told to go on.
struct Slow {
    folder: Folder,
    server: Arc<Server>,
    workspace: Workspace,
    go_on: Sender<()>,
}

impl Slow {
    fn at(point: Point) -> Self {
        let (folder, server) = (Folder::new(), Arc::new(Server::start()));
        let (go_on, waits) = mpsc::channel();
        server.fail(point, Act::Wait(Arc::new(Mutex::new(waits))));
        Self {
            workspace: through(&folder, &server),
            folder,
            server,
            go_on,
        }
    }

    /// Waits until the first conversation is there.
    async fn reached(&self) {
        let server = self.server.clone();
        tokio::task::spawn_blocking(move || server.reached())
            .await
            .unwrap();
    }

    fn create(&self, key: &'static str) -> JoinHandle<Result<Event, AccountError>> {
        let workspace = self.workspace.clone();
        tokio::spawn(async move { workspace.create(&ana(), &meeting(), key).await })
    }

    /// The server goes on.
    fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }

    fn files(&self, name: &str) -> usize {
        fs::read_dir(self.folder.path(name)).map_or(0, Iterator::count)
    }

    fn is_not_sent(&self, outcome: Result<impl std::fmt::Debug, AccountError>) {
        assert!(
            matches!(outcome, Err(AccountError::NotReached { .. })),
            "{outcome:?}"
        );
    }
}

#[tokio::test]
async fn who_gets_no_turn_is_told_and_nothing_of_theirs_leaves() {
    let slow = Slow::at(Point::Rcpt);
    let first = tokio::spawn({
        let workspace = slow.workspace.clone();
        async move { workspace.send(&ana(), &draft(), "first").await }
    });
    slow.reached().await;
    let hurried = slow
        .workspace
        .clone()
        .queueing_for(Duration::from_millis(1));
    let (somebody, mail) = (ana(), draft());
    let mut patient = slow.workspace.send(&somebody, &mail, "patient");
    assert!(patient.as_mut().now_or_never().is_none());
    slow.is_not_sent(hurried.send(&ana(), &draft(), "second").await);
    // Until the time of its call is over.
    drop(patient);
    slow.is_not_sent(hurried.create(&ana(), &meeting(), "third").await);
    // Of the mail itself that is under way nobody can say so.
    let same = hurried.send(&ana(), &draft(), "first").await;
    assert!(
        matches!(same, Err(AccountError::Unknown { .. })),
        "{same:?}"
    );
    assert_eq!(slow.server.connections(), 1);
    slow.go_on();
    first.await.unwrap().unwrap();
    assert_eq!(slow.server.taken().len(), 1);
    assert_eq!((slow.files("mail/sent"), slow.files("mail/outbox")), (1, 0));
    // And then it is sent, as one asks for it again.
    slow.workspace
        .send(&ana(), &draft(), "second")
        .await
        .unwrap();
    assert_eq!(
        (slow.server.taken().len(), slow.server.connections()),
        (2, 2)
    );
}

#[tokio::test]
async fn calendar_is_readable_while_guests_are_notified() {
    let slow = Slow::at(Point::Rcpt);
    let first = slow.create("first");
    slow.reached().await;
    let bound = Duration::from_secs(10);
    let events = slow.folder.events(meeting().span);
    let listed = within(bound, "a listing", events).await;
    assert_eq!(listed.events, []);
    // Changes still wait for each other.
    let hurried = slow
        .workspace
        .clone()
        .queueing_for(Duration::from_millis(1));
    let (ana, meeting) = (ana(), meeting());
    let second = hurried.create(&ana, &meeting, "second");
    slow.is_not_sent(within(bound, "a second change", second).await);
    slow.go_on();
    let made = first.await.unwrap().unwrap();
    assert_eq!(slow.folder.events(meeting.span).await.events, [made]);
}

#[tokio::test]
async fn a_refusal_after_the_notice_says_that_others_were_notified() {
    let slow = Slow::at(Point::Rcpt);
    let made = slow.create("k");
    slow.reached().await;
    slow.folder.put("calendar.ics", "no calendar");
    slow.go_on();
    let error = made.await.unwrap().unwrap_err().to_string();
    let end = "aside. Others were already notified by mail.";
    assert!(error.ends_with(end), "{error}");
}

#[tokio::test]
async fn a_meeting_nobody_waits_for_isnt_made() {
    let (slow, ana) = (Slow::at(Point::Rcpt), ana());
    let alone = NewEvent {
        attendees: Vec::new(),
        ..meeting()
    };
    let alone = slow.workspace.create(&ana, &alone, "alone").await.unwrap();
    let first = slow.create("first");
    slow.reached().await;
    let second = meeting();
    let mut made = slow.workspace.create(&ana, &second, "second");
    assert!(made.as_mut().now_or_never().is_none());
    let to = span("2026-11-28T09:00:00Z", "2026-11-28T10:00:00Z");
    let mut moved = slow.workspace.reschedule(&ana, &alone.id, to, None, "move");
    assert!(moved.as_mut().now_or_never().is_none());
    // The time of their calls is over.
    drop((made, moved));
    slow.go_on();
    first.await.unwrap().unwrap();
    // Changes take turns in order, so both have had theirs.
    let none = "none".into();
    let last = slow.workspace.cancel(&ana, &none, false, "last");
    assert!(!last.await.unwrap());
    let still = slow.workspace.event(&ana, &alone.id).await.unwrap();
    assert_eq!(still.unwrap().time, alone.time);
    let found = slow.workspace.find_created(&ana, "second").await;
    assert_eq!(found.unwrap(), None);
    let (taken, connections) = (slow.server.taken().len(), slow.server.connections());
    assert_eq!((taken, connections), (1, 1));
}

#[tokio::test]
async fn a_mail_whose_sender_gave_up_before_its_first_byte_isnt_sent() {
    let slow = Slow::at(Point::Rcpt);
    let (ana, draft) = (ana(), draft());
    let mut asked = slow.workspace.send(&ana, &draft, "k");
    assert!(asked.as_mut().now_or_never().is_none());
    slow.reached().await;
    drop(asked);
    slow.go_on();
    // Its turn is over when the next one has had theirs.
    slow.workspace.send(&ana, &draft, "next").await.unwrap();
    assert_eq!(slow.server.taken().len(), 1);
    assert_eq!(slow.workspace.find_sent(&ana, "k").await.unwrap(), None);
    assert_eq!(slow.files("mail/outbox"), 0);
}

/// A slow farewell leaves no time in which nobody could tell what is known.
#[tokio::test]
async fn what_the_server_answered_is_written_down_before_anything_else_is_said() {
    let slow = Slow::at(Point::Quit);
    let sending = tokio::spawn({
        let workspace = slow.workspace.clone();
        async move { workspace.send(&ana(), &draft(), "k").await }
    });
    slow.reached().await;
    assert_eq!((slow.files("mail/sent"), slow.files("mail/outbox")), (1, 0));
    let look = slow.workspace.find_sent(&ana(), "k").await.unwrap();
    slow.go_on();
    assert_eq!(look, Some(sending.await.unwrap().unwrap()));
}
