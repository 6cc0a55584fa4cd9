//! Changes, and others who change the same sheet.

use alfred_core::ports::Cell;
use alfred_google_local::sheets::{Entered, Spreadsheet};
use alfred_google_local::{Hold, Release};
use alfred_testkit::conformance::sheets::given;

use super::{BUDGET, WRITE, append, one, range, text, update, world};
use crate::google::support::{World, is_unknown};

#[tokio::test]
async fn a_text_is_entered_as_a_text() {
    let world = world().await;
    let texts = [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "'x",
        "=HYPERLINK(\"http://x\")",
        "2026-12-14",
    ];
    let rows = texts.iter().map(|one| vec![text(one)]).collect();
    world.apply(BUDGET, &append(rows), "k").await.unwrap();
    let change = update("A1", one(text("Item")), one(text("=NOW()")));
    world.apply(BUDGET, &change, "u").await.unwrap();
    let kept = world.first_column(BUDGET);
    let entered = |text: &str| Some(Entered::StringValue(text.into()));
    assert_eq!(kept[0], entered("=NOW()"));
    assert_eq!(kept[4..], texts.map(entered));
}

/// Lets others change the sheet while a call of Ana's is under way.
async fn meanwhile<T>(
    world: &World,
    call: impl Future<Output = T>,
    others: impl FnOnce(&mut Spreadsheet),
) -> T {
    let mut gate = world.local().hold(WRITE, Hold::BeforeEffect);
    let change = async {
        let held = gate.arrived().await;
        world.book(BUDGET, others);
        held.release(Release::Complete);
        drop(gate);
    };
    tokio::join!(call, change).0
}

#[tokio::test]
async fn rows_go_below_those_that_others_append_meanwhile() {
    let world = world().await;
    let change = append(vec![
        vec![text("Ash"), Cell::Number(4.0)],
        vec![text("Elm")],
    ]);
    let call = world.apply(BUDGET, &change, "k");
    let done = meanwhile(&world, call, |book| {
        (4..104).for_each(|row| book.tabs[0].put(row, 0, "theirs"));
    });
    done.await.unwrap();
    let expected = vec![
        vec![text("Ash"), Cell::Number(4.0)],
        vec![text("Elm"), Cell::Empty],
    ];
    assert_eq!(world.cells(BUDGET, &range("A105:B106")).await, expected);
}

#[tokio::test]
async fn what_others_do_later_moves_no_receipt() {
    let world = world().await;
    let done = world.apply(BUDGET, &append(one(text("Ash"))), "k").await;
    let done = done.unwrap();
    world.book(BUDGET, |book| {
        book.tabs[0].put(4, 0, "Beech");
        book.tabs[0].title = "Trees".into();
    });
    let found = world.find_applied(BUDGET, "k").await.unwrap().unwrap();
    assert_eq!(found.range.to_string(), "Trees!A5");
    assert_eq!(found.range.top, done.range.top);
    world.book(BUDGET, |book| {
        (0..5).for_each(|_| book.tabs[0].remove_row(0))
    });
    let again = world.apply(BUDGET, &append(one(text("Ash"))), "k").await;
    assert_eq!(again.unwrap().range, found.range);
    assert_eq!(world.first_column(BUDGET), []);
    world.book(BUDGET, |book| book.tabs[0].id = 77);
    let gone = world.find_applied(BUDGET, "k").await;
    assert!(is_unknown(&gone), "{gone:?}");
}

/// Between the look and the change nothing holds others back; cells beside are theirs all the same.
#[tokio::test]
async fn a_change_of_cells_touches_no_others() {
    let world = world().await;
    let change = update("B2", one(given()[1][1].clone()), one(Cell::Number(1.0)));
    let call = world.apply(BUDGET, &change, "k");
    let done = meanwhile(&world, call, |book| book.tabs[0].put(1, 2, "theirs"));
    done.await.unwrap();
    let read = world.cells(BUDGET, &range("B2:C2")).await;
    assert_eq!(read, [[Cell::Number(1.0), text("theirs")]]);
}

#[tokio::test]
async fn hundreds_of_appends_each_once() {
    let world = world().await;
    // Holding thousands of calls against the descriptions takes most of the time.
    world.local().observe(|_| {});
    for n in 0..300 {
        let (change, key) = (append(one(Cell::Number(f64::from(n)))), format!("k{n}"));
        let done = world.apply(BUDGET, &change, &key).await.unwrap();
        assert_eq!(done.range.top, 5 + n);
        if n % 10 == 9 {
            let again = world.apply(BUDGET, &change, &key).await.unwrap();
            assert_eq!(again.range, done.range);
            world.next_minute();
        }
    }
    assert_eq!(world.calls(WRITE), 300);
    let numbers = (0..300).map(|n| Some(Entered::NumberValue(f64::from(n))));
    assert_eq!(world.first_column(BUDGET)[4..], numbers.collect::<Vec<_>>());
    world.book(BUDGET, |book| assert_eq!(book.metadata_count(), 200));
    let found = world.find_applied(BUDGET, "k101").await.unwrap();
    assert_eq!(found.unwrap().range.top, 106);
    // Whether the one before was made nobody can tell; a day later nobody asks.
    let lost = world.find_applied(BUDGET, "k99").await;
    assert!(is_unknown(&lost), "{lost:?}");
    world.clock.advance(std::time::Duration::from_secs(86_400));
    assert_eq!(world.find_applied(BUDGET, "new").await.unwrap(), None);
}
