//! Changes that are refused, in words for the person.

use alfred_core::ports::{Cell, CellRange, SheetChange};
use alfred_core::text as words;

use super::{BUDGET, append, one, text, update, world};
use crate::google::support::{World, reason};

/// What the sheet is made to be, what is asked then, and the words for it.
type Case = (fn(&World), SheetChange, String);

fn cases() -> Vec<Case> {
    let nothing: fn(&World) = |_| {};
    let row = || append(one(text("x")));
    let elsewhere = SheetChange::Append {
        tab: "Gone".into(),
        rows: one(text("x")),
    };
    let long = append(one(Cell::Text("x".repeat(50_001))));
    let many = append(vec![vec![text("x"); 101]; 200]);
    let far = update("A2001", one(Cell::Empty), one(text("x")));
    let stale = update("A1", one(text("Item")), one(text("x")));
    let trashed = |world: &World| world.file(BUDGET, |file| file.trashed = true);
    let read_only = |world: &World| world.file(BUDGET, |file| file.editable = false);
    let changed = |world: &World| world.book(BUDGET, |book| book.tabs[0].put(0, 0, "theirs"));
    let full = |world: &World| {
        world.book(BUDGET, |book| {
            book.tabs[0].rows = 384_615;
            book.tabs[0].put(384_614, 0, "last");
        });
    };
    vec![
        (trashed, row(), words::SHEET_GONE.to_owned()),
        (read_only, row(), words::SHEET_READ_ONLY.to_owned()),
        (nothing, elsewhere, words::no_such_tab("Gone")),
        (
            nothing,
            long,
            "A cell holds 50000 characters at most, and one of these texts is longer.".into(),
        ),
        (
            nothing,
            many,
            format!(
                "These are too many cells at once; {} go at most.",
                CellRange::MOST
            ),
        ),
        (nothing, far, words::CELLS_TOO_FAR.to_owned()),
        (changed, stale, words::CELLS_CHANGED.to_owned()),
        (
            full,
            row(),
            "The sheet is full: it has as many cells as a sheet may have.".to_owned(),
        ),
    ]
}

#[tokio::test]
async fn what_is_refused_is_told_and_not_done() {
    for (prepare, change, words) in cases() {
        let world = world().await;
        prepare(&world);
        let before = world.first_column(BUDGET);
        assert_eq!(reason(world.apply(BUDGET, &change, "k").await), words);
        assert_eq!(world.first_column(BUDGET), before, "{words}");
        let found = world.find_applied(BUDGET, "k").await.unwrap();
        assert_eq!(found, None, "{words}");
    }
}
