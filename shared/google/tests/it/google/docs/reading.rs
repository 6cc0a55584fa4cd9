//! What is read of a document, and who may do what.

use alfred_core::ports::Documents;
use alfred_core::text;

use super::{append, plan, replace, with_plan};
use crate::google::support::{World, account, reason};

#[tokio::test]
async fn a_reader_may_change_nothing() {
    let world = with_plan("one").await;
    let change = world.made_for_now(append("two")).await;
    world.file("plan", |file| file.editable = false);
    let read = world.read_plan().await;
    assert!(!read.may_edit && !read.revision.is_empty());
    assert_eq!(read.text, "one");
    let changed = reason(world.change(&change, "a").await);
    assert_eq!(changed, text::DOCUMENT_READ_ONLY);
}

#[tokio::test]
async fn a_document_that_is_gone_is_nothing() {
    let world = with_plan("one").await;
    let change = world.made_for_now(append("two")).await;
    let gone: [fn(&World); 2] = [
        |world| world.file("plan", |file| file.trashed = true),
        |world| {
            world.ana(|account| account.drive.remove("plan"));
        },
    ];
    for gone in gone {
        gone(&world);
        assert_eq!(world.google.read(&account(), &plan()).await.unwrap(), None);
        let changed = reason(world.change(&change, "a").await);
        assert_eq!(changed, text::DOCUMENT_GONE);
        let found = world.google.find(&account(), &[], 10).await.unwrap();
        assert_eq!(found, []);
    }
}

#[tokio::test]
async fn pictures_are_left_out() {
    let picture = "[image1]: <data:image/png;base64,iVBORw0KGgo=>";
    let world = with_plan(&format!("See ![][image1]\n\n{picture}\nend")).await;
    assert_eq!(world.read_plan().await.text, "See ![][image1]\n\nend");
}

#[tokio::test]
async fn a_long_document_is_cut_and_still_changed_at_its_end() {
    let words = "Grüße aus dem Wald, und noch ein paar Worte mehr, damit es lang wird. ";
    let lines = format!("{}\n", words.repeat(10)).repeat(1_400);
    let world = with_plan(&lines).await;
    let read = world.read_plan().await;
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
    let world = with_plan("one").await;
    let change = world.made_for_now(append("two")).await;
    let read = world.all_calls();
    world.change(&change, "a").await.unwrap();
    let changed = world.all_calls();
    world.create_document("one").await.unwrap();
    let created = world.all_calls();
    assert_eq!((read, changed - read, created - changed), (3, 6, 5));
}
