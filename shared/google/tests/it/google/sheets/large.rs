//! Sheets of many cells: what they cost.

use alfred_core::ports::{Cell, Rows, Sheets};
use alfred_google_local::sheets::Tab;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{BUDGET, WRITE, World, append, one, range, text, update};
use crate::google::support::{account, as_described};

const LOOK: &str = "sheets.spreadsheets.get";
const VALUES: &str = "sheets.spreadsheets.values.batchGet";

/// Rows and columns.
type Corner = (u32, u32);

/// Counts the bytes of all answers.
fn weighed(world: &World) -> Arc<AtomicUsize> {
    let bytes = Arc::new(AtomicUsize::new(0));
    let sum = bytes.clone();
    world.running.google.observe(move |seen| {
        as_described(seen);
        sum.fetch_add(seen.answer.to_string().len(), Ordering::Relaxed);
    });
    bytes
}

fn all_calls(world: &World) -> u64 {
    world.running.google.call_counts().values().sum()
}

#[tokio::test]
async fn two_million_cells_are_not_loaded() {
    let world = World::new().await;
    let mut tab = Tab::new(0, "Log", (200_000, 10));
    for row in 0..199_000 {
        (0..10).for_each(|column| tab.put(row, column, f64::from(row)));
    }
    world.put("log", "Log", vec![tab]);
    let bytes = weighed(&world);
    let sheet = world.google.sheet(&account(), &"log".into()).await;
    let sheet = sheet.unwrap().unwrap();
    assert_eq!((sheet.tabs[0].rows, sheet.tabs[0].columns), (199_000, 10));
    let (calls, looked) = (all_calls(&world), bytes.load(Ordering::Relaxed));
    let change = append(vec![vec![text("last")]]);
    let done = world.apply("log", &change, "k").await.unwrap();
    assert_eq!(done.range.to_string(), "Log!A199001");
    let (all, written) = (all_calls(&world), bytes.load(Ordering::Relaxed));
    let last = world.read("log", &range("A199000:A199001")).await;
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
    let world = World::new().await;
    let cases: [(&str, Corner, Vec<Corner>, Corner); 7] = [
        ("empty", (100_000, 20), vec![], (0, 0)),
        ("a first cell", (100_000, 20), vec![(0, 0)], (1, 1)),
        (
            "a last cell",
            (100_000, 20),
            vec![(99_999, 19)],
            (100_000, 20),
        ),
        (
            "holes",
            (100_000, 20),
            (0..40).map(|n| (n * 777 + 1, n % 7)).collect(),
            (30_305, 7),
        ),
        (
            "a far column",
            (100_000, 20),
            vec![(99_999, 0), (1, 17)],
            (100_000, 18),
        ),
        (
            "one column",
            (1_000_000, 1),
            vec![(654_321, 0)],
            (654_322, 1),
        ),
        ("one row", (50, 18_000), vec![(3, 17_000)], (4, 17_001)),
    ];
    for (what, grid, cells, expected) in cases {
        let mut tab = Tab::new(0, what, grid);
        for (row, column) in cells {
            tab.put(row, column, "x");
        }
        world.put("large", what, vec![tab]);
        world.next_minute();
        let calls = all_calls(&world);
        let sheet = world.google.sheet(&account(), &"large".into()).await;
        let tab = sheet.unwrap().unwrap().tabs.remove(0);
        assert_eq!((tab.rows, tab.columns), expected, "{what}");
        assert!(all_calls(&world) - calls <= 5, "{what}");
    }
}

#[tokio::test]
async fn a_sheet_has_many_tabs_of_long_names() {
    let world = World::new().await;
    let name = |n: u32| format!("{n} {}", "Größe 🌳".repeat(10));
    let tab = |n| {
        let mut tab = Tab::new(n, &name(n), (1_000, 26));
        tab.put(n, n % 26, "x");
        tab
    };
    world.put("many", "Many", (0..100).map(tab).collect());
    let sheet = world.google.sheet(&account(), &"many".into()).await;
    let tabs = sheet.unwrap().unwrap().tabs;
    for (n, tab) in (0..100).zip(&tabs) {
        let expected = (name(n), n + 1, n % 26 + 1);
        assert_eq!((tab.name.clone(), tab.rows, tab.columns), expected);
    }
    assert!(world.calls(VALUES) <= 10, "{}", world.calls(VALUES));
}

/// A minute has 60 reads and 60 writes.
#[tokio::test]
async fn calls_are_few() {
    let world = World::new().await;
    let mut before = [0; 3];
    let mut cost = || {
        let counts = [world.calls(LOOK) + world.calls(VALUES), world.calls(WRITE)];
        let drive = all_calls(&world) - counts[0] - counts[1];
        let after = [counts[0], counts[1], drive];
        let cost = [0, 1, 2].map(|at| after[at] - before[at]);
        before = after;
        cost
    };
    let (google, account, id) = (&world.google, account(), BUDGET.into());
    google.sheet(&account, &id).await.unwrap();
    assert_eq!(cost(), [2, 0, 1], "a look");
    world.read(BUDGET, &range("A1:C4")).await;
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
    let world = World::new().await;
    let bytes = weighed(&world);
    let row = |n: usize| {
        (0..20)
            .map(|column| text(&format!("cell {n} {column}")))
            .collect()
    };
    let rows: Rows = (0..1_000).map(row).collect();
    let change = append(rows.clone());
    let done = world.apply(BUDGET, &change, "k").await.unwrap();
    assert_eq!(done.range.to_string(), "Sheet1!A5:T1004");
    let written = bytes.load(Ordering::Relaxed);
    assert_eq!(world.read(BUDGET, &done.range).await, rows);
    let again = world.apply(BUDGET, &change, "k").await.unwrap();
    assert_eq!(again.range, done.range);
    println!("{} cells: {written} bytes answered", rows.len() * 20);
}
