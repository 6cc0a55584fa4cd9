//! A mail is sent and an event is changed once, whatever call fails, and nobody is told twice.

use alfred_core::ports::{AccountError, AccountService};
use alfred_loopback::{Hold, Release};

use crate::microsoft::case::{CHANGES, Case, Change};
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
