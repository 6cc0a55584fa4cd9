//! A mail is sent and an event is changed once, whatever call fails, and nobody is told twice.

use alfred_core::ports::{AccountError, AccountService};
use alfred_loopback::{Hold, Release};

use crate::microsoft::case::{CHANGES, Case, Change, LATER};
use crate::outlook::Fault;

#[tokio::test]
async fn whatever_call_fails_in_whatever_way_it_is_made_once() {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter(503),
        Fault::Error(429, "ApplicationThrottled", Some("1")),
        Fault::Error(503, "ServiceUnavailable", Some("1")),
    ];
    for change in CHANGES {
        // One failure, and as many as a call has attempts.
        let calls = change.calls().iter();
        for (call, times) in calls.flat_map(|call| [(call, 1), (call, 4)]) {
            for fault in &faults {
                let one = Case::new(change).await;
                one.world.graph().fail_next(call, times, fault.clone());
                let case = format!("{change:?} {call} {fault:?} {times} times");
                let first = one.ask(&one.world.mail).await;
                let refused = matches!(first, Err(AccountError::Refused { .. }));
                assert!(!refused, "{case}: {first:?}");
                // Graph or the event's version keeps these from being made twice, so the call is repeated.
                let is_mail = matches!(change, Change::Send | Change::SendLater);
                let repeats = times == 1 && change != Change::Answer && !is_mail;
                assert!(first.is_ok() || !repeats, "{case}: {first:?}");
                one.made_once(&one.world.again(), &case).await;
            }
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_at_any_call_leaves_it_to_the_next() {
    for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
        for change in CHANGES {
            for call in change.calls() {
                let one = Case::new(change).await;
                let mut gate = one.world.graph().hold(call, hold);
                let (dying, subject) = (one.world.mail.clone(), one.subject.clone());
                let task = tokio::spawn(async move { change.ask(&dying, &subject).await });
                let held = gate.arrived().await;
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
                held.release(Release::Drop);
                drop(gate);
                let case = format!("{change:?} {call} {hold:?}");
                one.made_once(&one.world.again(), &case).await;
            }
        }
    }
}

#[tokio::test]
async fn two_processes_at_once_make_one() {
    for change in CHANGES {
        let one = Case::new(change).await;
        let (mail, other) = (&one.world.mail, one.world.again());
        let (a, b, c) = tokio::join!(one.ask(mail), one.ask(&other), one.ask(mail));
        assert!([a, b, c].iter().any(Result::is_ok), "{change:?}");
        one.made_once(&other, "both").await;
    }
}

#[tokio::test]
async fn what_is_refused_didnt_happen() {
    for change in CHANGES {
        let one = Case::new(change).await;
        let (client, graph) = (&one.world.mail, one.world.graph());
        let call = change.calls()[0];
        graph.fail_next(call, 1, Fault::Error(400, "ErrorInvalidRequest", None));
        let refused = one.ask(client).await;
        let told = matches!(refused, Err(AccountError::Refused { .. }));
        assert!(told, "{change:?}: {refused:?}");
        assert!(!one.look(client).await.unwrap());
        assert_eq!(one.world.told(), []);
        graph.fail_next(call, 1, Fault::Error(403, "ErrorAccessDenied", None));
        let missing = one.ask(client).await;
        let service = match change {
            Change::Send | Change::SendLater => AccountService::MailSend,
            _ => AccountService::Calendar,
        };
        let told = matches!(missing, Err(AccountError::NotGranted(of)) if of == service);
        assert!(told, "{change:?}: {missing:?}");
        one.made_once(client, "refused").await;
    }
}

#[tokio::test]
async fn what_may_be_on_its_way_isnt_made_again() {
    for (change, fault) in [
        (Change::SendLater, Fault::DropAfter),
        (Change::Answer, Fault::DropBefore),
    ] {
        let one = Case::new(change).await;
        let client = &one.world.mail;
        one.world.graph().fail_next(change.calls()[0], 1, fault);
        for _ in 0..2 {
            let lost = one.ask(client).await;
            assert!(matches!(lost, Err(AccountError::Unknown { .. })));
            let look = one.look(client).await;
            assert!(matches!(look, Err(AccountError::Unknown { .. })));
        }
        assert_eq!(one.world.calls(change.calls()[0]), 1);
        one.world.mailbox().finish_sending();
        one.world.clock.advance(LATER);
        one.made_once(client, "later").await;
    }
}

#[tokio::test]
async fn an_event_that_changes_or_goes_meanwhile_is_read_again() {
    for goes in [false, true] {
        let one = Case::new(Change::Move).await;
        let world = &one.world;
        let mut gate = world.graph().hold("events.patch", Hold::BeforeEffect);
        let meanwhile = async {
            let held = gate.arrived().await;
            let calendar = &mut world.mailbox().calendar;
            if goes {
                calendar.take_out(one.subject.as_str());
            } else {
                calendar.relocate(one.subject.as_str(), "Room 9");
            }
            held.release(Release::Complete);
            drop(gate);
        };
        let (done, ()) = tokio::join!(one.ask(&world.mail), meanwhile);
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
    let one = Case::new(Change::Move).await;
    let fault = Fault::Error(412, "ErrorIrresolvableConflict", None);
    one.world.graph().fail_next("events.patch", 2, fault);
    let changing = one.ask(&one.world.mail).await;
    let told = matches!(changing, Err(AccountError::NotReached { .. }));
    assert!(told, "{changing:?}");
    assert_eq!(one.world.told(), []);
}
