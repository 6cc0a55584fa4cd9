//! Whatever is lost on the way, a document is made once, and changed once.

use alfred_core::ports::{AccountError, DocumentChange, Documents, Edit};
use alfred_core::text;
use alfred_google::Google;
use alfred_google_local::{Fault, Hold, Options, Release};
use std::time::Duration;

use super::{CREATE, KEY, UPDATE, append, plan, replace, with_plan};
use crate::google::once::{Effect, once};
use crate::google::support::{World, account, is_unknown, reason};

const EXPORT: &str = "drive.files.export";
const FILE: &str = "drive.files.get";
const GET: &str = "docs.documents.get";
const LIST: &str = "drive.files.list";
const SEARCH_LAG: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
enum Change {
    Create,
    Append,
    Replace,
}

impl Change {
    fn edit(self) -> Edit {
        match self {
            Self::Replace => replace("one", "two"),
            _ => append("two"),
        }
    }
}

impl Effect for Change {
    fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Create => &[LIST, CREATE, GET, EXPORT, FILE],
            _ => &[GET, UPDATE, EXPORT, FILE],
        }
    }

    async fn world(self) -> World {
        with_plan("one").await
    }

    async fn make(self, google: &Google) -> Result<(), AccountError> {
        if let Self::Create = self {
            let made = google.create(&account(), "Agenda", "two", KEY).await;
            return made.map(drop);
        }
        let change = DocumentChange {
            edit: self.edit(),
            // The stand-in's first.
            revision: "ALm37BV000001".into(),
        };
        let changed = google.change(&account(), &plan(), &change, KEY).await;
        changed.map(drop)
    }

    async fn is_found(self, _: &World, google: &Google) -> Result<bool, AccountError> {
        let found = match self {
            Self::Create => google.find_created(&account(), KEY).await?,
            _ => google.find_changed(&account(), &plan(), KEY).await?,
        };
        Ok(found.is_some())
    }

    fn count(self, world: &World) -> usize {
        match self {
            Self::Create => world.files("Agenda").len(),
            _ => {
                let text = world.document(|document| document.markdown());
                text.matches("two").count()
            }
        }
    }

    fn check(self, world: &World) {
        if !matches!(self, Self::Create) {
            let text = world.document(|document| document.markdown());
            assert_eq!(text, self.edit().applied_to("one").unwrap());
        }
    }
}

#[tokio::test]
async fn a_document_is_made_once() {
    once(Change::Create).await;
}

#[tokio::test]
async fn a_document_is_changed_once() {
    once(Change::Append).await;
    once(Change::Replace).await;
}

#[tokio::test]
async fn a_created_document_in_the_bin_is_not_made_again() {
    let world = World::new().await;
    let made = world.create_document("one").await.unwrap();
    world.file(made.summary.id.as_str(), |file| file.trashed = true);
    assert!(is_unknown(&world.created_document().await));
    assert!(is_unknown(&world.create_document("one").await));
    assert_eq!(world.files("Agenda").len(), 1);
}

async fn with_search_lag() -> World {
    World::with(Options {
        search_lag: SEARCH_LAG,
        ..Options::default()
    })
    .await
}

#[tokio::test]
async fn a_lost_creation_is_unknown_until_the_search_shows_it() {
    let world = with_search_lag().await;
    world.local().fail_next(CREATE, 1, Fault::DropAfter);
    assert!(is_unknown(&world.create_document("one").await));
    assert!(is_unknown(&world.created_document().await));
    assert!(is_unknown(&world.create_document("one").await));
    world.clock.advance(SEARCH_LAG);
    let found = world.created_document().await.unwrap();
    assert_eq!(found.unwrap().text, "one");
    world.create_document("one").await.unwrap();
    assert_eq!(world.files("Agenda").len(), 1);
}

#[tokio::test]
async fn what_is_made_is_found_before_the_search_shows_it() {
    let world = with_search_lag().await;
    let made = world.create_document("one").await.unwrap();
    assert_eq!(world.created_document().await.unwrap(), Some(made.clone()));
    assert_eq!(world.create_document("one").await.unwrap(), made);
    assert_eq!(world.files("Agenda").len(), 1);
}

#[tokio::test]
async fn who_writes_between_look_and_change_is_not_overwritten() {
    for edit in [replace("two", "zwei"), append("three")] {
        let world = with_plan("one\ntwo").await;
        let change = world.made_for_now(edit).await;
        let mut gate = world.local().hold(UPDATE, Hold::BeforeEffect);
        let other = async {
            let held = gate.arrived().await;
            drop(gate);
            world.document(|document| document.rewrite("zero\none\ntwo"));
            held.release(Release::Complete);
        };
        let (changed, ()) = tokio::join!(world.change(&change, "key"), other);
        assert_eq!(reason(changed), text::DOCUMENT_CHANGED);
        assert_eq!(world.read_plan().await.text, "zero\none\ntwo");
        assert_eq!(world.find_changed("key").await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_change_without_its_stamp_is_not_repeated() {
    let world = with_plan("one").await;
    let change = world.made_for_now(append("two")).await;
    world.change(&change, "key").await.unwrap();
    world.document(|document| document.rewrite("other\nwords"));
    let again = world.change(&change, "key").await.unwrap();
    assert_eq!(again.text, "other\nwords");
    world.document(|document| document.named_ranges().clear());
    assert_eq!(world.find_changed("key").await.unwrap(), None);
    let changed = reason(world.change(&change, "key").await);
    assert_eq!(changed, text::DOCUMENT_CHANGED);
    assert_eq!(world.read_plan().await.text, "other\nwords");
}

#[tokio::test]
async fn the_newest_fifty_stamps_are_kept() {
    let world = with_plan("one").await;
    // Most of the time would go into comparing hundreds of calls with Google's descriptions.
    world.local().observe(|_| {});
    for n in 0..60 {
        world.clock.advance(Duration::from_secs(1));
        let edited = world.edit(append("more"), &format!("key {n}")).await;
        edited.unwrap();
    }
    assert_eq!(world.document(|document| document.named_ranges().len()), 50);
    for n in 10..60 {
        let found = world.find_changed(&format!("key {n}")).await;
        assert!(found.unwrap().is_some(), "{n}");
    }
    // Whether an older one was made nobody can tell; a day later nobody asks.
    assert!(is_unknown(&world.find_changed("key 9").await));
    world.clock.advance(Duration::from_secs(86_400));
    assert_eq!(world.find_changed("new").await.unwrap(), None);
}
