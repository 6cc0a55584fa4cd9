//! Whatever is lost on the way, a document is made once, and changed once.

use alfred_core::ports::{AccountError, Document, DocumentChange, Documents};
use alfred_core::text;
use alfred_google_local::{Fault, Hold, Release};
use serde_json::json;

use super::{UPDATE, World, append, plan, reason, replace};
use crate::google::support::account;

const CREATE: &str = "drive.files.create";

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

#[tokio::test]
async fn whatever_call_fails_one_document_is_made() {
    let calls = [
        "drive.files.list",
        CREATE,
        "docs.documents.get",
        UPDATE,
        "drive.files.get",
    ];
    for fault in faults() {
        for (call, times) in calls.into_iter().flat_map(|call| [(call, 1), (call, 4)]) {
            let world = World::new().await;
            let case = format!("{call} {fault:?} {times} times");
            world.running.google.fail_next(call, times, fault.clone());
            let first = create(&world).await;
            assert!(
                !matches!(first, Err(AccountError::Refused { .. })),
                "{case}: {first:?}"
            );
            let made = made(&world, &case).await;
            assert_eq!(made.text, "one\n", "{case}");
            let found = world.google.find_created(&account(), "key").await;
            assert_eq!(found.unwrap(), Some(made), "{case}");
            assert_eq!(world.files().len(), 1, "{case}");
        }
    }
}

async fn create(world: &World) -> Result<Document, AccountError> {
    let account = account();
    world
        .google
        .create(&account, "Agenda", "one\n", "key")
        .await
}

/// As a run does: it looks, and repeats what certainly didn't happen; once more when it was done.
async fn made(world: &World, case: &str) -> Document {
    for _ in 0..8 {
        match world.google.find_created(&account(), "key").await {
            Ok(_) => {
                if let Ok(made) = create(world).await {
                    return made;
                }
            }
            Err(AccountError::NotReached { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
    }
    panic!("{case}: it was never made");
}

#[tokio::test]
async fn whatever_call_fails_a_document_is_changed_once() {
    let calls = ["docs.documents.get", UPDATE, "drive.files.get"];
    for fault in faults() {
        for as_suggestion in [false, true] {
            for (call, times) in calls.into_iter().flat_map(|call| [(call, 1), (call, 4)]) {
                let world = World::of("one").await;
                let case = format!("{call} {fault:?} {times} times, {as_suggestion}");
                let change = DocumentChange {
                    edit: append("two"),
                    revision: world.read().await.revision,
                    as_suggestion,
                };
                world.running.google.fail_next(call, times, fault.clone());
                let first = world.change(&change, "key").await;
                assert!(
                    !matches!(first, Err(AccountError::Refused { .. })),
                    "{case}: {first:?}"
                );
                let done = settled(&world, &change, &case).await;
                world.document("plan", |document| document.settle(true));
                assert_eq!(world.read().await.text, "one\ntwo", "{case}");
                assert_eq!(
                    done.text,
                    if as_suggestion { "one" } else { "one\ntwo" },
                    "{case}"
                );
            }
        }
    }
}

/// As a run does: it looks, and repeats what certainly didn't happen.
async fn settled(world: &World, change: &DocumentChange, case: &str) -> Document {
    for _ in 0..8 {
        match world.google.find_changed(&account(), &plan(), "key").await {
            Ok(Some(done)) => return done,
            Ok(None) => {
                if let Ok(done) = world.change(change, "key").await {
                    return done;
                }
            }
            Err(AccountError::NotReached { .. } | AccountError::Unknown { .. }) => {}
            Err(error) => panic!("{case}: {error}"),
        }
    }
    panic!("{case}: it was never done");
}

#[tokio::test]
async fn a_document_without_its_text_is_completed() {
    let world = World::new().await;
    let mut gate = world.running.google.hold(UPDATE, Hold::BeforeEffect);
    let google = world.google.clone();
    let task = tokio::spawn(async move { google.create(&account(), "Agenda", "one", "key").await });
    let held = gate.arrived().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    held.release(Release::Drop);
    drop(gate);
    assert_eq!(world.files().len(), 1);
    let found = world.google.find_created(&account(), "key").await.unwrap();
    assert_eq!(found, None);
    let made = world
        .google
        .create(&account(), "Agenda", "one", "key")
        .await
        .unwrap();
    assert_eq!(made.text, "one");
    let found = world.google.find_created(&account(), "key").await.unwrap();
    assert_eq!(found, Some(made.clone()));
    assert_eq!(world.files().len(), 1);
    // Whoever empties it doesn't get the text again; nor does one who removes the mark.
    let id = made.summary.id.as_str();
    let delete = json!([{"deleteContentRange": {"range": {"startIndex": 1, "endIndex": 4}}}]);
    world.document(id, |document| document.change(&delete).unwrap());
    let again = world
        .google
        .create(&account(), "Agenda", "one", "key")
        .await
        .unwrap();
    assert_eq!(again.text, "");
    let insert = json!([{"insertText": {"text": "mine", "location": {"index": 1}}}]);
    world.document(id, |document| {
        let (name, _) = document.named_ranges().remove(0);
        document
            .change(&json!([{"deleteNamedRange": {"name": name}}]))
            .unwrap();
        document.change(&insert).unwrap();
    });
    let again = world
        .google
        .create(&account(), "Agenda", "one", "key")
        .await
        .unwrap();
    assert_eq!(again.text, "mine");
    // In the bin nobody can tell what is wanted.
    world.file(id, |file| file.trashed = true);
    let found = world.google.find_created(&account(), "key").await;
    assert!(
        matches!(found, Err(AccountError::Unknown { .. })),
        "{found:?}"
    );
    let again = world
        .google
        .create(&account(), "Agenda", "one", "key")
        .await;
    assert!(
        matches!(again, Err(AccountError::Unknown { .. })),
        "{again:?}"
    );
}

#[tokio::test]
async fn who_writes_between_look_and_change_is_not_overwritten() {
    let world = World::of("one\ntwo").await;
    let change = DocumentChange {
        edit: replace("two", "zwei"),
        revision: world.read().await.revision,
        as_suggestion: false,
    };
    let mut gate = world.running.google.hold(UPDATE, Hold::BeforeEffect);
    let google = world.google.clone();
    let asked = change.clone();
    let task = tokio::spawn(async move { google.change(&account(), &plan(), &asked, "key").await });
    let held = gate.arrived().await;
    drop(gate);
    let insert = json!([{"insertText": {"text": "zero\n", "location": {"index": 1}}}]);
    world.document("plan", |document| document.change(&insert).unwrap());
    held.release(Release::Complete);
    assert_eq!(reason(task.await.unwrap()), text::DOCUMENT_CHANGED);
    assert_eq!(world.read().await.text, "zero\none\ntwo");
    let found = world.google.find_changed(&account(), &plan(), "key").await;
    assert_eq!(found.unwrap(), None);
}

#[tokio::test]
async fn the_mark_of_a_change_outlives_other_changes_and_without_it_nothing_is_repeated() {
    let world = World::of("one").await;
    let change = DocumentChange {
        edit: append("two"),
        revision: world.read().await.revision,
        as_suggestion: false,
    };
    world.change(&change, "key").await.unwrap();
    // Everything is deleted, and something else written.
    let others = json!([
        {"deleteContentRange": {"range": {"startIndex": 1, "endIndex": 8}}},
        {"insertText": {"text": "other\nwords", "location": {"index": 1}}},
    ]);
    world.document("plan", |document| document.change(&others).unwrap());
    let again = world.change(&change, "key").await.unwrap();
    assert_eq!(again.text, "other\nwords");
    let named = world.document("plan", |document| document.named_ranges());
    assert_eq!(named[0].1, 12..13);
    let name = &named[0].0;
    let delete = json!([{"deleteNamedRange": {"name": name}}]);
    world.document("plan", |document| document.change(&delete).unwrap());
    let found = world.google.find_changed(&account(), &plan(), "key").await;
    assert_eq!(found.unwrap(), None);
    assert_eq!(
        reason(world.change(&change, "key").await),
        text::DOCUMENT_CHANGED
    );
    assert_eq!(world.read().await.text, "other\nwords");
}
