//! Sheets of many cells: what they cost.

use alfred_core::ports::{Cell, Rows, Sheets};
use alfred_google_local::sheets::Tab;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{BUDGET, LOOK, VALUES, WRITE, append, one, range, text, update, world};
use crate::google::support::{account, as_described};

/// Rows and columns.
type Corner = (u32, u32);

#[tokio::test]
async fn two_million_cells_are_not_loaded() {
    let world = world().await;
    let mut tab = Tab::new(0, "Log", (200_000, 10));
    for row in 0..199_000 {
        (0..10).for_each(|column| tab.put(row, column, f64::from(row)));
    }
    world.put_sheet("log", "Log", vec![tab]);
    let bytes = Arc::new(AtomicUsize::new(0));
    let sum = bytes.clone();
    world.local().observe(move |seen| {
        as_described(seen);
        sum.fetch_add(seen.answer.to_string().len(), Ordering::Relaxed);
    });
    let sheet = world.sheet("log").await.unwrap();
    assert_eq!((sheet.tabs[0].rows, sheet.tabs[0].columns), (199_000, 10));
    let (calls, looked) = (world.all_calls(), bytes.load(Ordering::Relaxed));
    let change = append(vec![vec![text("last")]]);
    let done = world.apply("log", &change, "k").await.unwrap();
    assert_eq!(done.range.to_string(), "Log!A199001");
    let (all, written) = (world.all_calls(), bytes.load(Ordering::Relaxed));
    let last = world.cells("log", &range("A199000:A199001")).await;
    assert_eq!(last, [[Cell::Number(198_999.0)], [text("last")]]);
    println!(
        "a look: {calls} calls, {looked} bytes; an append: {} calls, {} bytes",
        all - calls,
        written - looked
    );
    assert!(calls <= 4 && looked < 600_000, "{calls} {looked}");
    assert!(all - calls <= 6 && written - looked < 600_000);
}

#[tokio::test]
async fn how_far_a_large_tab_is_filled_is_exact_whatever_is_where() {
    let world = world().await;
    let holes = (0..40).map(|n| (n * 777 + 1, n % 7)).collect();
    let (large, column) = ((100_000, 20), (1_000_000, 1));
    let cases: [(Corner, Vec<Corner>, Corner); 7] = [
        (large, vec![], (0, 0)),
        (large, vec![(0, 0)], (1, 1)),
        (large, vec![(99_999, 19)], (100_000, 20)),
        (large, holes, (30_305, 7)),
        (large, vec![(99_999, 0), (1, 17)], (100_000, 18)),
        (column, vec![(654_321, 0)], (654_322, 1)),
        ((50, 18_000), vec![(3, 17_000)], (4, 17_001)),
    ];
    for (grid, cells, expected) in cases {
        let mut tab = Tab::new(0, "Large", grid);
        for (row, column) in cells {
            tab.put(row, column, "x");
        }
        world.put_sheet("large", "Large", vec![tab]);
        world.next_minute();
        let calls = world.all_calls();
        let tab = world.sheet("large").await.unwrap().tabs.remove(0);
        assert_eq!((tab.rows, tab.columns), expected);
        assert!(world.all_calls() - calls <= 5, "{expected:?}");
    }
}

#[tokio::test]
async fn a_sheet_has_many_tabs_of_long_names() {
    let world = world().await;
    let name = |n: u32| format!("{n} {}", "Größe 🌳".repeat(10));
    let tab = |n| {
        let mut tab = Tab::new(n, &name(n), (1_000, 26));
        tab.put(n, n % 26, "x");
        tab
    };
    world.put_sheet("many", "Many", (0..100).map(tab).collect());
    let tabs = world.sheet("many").await.unwrap().tabs;
    for (n, tab) in (0..100).zip(&tabs) {
        let expected = (name(n), n + 1, n % 26 + 1);
        assert_eq!((tab.name.clone(), tab.rows, tab.columns), expected);
    }
    assert!(world.calls(VALUES) <= 10, "{}", world.calls(VALUES));
}

/// A minute has 60 reads and 60 writes.
#[tokio::test]
async fn calls_are_few() {
    let world = world().await;
    let mut before = [0; 3];
    let mut cost = || {
        let counts = [world.calls(LOOK) + world.calls(VALUES), world.calls(WRITE)];
        let drive = world.all_calls() - counts[0] - counts[1];
        let after = [counts[0], counts[1], drive];
        let cost = [0, 1, 2].map(|at| after[at] - before[at]);
        before = after;
        cost
    };
    let (google, account, id) = (&world.google, account(), BUDGET.into());
    google.sheet(&account, &id).await.unwrap();
    assert_eq!(cost(), [2, 0, 1], "a look");
    world.cells(BUDGET, &range("A1:C4")).await;
    assert_eq!(cost(), [2, 0, 1], "a read");
    let rows = append(one(text("x")));
    world.apply(BUDGET, &rows, "a").await.unwrap();
    assert_eq!(cost(), [2, 1, 2], "rows");
    let cells = update("A1", one(text("Item")), one(text("x")));
    world.apply(BUDGET, &cells, "u").await.unwrap();
    assert_eq!(cost(), [3, 1, 2], "cells");
    world.apply(BUDGET, &rows, "a").await.unwrap();
    assert_eq!(cost(), [2, 0, 1], "the same again");
    google.create(&account, "New", &[], "c").await.unwrap();
    assert_eq!(cost(), [3, 1, 3], "a new one");
}

#[tokio::test]
async fn twenty_thousand_cells_are_appended_at_once() {
    let world = world().await;
    let cell = |n: usize| text(&format!("cell {n}"));
    let rows: Rows = (0..1_000).map(|n| vec![cell(n); 20]).collect();
    let change = append(rows.clone());
    let done = world.apply(BUDGET, &change, "k").await.unwrap();
    assert_eq!(done.range.to_string(), "Sheet1!A5:T1004");
    assert_eq!(world.cells(BUDGET, &done.range).await, rows);
    let again = world.apply(BUDGET, &change, "k").await.unwrap();
    assert_eq!(again.range, done.range);
}
