//! Mails and changes of events that may happen only once.

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Calendar, Mail, Mailbox, NewEvent, Notice, OutgoingFile,
    OutgoingMail, Response, Span,
};
use alfred_microsoft::Microsoft;
use alfred_testkit::conformance::calendar::{COLLEAGUE, span};
use std::time::Duration;

use crate::microsoft::support::{Outlook, account};
use crate::outlook::Told;

const KEY: &str = "key";
/// Longer than a call is taken to be at work.
const LATER: Duration = Duration::from_secs(180);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    Send,
    /// Graph accepts the mail and sends it later.
    SendLater,
    Create,
    Move,
    Cancel,
    Delete,
    Answer,
}

pub const CHANGES: [Change; 7] = [
    Change::Send,
    Change::SendLater,
    Change::Create,
    Change::Move,
    Change::Cancel,
    Change::Delete,
    Change::Answer,
];

/// An answer to "Lunch".
pub fn answer() -> OutgoingMail {
    OutgoingMail {
        to: vec![Mailbox::new("Ben Okafor", "ben@example.com")],
        subject: "Re: Lunch".into(),
        text: "At noon.".into(),
        in_reply_to: Some("Lunch@example.com".into()),
        references: vec!["Lunch@example.com".into()],
        files: vec![OutgoingFile {
            name: "menu.txt".into(),
            content_type: "text/plain".into(),
            content: b"Soup".to_vec(),
        }],
        ..OutgoingMail::default()
    }
}

pub fn lunch(attendees: Vec<Mailbox>) -> NewEvent {
    NewEvent {
        title: "Lunch".into(),
        span: span("2026-12-14T12:00:00", "2026-12-14T13:00:00"),
        time_zone: "Europe/Lisbon".into(),
        description: "At noon".into(),
        attendees,
        repeat: None,
        video_call: false,
    }
}

pub fn ben() -> Mailbox {
    Mailbox::new("Ben Okafor", COLLEAGUE)
}

/// Where "Team" may go: before its second date.
pub fn later() -> Span {
    span("2026-11-23T14:00:00", "2026-11-23T15:00:00")
}

pub fn sorry() -> Notice {
    Notice {
        note: "The room is <taken>".into(),
    }
}

pub fn no() -> Response {
    Response {
        attendance: Attendance::Declined,
        note: "I'm away".into(),
    }
}

impl Change {
    /// The call that makes it, and all others.
    pub fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Send | Self::SendLater => &[
                "messages.send",
                "me.get",
                "messages.find",
                "messages.createReply",
                "messages.patch",
                "attachments.create",
                "messages.get",
            ],
            Self::Create => &["events.create", "events.list"],
            Self::Move => &["events.patch", "events.get"],
            Self::Cancel => &["events.cancel", "events.get"],
            Self::Delete => &["events.delete", "events.get"],
            Self::Answer => &["events.decline", "events.get", "me.get"],
        }
    }

    pub fn told(self) -> Vec<(String, Told)> {
        let told = match self {
            Self::Create => Told::Invited,
            Self::Move => Told::Changed,
            Self::Cancel => Told::Cancelled,
            Self::Answer => Told::Answered,
            Self::Delete | Self::Send | Self::SendLater => return Vec::new(),
        };
        vec![(COLLEAGUE.to_owned(), told)]
    }

    pub async fn ask(self, client: &Microsoft, id: &EventId) -> Result<(), AccountError> {
        let of = &account();
        match self {
            Self::Send | Self::SendLater => client.send(of, &answer(), KEY).await.map(drop),
            Self::Create => {
                let new = lunch(vec![ben()]);
                client.create(of, &new, KEY).await.map(drop)
            }
            Self::Move => {
                let words = sorry();
                let moved = client.reschedule(of, id, later(), Some(&words), KEY);
                moved.await.map(drop)
            }
            Self::Cancel | Self::Delete => client.cancel(of, id, true, KEY).await.map(drop),
            Self::Answer => client.respond(of, id, &no(), KEY).await.map(drop),
        }
    }
}

/// A change of something in a mailbox.
pub struct Case {
    pub world: Outlook,
    pub change: Change,
    pub subject: EventId,
}

impl Case {
    pub async fn new(change: Change) -> Self {
        let world = Outlook::new().await;
        world.arrive("Lunch");
        world.mailbox().sends_later = change == Change::SendLater;
        let subject = match change {
            Change::Answer => world.named("Review").await,
            Change::Delete => world.named("Dentist").await,
            _ => world.named("Team").await,
        };
        Self {
            world,
            change,
            subject: subject.id,
        }
    }

    pub async fn ask(&self, client: &Microsoft) -> Result<(), AccountError> {
        self.change.ask(client, &self.subject).await
    }

    /// Whether it is found to have happened.
    pub async fn look(&self, client: &Microsoft) -> Result<bool, AccountError> {
        let (of, id) = (&account(), &self.subject);
        let found = match self.change {
            Change::Send | Change::SendLater => {
                return Ok(client.find_sent(of, KEY).await?.is_some());
            }
            Change::Create => client.find_created(of, KEY).await,
            Change::Move => client.find_moved(of, id, later(), KEY).await,
            Change::Cancel | Change::Delete => client.find_cancelled(of, id, KEY).await,
            Change::Answer => client.find_responded(of, id, no().attendance, KEY).await,
        };
        Ok(found?.is_some())
    }

    /// As a run does: it looks, and repeats what certainly didn't happen. While nobody knows, it looks later.
    async fn settled(&self, client: &Microsoft, case: &str) {
        for _ in 0..10 {
            match self.look(client).await {
                Ok(true) => return,
                Ok(false) => {
                    let done = self.ask(client).await;
                    let refused = matches!(done, Err(AccountError::Refused { .. }));
                    assert!(!refused, "{case}: {done:?}");
                }
                Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {
                    self.world.clock.advance(LATER);
                }
                Err(error) => panic!("{case}: {error}"),
            }
        }
        panic!("{case}: it never happened");
    }

    /// It is made, others are told once, and asking again changes nothing.
    pub async fn made_once(&self, client: &Microsoft, case: &str) {
        self.world.mailbox().finish_sending();
        self.world.mailbox().sends_later = false;
        self.settled(client, case).await;
        self.is_once(client, case).await;
        let again = self.ask(client).await;
        assert!(again.is_ok(), "{case}: {again:?}");
        self.is_once(client, case).await;
    }

    async fn is_once(&self, client: &Microsoft, case: &str) {
        assert_eq!(self.world.told(), self.change.told(), "{case}");
        if !matches!(self.change, Change::Send | Change::SendLater) {
            return;
        }
        let sent = client.find_sent(&account(), KEY).await.unwrap().unwrap();
        let read = client.read(&account(), &sent.id).await.unwrap().unwrap();
        let mailbox = self.world.mailbox();
        assert_eq!(mailbox.times_sent, 1, "{case}");
        let there = mailbox.in_folder("sentitems");
        assert_eq!(there, [sent.id.to_string()], "{case}");
        assert_eq!(mailbox.in_folder("drafts"), [""; 0], "{case}");
        assert_eq!(read.attachments.len(), 1, "{case}");
        assert_eq!(read.references[0], "Lunch@example.com", "{case}");
        // Exchange proposes other people, words and a subject for an answer.
        let (mail, summary) = (answer(), &read.summary);
        assert_eq!((&summary.to, &summary.subject), (&mail.to, &mail.subject));
        assert_eq!(read.text.trim_end(), mail.text, "{case}");
    }
}
