//! Changes whose answers are lost, refused or late: nothing is made twice.

use alfred_core::ports::{AccountError, SheetChange, Sheets};
use alfred_google::Google;
use alfred_google_local::sheets::Entered;
use alfred_google_local::{Fault, Hold, Options, Release};
use std::time::Duration;

use super::{BUDGET, LOOK, VALUES, WRITE, append, one, range, text, update, with, world};
use crate::google::once::{Effect, once};
use crate::google::support::{World, account, is_unknown};

const KEY: &str = "key";

#[derive(Clone, Copy, Debug)]
enum Change {
    Create,
    Append,
    Update,
}

const CHANGES: [Change; 3] = [Change::Create, Change::Append, Change::Update];

impl Change {
    /// Of the budget, unless a sheet is created.
    fn change(self) -> SheetChange {
        match self {
            Self::Update => update("A1", one(text("Item")), one(text("Tree"))),
            _ => append(one(text("Ash"))),
        }
    }

    async fn make_in(self, world: &World) -> Result<(), AccountError> {
        self.make(&world.google).await
    }
}

impl Effect for Change {
    fn calls(self) -> &'static [&'static str] {
        match self {
            Self::Create => &[
                "drive.files.list",
                "drive.files.create",
                LOOK,
                WRITE,
                VALUES,
            ],
            _ => &["drive.files.get", LOOK, VALUES, WRITE],
        }
    }

    async fn world(self) -> World {
        world().await
    }

    async fn make(self, google: &Google) -> Result<(), AccountError> {
        if let Self::Create = self {
            let header = ["Name".to_owned()];
            let made = google.create(&account(), "Guests", &header, KEY).await;
            return made.map(drop);
        }
        let (of, id) = (account(), BUDGET.into());
        let changed = google.apply(&of, &id, &self.change(), KEY).await;
        changed.map(drop)
    }

    async fn is_found(self, _: &World, google: &Google) -> Result<bool, AccountError> {
        Ok(match self {
            Self::Create => google.find_created(&account(), KEY).await?.is_some(),
            _ => {
                let found = google.find_applied(&account(), &BUDGET.into(), KEY).await?;
                found.is_some()
            }
        })
    }

    /// A call that wrote nothing isn't repeated, nor is a lost creation of a file.
    fn survives(self, call: &str, fault: &Fault) -> bool {
        let wrote = matches!(
            fault,
            Fault::DropAfter | Fault::GarbledAfter | Fault::ErrorAfter { .. }
        );
        call != "drive.files.create" && (call != WRITE || wrote)
    }

    fn count(self, world: &World) -> usize {
        let holds = |id: &str, text: &str| {
            let wanted = Some(Entered::StringValue(text.into()));
            let column = world.first_column(id).into_iter();
            column.filter(|cell| *cell == wanted).count()
        };
        match self {
            Self::Create => {
                let ids = world.files("Guests");
                assert!(ids.len() <= 1, "{ids:?}");
                ids.iter().map(|id| holds(id, "Name")).sum()
            }
            Self::Append => holds(BUDGET, "Ash"),
            Self::Update => holds(BUDGET, "Tree"),
        }
    }
}

#[tokio::test]
async fn a_sheet_is_made_once() {
    once(Change::Create).await;
}

#[tokio::test]
async fn a_sheet_is_changed_once() {
    once(Change::Append).await;
    once(Change::Update).await;
}

#[tokio::test]
async fn while_nobody_can_look_the_outcome_is_unknown() {
    for change in [Change::Append, Change::Update] {
        let world = world().await;
        world.local().fail_next(WRITE, 1, Fault::DropAfter);
        let mut gate = world.local().hold(WRITE, Hold::AfterEffect);
        let then = async {
            let held = gate.arrived().await;
            world.local().fail_next("*", 99, Fault::DropBefore);
            held.release(Release::Complete);
            drop(gate);
        };
        let (done, ()) = tokio::join!(change.make_in(&world), then);
        assert!(is_unknown(&done), "{change:?}");
        assert_eq!(change.count(&world), 1);
    }
}

/// Both have seen that it wasn't made, so the stamp decides.
#[tokio::test]
async fn of_two_processes_one_makes_the_change() {
    for change in [Change::Append, Change::Update] {
        let world = world().await;
        let other = world.another_process();
        let mut gate = world.local().hold(WRITE, Hold::BeforeEffect);
        let second = async {
            let first = gate.arrived().await;
            let release = async { gate.arrived().await.release(Release::Complete) };
            let (done, ()) = tokio::join!(change.make(&other), release);
            first.release(Release::Complete);
            drop(gate);
            done
        };
        let (first, second) = tokio::join!(change.make_in(&world), second);
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        assert_eq!(world.calls(WRITE), 2);
        assert_eq!(change.count(&world), 1);
    }
}

#[tokio::test]
async fn what_is_in_the_bin_isnt_there_but_may_have_been_changed() {
    let world = world().await;
    Change::Append.make_in(&world).await.unwrap();
    Change::Create.make_in(&world).await.unwrap();
    let made = world.google.find_created(&account(), KEY).await.unwrap();
    let made = made.unwrap().summary.id;
    for id in [BUDGET, made.as_str()] {
        world.file(id, |file| file.trashed = true);
        assert_eq!(world.sheet(id).await, None);
        let (of, id, first) = (account(), id.into(), range("A1"));
        let read = world.google.read(&of, &id, &first).await;
        assert_eq!(read.unwrap(), None);
    }
    assert!(is_unknown(&world.find_applied(BUDGET, KEY).await));
    let created = world.google.find_created(&account(), KEY).await;
    assert!(is_unknown(&created));
    assert!(is_unknown(&Change::Create.make_in(&world).await));
    assert_eq!(world.google.find(&account(), &[], 10).await.unwrap(), []);
}

#[tokio::test]
async fn at_the_limit_of_a_minute_nothing_is_done_and_the_delay_is_named() {
    for change in CHANGES {
        let mut options = Options::default();
        options.quotas.sheets = 0;
        let world = with(options).await;
        match change.make_in(&world).await {
            Err(AccountError::NotReached { retry_after, .. }) => {
                assert_eq!(retry_after, Some(Duration::from_secs(60)), "{change:?}");
            }
            other => panic!("{change:?}: {other:?}"),
        }
        assert_eq!(change.count(&world), 0, "{change:?}");
    }
}
