//! What is read of a document, and who may do what.

use alfred_core::ports::Documents;
use alfred_core::text;

use super::{World, append, plan, reason, replace};
use crate::google::support::account;

#[tokio::test]
async fn a_reader_may_change_nothing() {
    let world = World::of("one").await;
    let change = world.made_for_now(append("two")).await;
    world.file("plan", |file| file.editable = false);
    let read = world.read().await;
    assert!(!read.may_edit && !read.revision.is_empty());
    assert_eq!(read.text, "one");
    assert_eq!(
        reason(world.change(&change, "a").await),
        text::DOCUMENT_READ_ONLY
    );
}

#[tokio::test]
async fn a_document_that_is_gone_is_nothing() {
    let world = World::of("one").await;
    let change = world.made_for_now(append("two")).await;
    let gone: [fn(&World); 3] = [
        |world| world.file("plan", |file| file.trashed = true),
        |world| world.file("plan", |file| (file.trashed, file.open) = (false, false)),
        |world| {
            let remove = |account: &mut alfred_google_local::Account| account.drive.remove("plan");
            world.running.google.with_account(super::ANA, remove);
        },
    ];
    for gone in gone {
        gone(&world);
        assert_eq!(world.google.read(&account(), &plan()).await.unwrap(), None);
        assert_eq!(
            reason(world.change(&change, "a").await),
            text::DOCUMENT_GONE
        );
        let found = world.google.find(&account(), &[], 10).await.unwrap();
        assert_eq!(found, []);
    }
}

#[tokio::test]
async fn pictures_are_left_out() {
    let picture = "[image1]: <data:image/png;base64,iVBORw0KGgo=>";
    let world = World::of(&format!("See ![][image1]\n\n{picture}\nend")).await;
    assert_eq!(world.read().await.text, "See ![][image1]\n\nend");
}

#[tokio::test]
async fn a_long_document_is_cut_and_still_changed_at_its_end() {
    let words = "Grüße aus dem Wald, und noch ein paar Worte mehr, damit es lang wird. ";
    let lines = format!("{}\n", words.repeat(10)).repeat(1_400);
    let world = World::of(&lines).await;
    let read = world.read().await;
    assert!(read.truncated && read.text.len() <= 1_000_000 && lines.starts_with(&read.text));
    let done = world.edit(append("The end."), "a").await.unwrap();
    assert_ne!(done.revision, read.revision);
    let done = world.edit(replace("The end.", "Ende"), "b").await.unwrap();
    assert!(done.truncated);
    let text = world.document(|document| document.markdown());
    assert_eq!(text, format!("{lines}Ende"));
}

#[tokio::test]
async fn calls_are_few() {
    let world = World::of("one").await;
    let calls = || world.running.google.call_counts().values().sum::<u64>();
    let change = world.made_for_now(append("two")).await;
    let read = calls();
    world.change(&change, "a").await.unwrap();
    let changed = calls();
    world.create("one").await.unwrap();
    assert_eq!((read, changed - read, calls() - changed), (3, 6, 5));
}
