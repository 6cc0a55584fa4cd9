//! Whatever is lost on the way, a document is made once, and changed once.

use alfred_core::ports::{AccountError, Document, DocumentChange, Documents};
use alfred_core::text;
use alfred_google_local::{Fault, Hold, Options, Release};
use std::time::Duration;

use super::{UPDATE, World, append, plan, reason, replace};
use crate::google::support::account;

const CREATE: &str = "drive.files.create";
const EXPORT: &str = "drive.files.export";
const FILE: &str = "drive.files.get";
const GET: &str = "docs.documents.get";
const LIST: &str = "drive.files.list";

fn faults() -> [Fault; 5] {
    [
        Fault::DropBefore,
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 503 },
        Fault::Error {
            status: 429,
            reason: "rateLimitExceeded",
            retry_after: Some(60),
        },
    ]
}

/// Each call fails once, or as often as it is tried. A garbled export can't be told from a text.
fn cases(calls: &'static [&'static str]) -> Vec<(Fault, &'static str, u32)> {
    let mut cases = Vec::new();
    for fault in faults() {
        for call in calls {
            if (&fault, *call) != (&Fault::GarbledAfter, EXPORT) {
                cases.extend([1, 4].map(|times| (fault.clone(), *call, times)));
            }
        }
    }
    cases
}

fn is_unknown<T: std::fmt::Debug>(result: Result<T, AccountError>) -> bool {
    matches!(result, Err(AccountError::Unknown { .. }))
}

#[tokio::test]
async fn whatever_call_fails_one_document_is_made() {
    let calls = &[LIST, CREATE, GET, EXPORT, FILE];
    for (fault, call, times) in cases(calls) {
        let world = World::new().await;
        let case = format!("{call} {fault:?} {times} times");
        world.running.google.fail_next(call, times, fault);
        let first = world.create("one\n").await;
        let is_refused = matches!(first, Err(AccountError::Refused { .. }));
        assert!(!is_refused, "{case}: {first:?}");
        let made = made(&world, &case).await;
        assert_eq!(made.text, "one\n", "{case}");
        assert_eq!(world.files().len(), 1, "{case}");
    }
}

/// As a run does: it looks, and repeats what certainly didn't happen; once more when it was done.
async fn made(world: &World, case: &str) -> Document {
    for _ in 0..8 {
        match world.find_created().await {
            Ok(_) => {
                if let Ok(made) = world.create("one\n").await {
                    return made;
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
        world.clock.advance(Duration::from_secs(120));
    }
    panic!("{case}: it was never made");
}

#[tokio::test]
async fn whatever_call_fails_a_document_is_changed_once() {
    for edit in [append("two"), replace("one", "two")] {
        for (fault, call, times) in cases(&[GET, UPDATE, EXPORT, FILE]) {
            let world = World::of("one").await;
            let case = format!("{call} {fault:?} {times} times, {edit:?}");
            let change = world.made_for_now(edit.clone()).await;
            world.running.google.fail_next(call, times, fault);
            let first = world.change(&change, "key").await;
            let is_refused = matches!(first, Err(AccountError::Refused { .. }));
            assert!(!is_refused, "{case}: {first:?}");
            settled(&world, &change, &case).await;
            let expected = edit.applied_to("one").unwrap();
            assert_eq!(world.read().await.text, expected, "{case}");
        }
    }
}

/// As a run does: it looks, and repeats what certainly didn't happen.
async fn settled(world: &World, change: &DocumentChange, case: &str) {
    for _ in 0..8 {
        match world.find_changed("key").await {
            Ok(Some(_)) => return,
            Ok(None) => {
                if world.change(change, "key").await.is_ok() {
                    return;
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
    }
    panic!("{case}: it was never done");
}

#[tokio::test]
async fn a_created_document_in_the_bin_is_not_made_again() {
    let world = World::new().await;
    let made = world.create("one").await.unwrap();
    world.file(made.summary.id.as_str(), |file| file.trashed = true);
    assert!(is_unknown(world.find_created().await));
    assert!(is_unknown(world.create("one").await));
    assert_eq!(world.files().len(), 1);
}

#[tokio::test]
async fn a_lost_creation_is_unknown_until_the_search_shows_it() {
    let search_lag = Duration::from_secs(60);
    let options = Options {
        search_lag,
        ..Options::default()
    };
    let world = World::with(options).await;
    world.running.google.fail_next(CREATE, 1, Fault::DropAfter);
    assert!(is_unknown(world.create("one").await));
    assert!(is_unknown(world.find_created().await));
    assert!(is_unknown(world.create("one").await));
    world.clock.advance(search_lag);
    let found = world.find_created().await.unwrap();
    assert_eq!(found.unwrap().text, "one");
    world.create("one").await.unwrap();
    assert_eq!(world.files().len(), 1);
}

#[tokio::test]
async fn what_is_made_is_found_before_the_search_shows_it() {
    let options = Options {
        search_lag: Duration::from_secs(60),
        ..Options::default()
    };
    let world = World::with(options).await;
    let made = world.create("one").await.unwrap();
    assert_eq!(world.find_created().await.unwrap(), Some(made.clone()));
    assert_eq!(world.create("one").await.unwrap(), made);
    assert_eq!(world.files().len(), 1);
}

#[tokio::test]
async fn who_writes_between_look_and_change_is_not_overwritten() {
    for edit in [replace("two", "zwei"), append("three")] {
        let world = World::of("one\ntwo").await;
        let change = world.made_for_now(edit).await;
        let mut gate = world.running.google.hold(UPDATE, Hold::BeforeEffect);
        let google = world.google.clone();
        let task =
            tokio::spawn(async move { google.change(&account(), &plan(), &change, "key").await });
        let held = gate.arrived().await;
        drop(gate);
        world.document(|document| document.rewrite("zero\none\ntwo"));
        held.release(Release::Complete);
        assert_eq!(reason(task.await.unwrap()), text::DOCUMENT_CHANGED);
        assert_eq!(world.read().await.text, "zero\none\ntwo");
        assert_eq!(world.find_changed("key").await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_change_without_its_stamp_is_not_repeated() {
    let world = World::of("one").await;
    let change = world.made_for_now(append("two")).await;
    world.change(&change, "key").await.unwrap();
    world.document(|document| document.rewrite("other\nwords"));
    let again = world.change(&change, "key").await.unwrap();
    assert_eq!(again.text, "other\nwords");
    world.document(|document| document.named_ranges().clear());
    assert_eq!(world.find_changed("key").await.unwrap(), None);
    assert_eq!(
        reason(world.change(&change, "key").await),
        text::DOCUMENT_CHANGED
    );
    assert_eq!(world.read().await.text, "other\nwords");
}

#[tokio::test]
async fn the_newest_fifty_stamps_are_kept() {
    let world = World::of("one").await;
    // Most of the time would go into comparing hundreds of calls with Google's descriptions.
    world.running.google.observe(|_| {});
    for n in 0..60 {
        world.clock.advance(Duration::from_secs(1));
        world
            .edit(append("more"), &format!("key {n}"))
            .await
            .unwrap();
    }
    assert_eq!(world.document(|document| document.named_ranges().len()), 50);
    for n in 10..60 {
        let found = world.find_changed(&format!("key {n}")).await;
        assert!(found.unwrap().is_some(), "{n}");
    }
    // Whether an older one was made nobody can tell; a day later nobody asks.
    assert!(is_unknown(world.find_changed("key 9").await));
    world.clock.advance(Duration::from_secs(86_400));
    assert_eq!(world.find_changed("new").await.unwrap(), None);
}
