//! Changes whose answers are lost, refused or late: nothing is made twice.

use alfred_core::id::SheetId;
use alfred_core::ports::{AccountError, SheetChange, Sheets};
use alfred_google_local::sheets::Entered;
use alfred_google_local::{Fault, Hold, Options, Release};
use std::time::Duration;

use super::{BUDGET, WRITE, World, append, one, range, text, update};
use crate::google::support::account;

const KEY: &str = "key";
const MAKE: &str = "drive.files.create";

/// A change that can be asked for.
#[derive(Clone, Copy, Debug)]
enum Change {
    Create,
    Append,
    Update,
}

const CHANGES: [Change; 3] = [Change::Create, Change::Append, Change::Update];

fn rows() -> SheetChange {
    append(one(text("Ash")))
}

fn cells() -> SheetChange {
    update("A1", one(text("Item")), one(text("Tree")))
}

impl Change {
    async fn ask(self, world: &World) -> Result<(), AccountError> {
        match self {
            Self::Create => {
                let header = ["Name".to_owned()];
                let (google, account) = (&world.google, account());
                let made = google.create(&account, "Guests", &header, KEY).await;
                made.map(drop)
            }
            Self::Append => world.apply(BUDGET, &rows(), KEY).await.map(drop),
            Self::Update => world.apply(BUDGET, &cells(), KEY).await.map(drop),
        }
    }

    /// Whether a look finds it.
    async fn found(self, world: &World) -> bool {
        match self {
            Self::Create => {
                let found = world.google.find_created(&account(), KEY).await;
                found.unwrap().is_some()
            }
            _ => world.find_applied(BUDGET, KEY).await.unwrap().is_some(),
        }
    }

    /// How often it stands there, seen from inside.
    fn times(self, world: &World) -> usize {
        let holds = |id: &str, text: &str| {
            let wanted = Some(Entered::StringValue(text.into()));
            let column = world.first_column(id).into_iter();
            column.filter(|cell| *cell == wanted).count()
        };
        match self {
            Self::Create => {
                let ids = world.account(|account| {
                    let files = account
                        .drive
                        .files()
                        .filter(|(_, file)| file.name == "Guests");
                    files.map(|(id, _)| id.to_owned()).collect::<Vec<_>>()
                });
                assert!(ids.len() <= 1, "{ids:?}");
                ids.iter().map(|id| holds(id, "Name")).sum()
            }
            Self::Append => holds(BUDGET, "Ash"),
            Self::Update => holds(BUDGET, "Tree"),
        }
    }
}

fn is_unknown<T: std::fmt::Debug>(result: Result<T, AccountError>) -> bool {
    matches!(result, Err(AccountError::Unknown { .. }))
}

#[tokio::test]
async fn a_lost_answer_makes_nothing_twice() {
    let faults = [
        Fault::DropAfter,
        Fault::GarbledAfter,
        Fault::ErrorAfter { status: 500 },
        Fault::ErrorAfter { status: 503 },
    ];
    for fault in faults {
        for change in CHANGES {
            let world = World::new().await;
            world.running.google.fail_next(WRITE, 1, fault.clone());
            change.ask(&world).await.unwrap();
            assert!(change.found(&world).await, "{fault:?} {change:?}");
            change.ask(&world).await.unwrap();
            assert_eq!(change.times(&world), 1, "{fault:?} {change:?}");
            assert_eq!(world.calls(WRITE), 1, "{fault:?} {change:?}");
        }
        let world = World::new().await;
        world.running.google.fail_next(MAKE, 1, fault.clone());
        assert!(is_unknown(Change::Create.ask(&world).await), "{fault:?}");
        Change::Create.ask(&world).await.unwrap();
        assert_eq!(Change::Create.times(&world), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn what_never_arrived_is_found_as_not_done() {
    for change in CHANGES {
        let world = World::new().await;
        world.running.google.fail_next(WRITE, 1, Fault::DropBefore);
        assert!(is_unknown(change.ask(&world).await), "{change:?}");
        assert!(!change.found(&world).await, "{change:?}");
        assert_eq!(change.times(&world), 0, "{change:?}");
        // A sheet without its header is completed, not made again.
        change.ask(&world).await.unwrap();
        assert!(change.found(&world).await, "{change:?}");
        assert_eq!(change.times(&world), 1, "{change:?}");
    }
}

#[tokio::test]
async fn while_nobody_can_look_the_outcome_is_unknown() {
    for change in [Change::Append, Change::Update] {
        let world = World::new().await;
        world.running.google.fail_next(WRITE, 1, Fault::DropAfter);
        let mut gate = world.running.google.hold(WRITE, Hold::AfterEffect);
        let then = async {
            let held = gate.arrived().await;
            world.running.google.fail_next("*", 99, Fault::DropBefore);
            held.release(Release::Complete);
            drop(gate);
        };
        let (done, ()) = tokio::join!(change.ask(&world), then);
        assert!(is_unknown(done), "{change:?}");
        assert_eq!(change.times(&world), 1);
    }
}

#[tokio::test]
async fn what_is_asked_several_times_at_once_is_done_by_the_first() {
    for change in CHANGES {
        let world = World::new().await;
        let (a, b, c) = tokio::join!(change.ask(&world), change.ask(&world), change.ask(&world));
        for done in [a, b, c] {
            done.unwrap();
        }
        assert_eq!(change.times(&world), 1, "{change:?}");
        assert_eq!(world.calls(WRITE), 1, "{change:?}");
    }
}

#[tokio::test]
async fn of_two_processes_one_makes_the_change() {
    for change in [rows(), cells()] {
        let world = World::new().await;
        let other = world.other_process();
        let mut gate = world.running.google.hold(WRITE, Hold::BeforeEffect);
        let id = BUDGET.into();
        let account = account();
        let second = async {
            let first = gate.arrived().await;
            let call = other.apply(&account, &id, &change, KEY);
            let release = async {
                gate.arrived().await.release(Release::Complete);
            };
            let (done, ()) = tokio::join!(call, release);
            first.release(Release::Complete);
            drop(gate);
            done.unwrap()
        };
        let (first, second) = tokio::join!(world.apply(BUDGET, &change, KEY), second);
        assert_eq!(first.unwrap().range, second.range);
        assert_eq!(world.calls(WRITE), 2);
        assert_eq!(
            Change::Append.times(&world) + Change::Update.times(&world),
            1
        );
    }
}

#[tokio::test]
async fn what_is_in_the_bin_isnt_there_but_may_have_been_changed() {
    let world = World::new().await;
    Change::Append.ask(&world).await.unwrap();
    Change::Create.ask(&world).await.unwrap();
    let made = world.google.find_created(&account(), KEY).await.unwrap();
    let made = made.unwrap().summary.id;
    for id in [BUDGET, made.as_str()] {
        world.file(id, |file| file.trashed = true);
        let (account, id, first) = (account(), SheetId::from(id), range("A1"));
        let sheet = world.google.sheet(&account, &id).await;
        assert_eq!(sheet.unwrap(), None);
        let read = world.google.read(&account, &id, &first).await;
        assert_eq!(read.unwrap(), None);
    }
    assert!(is_unknown(world.find_applied(BUDGET, KEY).await));
    assert!(is_unknown(world.google.find_created(&account(), KEY).await));
    assert!(is_unknown(Change::Create.ask(&world).await));
    assert_eq!(world.google.find(&account(), &[], 10).await.unwrap(), []);
}

#[tokio::test]
async fn at_the_limit_of_a_minute_nothing_is_done_and_it_is_said_when_to_ask_again() {
    let no_more = Fault::Error {
        status: 429,
        reason: "rateLimitExceeded",
        retry_after: Some(60),
    };
    for (reads, written) in [(0, false), (60, true)] {
        for change in CHANGES {
            let mut options = Options::default();
            options.quotas.sheets = reads;
            let world = World::with(options).await;
            if written {
                world.running.google.fail_next(WRITE, 1, no_more.clone());
            }
            match change.ask(&world).await {
                Err(AccountError::NotReached { retry_after, .. }) => {
                    assert_eq!(retry_after, Some(Duration::from_secs(60)), "{change:?}");
                }
                other => panic!("{change:?}: {other:?}"),
            }
            assert_eq!(change.times(&world), 0, "{change:?}");
            if written {
                change.ask(&world).await.unwrap();
                assert_eq!(change.times(&world), 1, "{change:?}");
            }
        }
    }
}
