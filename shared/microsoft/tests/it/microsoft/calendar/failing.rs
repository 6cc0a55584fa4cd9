//! Changes whose answers are lost, refused or late: nothing is made twice, nobody is told twice.

use alfred_core::ports::{AccountError, AccountService, Calendar, Event};
use alfred_loopback::{Hold, Release};
use alfred_microsoft::Microsoft;
use alfred_testkit::conformance::calendar::COLLEAGUE;
use std::time::Duration;

use super::World;
use super::changing::{ben, later, lunch, no, sorry};
use crate::microsoft::support::account;
use crate::outlook::{Fault, Told};

const KEY: &str = "key";
/// Longer than a call is taken to be at work.
const LATER: Duration = Duration::from_secs(180);

/// A change that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Create,
    Move,
    Cancel,
    Delete,
    Answer,
}

const CHANGES: [Change; 5] = [
    Change::Create,
    Change::Move,
    Change::Cancel,
    Change::Delete,
    Change::Answer,
];

impl Change {
    /// The call that makes it, and all it makes besides.
    fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Create => &["events.create", "events.list"],
            Self::Move => &["events.patch", "events.get"],
            Self::Cancel => &["events.cancel", "events.get"],
            Self::Delete => &["events.delete", "events.get"],
            Self::Answer => &["events.decline", "events.get", "me.get"],
        }
    }

    fn told(self) -> Vec<(String, Told)> {
        let told = match self {
            Self::Create => Told::Invited,
            Self::Move => Told::Changed,
            Self::Cancel => Told::Cancelled,
            Self::Answer => Told::Answered,
            Self::Delete => return Vec::new(),
        };
        vec![(COLLEAGUE.to_owned(), told)]
    }

    async fn subject(self, world: &World) -> Event {
        match self {
            Self::Answer => world.named("Review").await,
            Self::Delete => world.named("Dentist").await,
            _ => world.named("Team").await,
        }
    }

    async fn ask(self, calendar: &Microsoft, subject: &Event) -> Result<(), AccountError> {
        let (of, id) = (&account(), &subject.id);
        match self {
            Self::Create => {
                let new = lunch(vec![ben()]);
                calendar.create(of, &new, KEY).await.map(drop)
            }
            Self::Move => {
                let words = sorry();
                let moved = calendar.reschedule(of, id, later(), Some(&words), KEY);
                moved.await.map(drop)
            }
            Self::Cancel | Self::Delete => calendar.cancel(of, id, true, KEY).await.map(drop),
            Self::Answer => calendar.respond(of, id, &no(), KEY).await.map(drop),
        }
    }

    async fn look(
        self,
        calendar: &Microsoft,
        subject: &Event,
    ) -> Result<Option<Event>, AccountError> {
        let (of, id) = (&account(), &subject.id);
        match self {
            Self::Create => calendar.find_created(of, KEY).await,
            Self::Move => calendar.find_moved(of, id, later(), KEY).await,
            Self::Cancel | Self::Delete => calendar.find_cancelled(of, id, KEY).await,
            Self::Answer => calendar.find_responded(of, id, no().attendance, KEY).await,
        }
    }
}

/// As a run does: it looks, and repeats what certainly didn't happen. Where nobody can tell, its look is later.
async fn settled(world: &World, calendar: &Microsoft, (change, subject): (Change, &Event)) {
    for _ in 0..10 {
        match change.look(calendar, subject).await {
            Ok(Some(_)) => return,
            Ok(None) => {
                let done = change.ask(calendar, subject).await;
                if let Err(AccountError::Refused { reason }) = done {
                    panic!("{change:?}: {reason}");
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {
                world.clock.advance(LATER);
            }
            Err(error) => panic!("{change:?}: {error}"),
        }
    }
    panic!("{change:?}: it was never made");
}

/// It was made, others were told once, and asking again changes nothing.
async fn made_once(world: &World, calendar: &Microsoft, what: (Change, &Event), case: &str) {
    settled(world, calendar, what).await;
    let (change, subject) = what;
    assert_eq!(world.told(), change.told(), "{case}");
    let again = change.ask(calendar, subject).await;
    assert!(again.is_ok(), "{case}: {again:?}");
    assert_eq!(world.told(), change.told(), "{case}");
}

#[tokio::test]
async fn whatever_call_fails_in_whatever_way_it_is_made_once() {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter(503),
        Fault::Error(429, "ApplicationThrottled", Some(1)),
        Fault::Error(503, "ServiceUnavailable", Some(1)),
    ];
    for change in CHANGES {
        for (call, times) in change
            .calls()
            .iter()
            .flat_map(|call| [(call, 1), (call, 4)])
        {
            for fault in &faults {
                let world = World::new().await;
                let subject = change.subject(&world).await;
                world.graph().fail_next(call, times, fault.clone());
                let case = format!("{change:?} {call} {fault:?} {times} times");
                let first = change.ask(&world.mail, &subject).await;
                let refused = matches!(first, Err(AccountError::Refused { .. }));
                assert!(!refused, "{case}: {first:?}");
                // What is only read, or kept from being made twice by Graph or by its version, needs nobody's look.
                let passes = times == 1 && change != Change::Answer;
                assert!(first.is_ok() || !passes, "{case}: {first:?}");
                made_once(&world, &world.again(), (change, &subject), &case).await;
            }
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_at_any_call_leaves_it_to_the_next() {
    for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
        for change in CHANGES {
            for call in change.calls() {
                let world = World::new().await;
                let subject = change.subject(&world).await;
                let mut gate = world.graph().hold(call, hold);
                let (dying, about) = (world.mail.clone(), subject.clone());
                let task = tokio::spawn(async move { change.ask(&dying, &about).await });
                let held = gate.arrived().await;
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
                held.release(Release::Drop);
                drop(gate);
                let case = format!("{change:?} {call} {hold:?}");
                made_once(&world, &world.again(), (change, &subject), &case).await;
            }
        }
    }
}

#[tokio::test]
async fn two_processes_at_once_make_one() {
    for change in CHANGES {
        let world = World::new().await;
        let subject = change.subject(&world).await;
        let other = world.again();
        let ask = |calendar| change.ask(calendar, &subject);
        let (a, b, c) = tokio::join!(ask(&world.mail), ask(&other), ask(&world.mail));
        assert!([a, b, c].iter().any(Result::is_ok), "{change:?}");
        made_once(&world, &other, (change, &subject), "both").await;
    }
}

#[tokio::test]
async fn what_is_refused_didnt_happen() {
    for change in CHANGES {
        let world = World::new().await;
        let subject = change.subject(&world).await;
        let fault = |status, code| Fault::Error(status, code, None);
        let call = change.calls()[0];
        world
            .graph()
            .fail_next(call, 1, fault(400, "ErrorInvalidRequest"));
        let refused = change.ask(&world.mail, &subject).await.unwrap_err();
        assert!(
            matches!(refused, AccountError::Refused { .. }),
            "{change:?}: {refused}"
        );
        assert_eq!(change.look(&world.mail, &subject).await.unwrap(), None);
        assert_eq!(world.told(), []);
        world
            .graph()
            .fail_next(call, 1, fault(403, "ErrorAccessDenied"));
        let missing = change.ask(&world.mail, &subject).await;
        let calendar = AccountService::Calendar;
        assert!(
            matches!(missing, Err(AccountError::NotGranted(of)) if of == calendar),
            "{change:?}: {missing:?}"
        );
        made_once(&world, &world.mail, (change, &subject), "refused").await;
    }
}

#[tokio::test]
async fn an_answer_that_may_be_on_its_way_isnt_given_again() {
    let world = World::new().await;
    let subject = Change::Answer.subject(&world).await;
    world
        .graph()
        .fail_next("events.decline", 1, Fault::DropBefore);
    for _ in 0..2 {
        let lost = Change::Answer.ask(&world.mail, &subject).await;
        assert!(
            matches!(lost, Err(AccountError::Unknown { .. })),
            "{lost:?}"
        );
        let look = Change::Answer.look(&world.mail, &subject).await;
        assert!(
            matches!(look, Err(AccountError::Unknown { .. })),
            "{look:?}"
        );
    }
    assert_eq!(world.calls("events.decline"), 1);
    world.clock.advance(LATER);
    made_once(&world, &world.mail, (Change::Answer, &subject), "later").await;
}

#[tokio::test]
async fn an_event_that_changes_or_goes_meanwhile_is_read_again() {
    for goes in [false, true] {
        let world = World::new().await;
        let subject = Change::Move.subject(&world).await;
        let mut gate = world.graph().hold("events.patch", Hold::BeforeEffect);
        let meanwhile = async {
            let held = gate.arrived().await;
            let calendar = &mut world.mailbox().calendar;
            if goes {
                calendar.take_out(subject.id.as_str());
            } else {
                calendar.relocate(subject.id.as_str(), "Room 9");
            }
            held.release(Release::Complete);
            drop(gate);
        };
        let (done, ()) = tokio::join!(Change::Move.ask(&world.mail, &subject), meanwhile);
        if goes {
            let gone = alfred_core::text::EVENT_GONE.to_owned();
            let told = matches!(&done, Err(AccountError::Refused { reason }) if *reason == gone);
            assert!(told, "{done:?}");
            continue;
        }
        done.unwrap();
        assert_eq!(world.calls("events.patch"), 2);
        assert_eq!(world.told(), Change::Move.told());
        assert_eq!(world.named("Team").await.location, "Room 9");
    }
    let world = World::new().await;
    let subject = Change::Move.subject(&world).await;
    let fault = Fault::Error(412, "ErrorIrresolvableConflict", None);
    world.graph().fail_next("events.patch", 2, fault);
    let changing = Change::Move.ask(&world.mail, &subject).await;
    let told = matches!(changing, Err(AccountError::NotReached { .. }));
    assert!(told, "{changing:?}");
    assert_eq!(world.told(), []);
}

#[tokio::test]
async fn what_was_made_and_taken_out_isnt_made_again() {
    let world = World::new().await;
    let (calendar, of) = (&world.mail, account());
    let made = calendar
        .create(&of, &lunch(vec![ben()]), KEY)
        .await
        .unwrap();
    world.mailbox().calendar.take_out(made.id.as_str());
    let again = world.again().create(&of, &lunch(vec![ben()]), KEY).await;
    assert_eq!(again.unwrap(), made);
    assert_eq!(calendar.find_created(&of, KEY).await.unwrap(), Some(made));
    assert_eq!(world.calls("events.create"), 1);
    assert_eq!(world.told(), Change::Create.told());
}
