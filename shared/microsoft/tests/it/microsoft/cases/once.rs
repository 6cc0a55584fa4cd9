//! A mail is sent and an event is changed once, whatever call fails, and nobody is told twice.

use alfred_core::ports::AccountError;
use alfred_loopback::{Hold, Release};
use std::pin::pin;

use super::Played;
use crate::outlook::{Fault, Refusal};

/// A change of `once.txt`, in the words of the other cases.
struct Change {
    name: &'static str,
    arrange: &'static str,
    make: &'static str,
    find: &'static str,
    /// The call that makes it, and all others.
    calls: Vec<&'static str>,
    told: &'static str,
    /// What `find` and `outbox` show of it.
    seen: &'static str,
}

fn changes() -> impl Iterator<Item = Change> {
    let blocks = include_str!("once.txt").trim_end().split("\n\n").skip(1);
    blocks.map(|block| {
        let lines: Vec<&str> = block.splitn(7, '\n').collect();
        let [name, arrange, make, find, calls, told, seen] = lines[..] else {
            panic!("{block}");
        };
        Change {
            name,
            arrange,
            make,
            find,
            calls: calls.split(' ').collect(),
            told,
            seen,
        }
    })
}

fn is_refused(made: &Result<String, AccountError>) -> bool {
    matches!(made, Err(AccountError::Refused { .. }))
}

impl Change {
    async fn arranged(&self) -> Played {
        let played = Played::new().await;
        played.calls(self.arrange).await;
        played
    }

    fn is_mail(&self) -> bool {
        self.make.starts_with("send ")
    }

    /// As a run does: it looks, and repeats what certainly didn't happen. While nobody knows, it looks later.
    async fn settle(&self, played: &Played, who: &str, case: &str) {
        for _ in 0..10 {
            match played.one(&format!("{who}{}", self.find)).await {
                Ok(found) if found == "none" => {
                    let made = played.one(&format!("{who}{}", self.make)).await;
                    assert!(!is_refused(&made), "{case}: {made:?}");
                }
                Ok(_) => return,
                // Longer than a call is taken to be at work.
                Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {
                    played.calls("wait 180").await;
                }
                Err(error) => panic!("{case}: {error}"),
            }
        }
        panic!("{case}: it never happened");
    }

    /// It is made, others are told once, and asking again changes nothing.
    async fn is_made_once(&self, played: &Played, who: &str, case: &str) {
        played.calls("finish").await;
        self.settle(played, who, case).await;
        let look = format!("{who}{}; {who}outbox", self.find);
        assert_eq!(played.calls(&look).await, self.seen, "{case}");
        assert_eq!(played.calls("told").await, self.told, "{case}");
        let again = played.one(&format!("{who}{}", self.make)).await;
        assert!(again.is_ok(), "{case}: {again:?}");
        assert_eq!(played.calls(&look).await, self.seen, "{case}");
        assert_eq!(played.calls("told").await, "nothing", "{case}");
    }
}

#[tokio::test]
async fn whatever_call_fails_in_whatever_way_it_is_made_once() {
    let faults = [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter(Refusal(503, "UnknownError", None)),
        Fault::Error(Refusal(429, "ApplicationThrottled", Some("1"))),
        Fault::Error(Refusal(503, "ServiceUnavailable", Some("1"))),
    ];
    for change in changes() {
        // One failure, and as many as a call has attempts.
        let calls = change.calls.iter();
        for (call, times) in calls.flat_map(|call| [(call, 1), (call, 4)]) {
            for fault in &faults {
                let case = format!("{} {call} {fault:?} {times} times", change.name);
                let played = change.arranged().await;
                let graph = played.outlook.graph();
                graph.fail_next(call, times, fault.clone());
                let first = played.one(change.make).await;
                assert!(!is_refused(&first), "{case}: {first:?}");
                // Graph or the event's version keeps these from being made twice, so the call is repeated.
                let repeats = times == 1 && change.name != "Answer" && !change.is_mail();
                assert!(first.is_ok() || !repeats, "{case}: {first:?}");
                change.is_made_once(&played, "again ", &case).await;
            }
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_at_any_call_leaves_it_to_the_next() {
    for hold in [Hold::BeforeEffect, Hold::AfterEffect] {
        for change in changes() {
            for call in &change.calls {
                let case = format!("{} {call} {hold:?}", change.name);
                let played = change.arranged().await;
                let mut gate = played.outlook.graph().hold(call, hold);
                let held = {
                    let mut dying = pin!(played.one(change.make));
                    tokio::select! {
                        held = gate.arrived() => held,
                        made = &mut dying => panic!("{case}: {made:?}"),
                    }
                };
                held.release(Release::Drop);
                drop(gate);
                change.is_made_once(&played, "again ", &case).await;
            }
        }
    }
}

#[tokio::test]
async fn two_processes_at_once_make_one() {
    for change in changes() {
        let played = change.arranged().await;
        let other = format!("again {}", change.make);
        let (here, other) = (|| played.one(change.make), played.one(&other));
        let (a, b, c) = tokio::join!(here(), other, here());
        assert!([a, b, c].iter().any(Result::is_ok), "{}", change.name);
        change.is_made_once(&played, "again ", "both").await;
    }
}

#[tokio::test]
async fn what_is_refused_didnt_happen() {
    for change in changes() {
        let (played, call) = (change.arranged().await, change.calls[0]);
        let graph = played.outlook.graph();
        let invalid = Refusal(400, "ErrorInvalidRequest", None);
        graph.fail_next(call, 1, Fault::Error(invalid));
        let refused = played.one(change.make).await;
        assert!(is_refused(&refused), "{}: {refused:?}", change.name);
        let look = format!("{}; told; outbox", change.find);
        let seen = played.calls(&look).await;
        assert!(seen.starts_with("none\nnothing"), "{}: {seen}", change.name);
        let denied = Refusal(403, "ErrorAccessDenied", None);
        graph.fail_next(call, 1, Fault::Error(denied));
        let missing = if change.is_mail() {
            "mail_send"
        } else {
            "calendar"
        };
        let told = played.calls(change.make).await;
        assert_eq!(told, format!("{missing} not granted"), "{}", change.name);
        change.is_made_once(&played, "", "refused").await;
    }
}
