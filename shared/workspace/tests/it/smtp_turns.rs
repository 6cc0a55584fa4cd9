//! A slow mail server keeps nobody else waiting, and what is reported as not sent doesn't leave afterwards.

use crate::support;

use alfred_core::ports::{AccountError, Calendar, Event, Mail, NewEvent, SentMail};
use alfred_testkit::smtp_server::{Act, Point, Server};
use alfred_testkit::within;
use alfred_workspace::{Smtp, Workspace};
use futures_util::FutureExt;
use std::fs;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Folder, ana, draft, meeting, span};
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
        let smtp = Smtp::read(&server.url(), None).unwrap();
        Self {
            workspace: folder.workspace.clone().with_smtp(smtp),
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

    /// The server goes on.
    fn go_on(&self) {
        self.go_on.send(()).unwrap();
    }

    fn sending(&self, key: &'static str) -> JoinHandle<Result<SentMail, AccountError>> {
        let workspace = self.workspace.clone();
        tokio::spawn(async move { workspace.send(&ana(), &draft(), key).await })
    }

    /// Invites somebody to a meeting.
    fn invited(&self, key: &'static str) -> JoinHandle<Result<Event, AccountError>> {
        let workspace = self.workspace.clone();
        tokio::spawn(async move { workspace.create(&ana(), &meeting(), key).await })
    }

    fn files(&self, name: &str) -> usize {
        fs::read_dir(self.folder.path(name)).map_or(0, Iterator::count)
    }
}

#[tokio::test]
async fn a_slow_server_keeps_nobody_else_waiting() {
    let slow = Slow::at(Point::Rcpt);
    let first = slow.invited("first");
    slow.reached().await;
    let (ana, draft) = (ana(), draft());
    let others = async {
        let page = slow.workspace.events(&ana, meeting().span).await.unwrap();
        assert_eq!(page.events.len(), 0);
        slow.workspace.send(&ana, &draft, "k").await.unwrap();
        let sent = slow.workspace.find_sent(&ana, "k").await.unwrap();
        assert!(sent.is_some());
    };
    within(Duration::from_secs(10), "the others", others).await;
    assert_eq!(slow.server.taken().len(), 1);
    slow.go_on();
    first.await.unwrap().unwrap();
    assert_eq!(slow.server.taken().len(), 2);
}

#[tokio::test]
async fn a_meeting_nobody_waits_for_isnt_made() {
    let slow = Slow::at(Point::Rcpt);
    let (ana, workspace) = (ana(), &slow.workspace);
    let alone = NewEvent {
        attendees: Vec::new(),
        ..meeting()
    };
    let alone = workspace.create(&ana, &alone, "alone").await.unwrap();
    let first = slow.invited("first");
    slow.reached().await;
    let second = meeting();
    let mut made = workspace.create(&ana, &second, "second");
    assert!(made.as_mut().now_or_never().is_none());
    let to = span("2026-11-28T09:00:00Z", "2026-11-28T10:00:00Z");
    let mut moved = workspace.reschedule(&ana, &alone.id, to, None, "move");
    assert!(moved.as_mut().now_or_never().is_none());
    // The time of their calls is over.
    drop((made, moved));
    slow.go_on();
    first.await.unwrap().unwrap();
    let still = workspace.event(&ana, &alone.id).await.unwrap();
    assert_eq!(still.unwrap().time, alone.time);
    let found = workspace.find_created(&ana, "second").await;
    assert_eq!(found.unwrap(), None);
    let (taken, connections) = (slow.server.taken().len(), slow.server.connections());
    assert_eq!((taken, connections), (1, 1));
}

#[tokio::test]
async fn a_mail_whose_sender_gave_up_before_its_first_byte_isnt_sent() {
    let slow = Slow::at(Point::Rcpt);
    let asked = slow.sending("k");
    slow.reached().await;
    asked.abort();
    assert!(asked.await.unwrap_err().is_cancelled());
    slow.go_on();
    slow.sending("next").await.unwrap().unwrap();
    assert_eq!(slow.server.taken().len(), 1);
    assert_eq!(slow.workspace.find_sent(&ana(), "k").await.unwrap(), None);
    assert_eq!(slow.files("mail/outbox"), 0);
}

/// A slow farewell leaves no time in which nobody could tell what is known.
#[tokio::test]
async fn what_the_server_answered_is_written_down_before_anything_else_is_said() {
    let slow = Slow::at(Point::Quit);
    let sending = slow.sending("k");
    slow.reached().await;
    assert_eq!((slow.files("mail/sent"), slow.files("mail/outbox")), (1, 0));
    let look = slow.workspace.find_sent(&ana(), "k").await.unwrap();
    slow.go_on();
    assert_eq!(look, Some(sending.await.unwrap().unwrap()));
}
