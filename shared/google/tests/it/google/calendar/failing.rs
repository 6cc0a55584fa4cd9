//! Each change of a calendar is made once, whatever fails.

use alfred_core::id::EventId;
use alfred_core::ports::{
    AccountError, Attendance, Calendar, Mailbox, NewEvent, Notice, Response, Span,
};
use alfred_google::Google;
use alfred_google_local::Fault;
use alfred_google_local::calendar::Told;
use alfred_testkit::conformance::calendar::COLLEAGUE;

use super::calls::times;
use super::world;
use crate::google::once::{Effect, once};
use crate::google::support::{World, account};

pub fn lunch() -> NewEvent {
    NewEvent {
        title: "Lunch".into(),
        span: times("2026-12-14T12:00Z/2026-12-14T13:00Z"),
        time_zone: "Europe/Lisbon".into(),
        description: "At noon".into(),
        attendees: Vec::new(),
        repeat: None,
        video_call: false,
    }
}

pub fn ben() -> Mailbox {
    Mailbox::new("Ben Okafor", COLLEAGUE)
}

fn later() -> Span {
    times("2026-12-14T14:00Z/2026-12-14T15:00Z")
}

pub fn response(answer: &str, note: &str) -> Response {
    Response {
        attendance: serde_json::from_value(answer.into()).unwrap(),
        note: note.into(),
    }
}

const INSERT: &str = "calendar.events.insert";
const PATCH: &str = "calendar.events.patch";
const DELETE: &str = "calendar.events.delete";
const GET: &str = "calendar.events.get";
const KEY: &str = "key";

#[derive(Clone, Copy, Debug)]
enum Change {
    Create,
    Move,
    Cancel,
    Answer,
}

const CHANGES: [Change; 4] = [Change::Create, Change::Move, Change::Cancel, Change::Answer];

impl Change {
    /// The changed event: an occurrence of Ana's own series, or an invitation.
    fn id(self) -> EventId {
        match self {
            Self::Answer => "review".into(),
            _ => "team_20261123T100000Z".into(),
        }
    }

    fn notice(self) -> Told {
        match self {
            Self::Create => Told::Invited,
            Self::Move => Told::Changed,
            Self::Cancel => Told::Cancelled,
            Self::Answer => Told::Answered,
        }
    }
}

impl Effect for Change {
    fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Create => &[INSERT],
            Self::Move | Self::Answer => &[PATCH, GET],
            Self::Cancel => &[DELETE, GET],
        }
    }

    async fn world(self) -> World {
        world().await
    }

    async fn make(self, google: &Google) -> Result<(), AccountError> {
        let (of, id) = (&account(), &self.id());
        match self {
            Self::Create => {
                let new = NewEvent {
                    attendees: vec![ben()],
                    ..lunch()
                };
                google.create(of, &new, KEY).await.map(drop)
            }
            Self::Move => {
                let notice = Notice {
                    note: "The room is taken".into(),
                };
                let moved = google.reschedule(of, id, later(), Some(&notice), KEY);
                moved.await.map(drop)
            }
            Self::Cancel => google.cancel(of, id, true, KEY).await.map(drop),
            Self::Answer => google
                .respond(of, id, &response("declined", "I'm away"), KEY)
                .await
                .map(drop),
        }
    }

    async fn is_found(self, _: &World, google: &Google) -> Result<bool, AccountError> {
        let (of, id) = (&account(), &self.id());
        let found = match self {
            Self::Create => google.find_created(of, KEY).await,
            Self::Move => google.find_moved(of, id, later(), KEY).await,
            Self::Cancel => google.find_cancelled(of, id, KEY).await,
            Self::Answer => {
                google
                    .find_responded(of, id, Attendance::Declined, KEY)
                    .await
            }
        };
        Ok(found?.is_some())
    }

    fn survives(self, _: &str, _: &Fault) -> bool {
        true
    }

    fn is_known_at_once(self) -> bool {
        true
    }

    fn count(self, world: &World) -> usize {
        world.ana(|account| account.calendar.notices.len())
    }

    fn check(self, world: &World) {
        let told = world.ana(|account| account.calendar.notices[0].clone());
        assert_eq!((told.to.as_str(), told.told), (COLLEAGUE, self.notice()));
        let text = told.event["description"].as_str().unwrap_or_default();
        let notes = usize::from(matches!(self, Self::Move));
        assert_eq!(text.matches("Note of").count(), notes, "{text}");
    }
}

#[tokio::test]
async fn each_change_is_made_once() {
    for change in CHANGES {
        once(change).await;
    }
}
