//! Changes whose answers are lost, refused or late: nothing is made twice, nobody is told twice.

use alfred_core::id::EventId;
use alfred_core::ports::{AccountError, AccountService, Calendar};
use alfred_core::text::EVENT_GONE;
use alfred_google::Google;
use alfred_google_local::calendar::Told;
use alfred_google_local::{Fault, Hold, Options, Quotas, Release};
use alfred_testkit::conformance::calendar::COLLEAGUE;
use serde_json::{Value, json};

use super::changing::{ben, later, lunch, no, sorry};
use super::{with, world};
use crate::google::once::{Effect, once};
use crate::google::support::{ANA, World, account};

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

    async fn make_in(self, world: &World) -> Result<(), AccountError> {
        self.make(&world.google).await
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
            Self::Create => google.create(of, &lunch(vec![ben()]), KEY).await.map(drop),
            Self::Move => {
                let moved = google
                    .reschedule(of, id, later(), Some(&sorry()), KEY)
                    .await;
                moved.map(drop)
            }
            Self::Cancel => google.cancel(of, id, true, KEY).await.map(drop),
            Self::Answer => google.respond(of, id, &no(), KEY).await.map(drop),
        }
    }

    async fn is_found(self, _: &World, google: &Google) -> Result<bool, AccountError> {
        let (of, id) = (&account(), &self.id());
        let found = match self {
            Self::Create => google.find_created(of, KEY).await,
            Self::Move => google.find_moved(of, id, later(), KEY).await,
            Self::Cancel => google.find_cancelled(of, id, KEY).await,
            Self::Answer => google.find_responded(of, id, no().attendance, KEY).await,
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
        world.notices().len()
    }

    fn check(self, world: &World) {
        assert_eq!(world.notices(), [(COLLEAGUE.to_owned(), self.notice())]);
    }
}

#[tokio::test]
async fn each_change_is_made_once() {
    for change in CHANGES {
        once(change).await;
    }
}

fn error(status: u16, reason: &'static str) -> Fault {
    Fault::Error {
        status,
        reason,
        retry_after: None,
    }
}

#[tokio::test]
async fn a_refused_change_is_not_made() {
    for (status, reason) in [(400, "invalid"), (403, "forbidden"), (403, "quotaExceeded")] {
        for change in CHANGES {
            let world = world().await;
            let fault = error(status, reason);
            world.local().fail_next(change.calls()[0], 1, fault);
            let refused = change.make_in(&world).await;
            assert!(
                matches!(refused, Err(AccountError::Refused { .. })),
                "{change:?}: {refused:?}"
            );
            let is_found = change.is_found(&world, &world.google).await;
            assert!(!is_found.unwrap());
            assert_eq!(world.notices(), []);
        }
    }
    let world = world().await;
    let fault = error(403, "insufficientPermissions");
    world.local().fail_next("*", 1, fault);
    let missing = Change::Create.make_in(&world).await;
    let calendar = AccountService::Calendar;
    assert!(matches!(missing, Err(AccountError::NotGranted(of)) if of == calendar));
}

/// Changes a field of the event after Alfred has read it and before it is patched.
async fn meanwhile(
    world: &World,
    change: Change,
    field: &'static str,
    value: Value,
) -> Result<(), AccountError> {
    let mut gate = world.local().hold(PATCH, Hold::BeforeEffect);
    let other = async {
        let held = gate.arrived().await;
        let id = change.id().as_str().replace("_20261123T100000Z", "");
        let mut kept = world.kept(ANA, &id.as_str().into()).unwrap();
        kept[field] = value;
        world.put(ANA, kept);
        held.release(Release::Complete);
        drop(gate);
    };
    tokio::join!(change.make_in(world), other).0
}

#[tokio::test]
async fn an_event_that_changes_meanwhile_is_read_again() {
    for change in [Change::Move, Change::Answer] {
        let world = world().await;
        let done = meanwhile(&world, change, "location", json!("Room 9")).await;
        done.unwrap();
        assert_eq!(world.calls(PATCH), 2, "{change:?}");
        change.check(&world);
        let there = world.google.event(&account(), &change.id()).await.unwrap();
        assert_eq!(there.unwrap().location, "Room 9");
    }
    let world = world().await;
    world
        .local()
        .fail_next(PATCH, 2, error(412, "conditionNotMet"));
    let changing = Change::Move.make_in(&world).await;
    assert!(
        matches!(changing, Err(AccountError::NotReached { .. })),
        "{changing:?}"
    );
    assert_eq!(world.notices(), []);
}

#[tokio::test]
async fn an_event_that_is_cancelled_meanwhile_is_gone() {
    for change in [Change::Move, Change::Answer] {
        let world = world().await;
        match meanwhile(&world, change, "status", json!("cancelled")).await {
            Err(AccountError::Refused { reason }) => assert_eq!(reason, EVENT_GONE),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_used_up_quota_says_when_to_try_again() {
    let quotas = Quotas {
        calendar: 2,
        ..Quotas::default()
    };
    let world = with(Options {
        quotas,
        ..Options::default()
    })
    .await;
    for _ in 0..2 {
        let is_found = Change::Cancel.is_found(&world, &world.google).await;
        assert!(!is_found.unwrap());
    }
    let full = Change::Cancel.make_in(&world).await;
    let Err(AccountError::NotReached {
        retry_after: Some(after),
        ..
    }) = full
    else {
        panic!("{full:?}")
    };
    world.clock.advance(after);
    Change::Cancel.make_in(&world).await.unwrap();
    Change::Cancel.check(&world);
}

#[tokio::test]
async fn a_cancellation_whose_answer_is_lost_is_one() {
    let world = world().await;
    let (of, id) = (account(), Change::Cancel.id());
    let cancel = || world.google.cancel(&of, &id, true, KEY);
    world.local().fail_next(DELETE, 1, Fault::DropAfter);
    assert!(cancel().await.unwrap());
    assert!(!cancel().await.unwrap());
}
