//! Changes whose answers are lost, refused or late: nothing is made twice, nobody is told twice.

use alfred_core::ports::{AccountError, AccountService, Calendar, Event};
use alfred_google_local::calendar::Told;
use alfred_google_local::{Fault, Hold, Options, Quotas, Release};
use alfred_testkit::conformance::calendar::COLLEAGUE;
use serde_json::json;

use super::changing::{ben, later, lunch, no, sorry};
use super::{ANA, World};
use crate::google::support::account;

const INSERT: &str = "calendar.events.insert";
const PATCH: &str = "calendar.events.patch";
const DELETE: &str = "calendar.events.delete";
const KEY: &str = "key";

/// A change that can be asked for.
#[derive(Clone, Copy, Debug)]
enum Change {
    Create,
    Move,
    Cancel,
    Answer,
}

const CHANGES: [Change; 4] = [Change::Create, Change::Move, Change::Cancel, Change::Answer];

impl Change {
    fn method(self) -> &'static str {
        match self {
            Self::Create => INSERT,
            Self::Move | Self::Answer => PATCH,
            Self::Cancel => DELETE,
        }
    }

    fn told(self) -> Told {
        match self {
            Self::Create => Told::Invited,
            Self::Move => Told::Changed,
            Self::Cancel => Told::Cancelled,
            Self::Answer => Told::Answered,
        }
    }

    async fn subject(self, world: &World) -> Event {
        match self {
            Self::Answer => world.named("Review").await,
            _ => world.named("Team").await,
        }
    }

    async fn ask(self, world: &World, subject: &Event) -> Result<(), AccountError> {
        let (calendar, of, id) = (&world.google, &account(), &subject.id);
        match self {
            Self::Create => calendar
                .create(of, &lunch(vec![ben()]), KEY)
                .await
                .map(drop),
            Self::Move => {
                let words = sorry();
                let moved = calendar.reschedule(of, id, later(), Some(&words), KEY);
                moved.await.map(drop)
            }
            Self::Cancel => calendar.cancel(of, id, true, KEY).await.map(drop),
            Self::Answer => calendar.respond(of, id, &no(), KEY).await.map(drop),
        }
    }

    /// Whether a look finds it.
    async fn found(self, world: &World, subject: &Event) -> bool {
        let (calendar, of, id) = (&world.google, &account(), &subject.id);
        let found = match self {
            Self::Create => calendar.find_created(of, KEY).await,
            Self::Move => calendar.find_moved(of, id, later(), KEY).await,
            Self::Cancel => calendar.find_cancelled(of, id, KEY).await,
            Self::Answer => calendar.find_responded(of, id, no().attendance, KEY).await,
        };
        found.unwrap().is_some()
    }
}

#[tokio::test]
async fn a_failure_that_passes_is_waited_out_and_nobody_is_told_twice() {
    let error = |status, reason| Fault::Error {
        status,
        reason,
        retry_after: Some(1),
    };
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 500 },
        Fault::ErrorAfter { status: 503 },
        error(429, "rateLimitExceeded"),
        error(403, "userRateLimitExceeded"),
        error(500, "backendError"),
    ];
    for fault in faults {
        for change in CHANGES {
            let world = World::new().await;
            let subject = change.subject(&world).await;
            world
                .running
                .google
                .fail_next(change.method(), 1, fault.clone());
            let done = change.ask(&world, &subject).await;
            assert!(done.is_ok(), "{fault:?} {change:?}: {done:?}");
            assert!(change.found(&world, &subject).await, "{fault:?} {change:?}");
            change.ask(&world, &subject).await.unwrap();
            let told = [(COLLEAGUE.to_owned(), change.told())];
            assert_eq!(world.told(), told, "{fault:?} {change:?}");
        }
    }
}

#[tokio::test]
async fn without_any_answer_the_outcome_is_unknown_and_a_look_settles_it() {
    for (fault, happened) in [(Fault::DropAfter, true), (Fault::DropBefore, false)] {
        for change in CHANGES {
            let world = World::new().await;
            let subject = change.subject(&world).await;
            world
                .running
                .google
                .fail_next(change.method(), 99, fault.clone());
            let lost = change.ask(&world, &subject).await.unwrap_err();
            assert!(
                matches!(lost, AccountError::Unknown { .. }),
                "{change:?}: {lost}"
            );
            assert_eq!(change.found(&world, &subject).await, happened, "{change:?}");
            assert_eq!(world.told().len(), usize::from(happened), "{change:?}");
        }
    }
}

#[tokio::test]
async fn what_is_refused_didnt_happen() {
    let refusals = [(400, "invalid"), (403, "forbidden"), (403, "quotaExceeded")];
    for (status, reason) in refusals {
        for change in CHANGES {
            let world = World::new().await;
            let subject = change.subject(&world).await;
            let fault = Fault::Error {
                status,
                reason,
                retry_after: None,
            };
            world.running.google.fail_next(change.method(), 1, fault);
            let refused = change.ask(&world, &subject).await.unwrap_err();
            assert!(
                matches!(refused, AccountError::Refused { .. }),
                "{change:?}: {refused}"
            );
            assert!(!change.found(&world, &subject).await);
            assert_eq!(world.told(), []);
        }
    }
    let world = World::new().await;
    let subject = Change::Create.subject(&world).await;
    let fault = Fault::Error {
        status: 403,
        reason: "insufficientPermissions",
        retry_after: None,
    };
    world.running.google.fail_next("*", 1, fault);
    let missing = Change::Create.ask(&world, &subject).await;
    let calendar = AccountService::Calendar;
    assert!(matches!(missing, Err(AccountError::NotGranted(of)) if of == calendar));
}

#[tokio::test]
async fn an_event_that_changes_meanwhile_is_read_again() {
    for change in [Change::Move, Change::Answer] {
        let world = World::new().await;
        let subject = change.subject(&world).await;
        let mut gate = world.running.google.hold(PATCH, Hold::BeforeEffect);
        let meanwhile = async {
            let held = gate.arrived().await;
            let id = subject.series.clone().unwrap_or_else(|| subject.id.clone());
            let mut kept = world.kept(ANA, &id).unwrap();
            kept["location"] = json!("Room 9");
            world.put(ANA, kept);
            held.release(Release::Complete);
            drop(gate);
        };
        let (done, ()) = tokio::join!(change.ask(&world, &subject), meanwhile);
        done.unwrap();
        assert_eq!(world.calls(PATCH), 2, "{change:?}");
        assert_eq!(world.told(), [(COLLEAGUE.to_owned(), change.told())]);
        let there = world.google.event(&account(), &subject.id).await.unwrap();
        assert_eq!(there.unwrap().location, "Room 9");
    }
    let world = World::new().await;
    let subject = Change::Move.subject(&world).await;
    let fault = Fault::Error {
        status: 412,
        reason: "conditionNotMet",
        retry_after: None,
    };
    world.running.google.fail_next(PATCH, 2, fault);
    let changing = Change::Move.ask(&world, &subject).await;
    assert!(
        matches!(changing, Err(AccountError::NotReached { .. })),
        "{changing:?}"
    );
    assert_eq!(world.told(), []);
}

#[tokio::test]
async fn an_event_that_goes_meanwhile_is_gone() {
    for change in [Change::Move, Change::Answer] {
        let world = World::new().await;
        let subject = change.subject(&world).await;
        let mut gate = world.running.google.hold(PATCH, Hold::BeforeEffect);
        let meanwhile = async {
            let held = gate.arrived().await;
            let id = subject.series.clone().unwrap_or_else(|| subject.id.clone());
            let mut kept = world.kept(ANA, &id).unwrap();
            kept["status"] = json!("cancelled");
            world.put(ANA, kept);
            held.release(Release::Complete);
            drop(gate);
        };
        let (done, ()) = tokio::join!(change.ask(&world, &subject), meanwhile);
        match done {
            Err(AccountError::Refused { reason }) => {
                assert_eq!(reason, alfred_core::text::EVENT_GONE);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_quota_that_is_used_up_says_when_to_ask_again() {
    let quotas = Quotas {
        calendar: 2,
        ..Quotas::default()
    };
    let world = World::with(Options {
        quotas,
        ..Options::default()
    })
    .await;
    let subject = Change::Move.subject(&world).await;
    Change::Cancel.found(&world, &subject).await;
    let full = Change::Move.ask(&world, &subject).await;
    let Err(AccountError::NotReached {
        retry_after: Some(after),
        ..
    }) = full
    else {
        panic!("{full:?}")
    };
    world.clock.advance(after);
    Change::Move.ask(&world, &subject).await.unwrap();
    assert_eq!(world.told(), [(COLLEAGUE.to_owned(), Told::Changed)]);
}

#[tokio::test]
async fn a_cancellation_whose_answer_is_lost_is_one() {
    let world = World::new().await;
    let dentist = world.named("Dentist").await;
    let of = account();
    let cancel = || world.google.cancel(&of, &dentist.id, true, KEY);
    world.running.google.fail_next(DELETE, 1, Fault::DropAfter);
    assert!(cancel().await.unwrap());
    assert!(!cancel().await.unwrap());
}
