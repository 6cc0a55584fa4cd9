//! What a sheet holds, as it is read.

use alfred_core::ports::{Cell, SheetChange, Sheets, Tab as Extent};
use alfred_google_local::sheets::{Cell as LocalCell, Entered, Tab};

use super::{append, one, range, text, update, world};
use crate::google::support::account;

/// Filled rows and columns of the first tab.
fn size(tabs: &[Extent]) -> (u32, u32) {
    (tabs[0].rows, tabs[0].columns)
}

#[tokio::test]
async fn what_a_cell_shows_is_read_as_its_value() {
    let world = world().await;
    let formula = |result| LocalCell::formula("=SUM(A1:A9)", result);
    let cells = [
        (LocalCell::date(46_370.0, "14/12/2026"), text("14/12/2026")),
        (0.25.into(), Cell::Number(0.25)),
        (Entered::BoolValue(true).into(), Cell::Bool(true)),
        (formula(Entered::NumberValue(7.5)), Cell::Number(7.5)),
        (formula(Entered::StringValue("#N/A".into())), text("#N/A")),
        (formula(Entered::StringValue(String::new())), Cell::Empty),
        ("007".into(), text("007")),
    ];
    let (kept, expected): (Vec<LocalCell>, Vec<Cell>) = cells.into_iter().unzip();
    let mut tab = Tab::new(5, "Kinds", (10, 8));
    for (column, cell) in (0..).zip(kept) {
        tab.put(0, column, cell);
    }
    world.put_sheet("kinds", "Kinds", vec![tab]);
    let read = world.cells("kinds", &range("A1:G1")).await;
    assert_eq!(read, [expected]);
    // What was read is what a change may expect.
    let change = update("A1:G1", read, vec![vec![Cell::Empty; 7]]);
    let done = world.apply("kinds", &change, "k").await.unwrap();
    assert_eq!(size(&done.sheet.tabs), (0, 0));
}

#[tokio::test]
async fn a_tab_may_be_called_anything() {
    let world = world().await;
    let names = [
        "Ana's plan",
        "Q1 2027",
        "🌳 Größe",
        "A1",
        "a!b",
        "R1C1",
        "'",
    ];
    let tabs = (0..)
        .zip(names)
        .map(|(id, name)| Tab::new(id, name, (5, 5)));
    world.put_sheet("named", "Named", tabs.collect());
    for name in names {
        world.next_minute();
        let change = SheetChange::Append {
            tab: name.into(),
            rows: one(text(name)),
        };
        let done = world.apply("named", &change, name).await.unwrap();
        assert_eq!((done.range.tab.as_str(), done.range.top), (name, 1));
        assert_eq!(world.cells("named", &done.range).await, one(text(name)));
        let found = world.find_applied("named", name).await.unwrap();
        assert_eq!(found, Some(done));
    }
    world.next_minute();
    let tabs = world.sheet("named").await.unwrap().tabs.into_iter();
    let tabs: Vec<_> = tabs.map(|tab| (tab.name, tab.rows)).collect();
    assert_eq!(tabs, names.map(|name| (name.to_owned(), 1)));
}

#[tokio::test]
async fn a_grid_ends_nothing_that_a_sheet_may_hold() {
    let world = world().await;
    let mut tab = Tab::new(3, "Small", (2, 2));
    tab.put(1, 1, "last");
    world.put_sheet("small", "Small", vec![tab]);
    let read = world.cells("small", &range("B2:C4")).await;
    let mut expected = vec![vec![Cell::Empty; 2]; 3];
    expected[0][0] = text("last");
    assert_eq!(read, expected);
    let outside = world.cells("small", &range("ZZ9000")).await;
    assert_eq!(outside, one(Cell::Empty));
    let wide = append(vec![vec![text("x"); 4]; 3]);
    let done = world.apply("small", &wide, "wide").await.unwrap();
    assert_eq!((done.range.top, done.range.columns), (3, 4));
    assert_eq!(size(&done.sheet.tabs), (5, 4));
    let far = update("F9", one(Cell::Empty), one(text("far")));
    let done = world.apply("small", &far, "far").await.unwrap();
    assert_eq!(size(&done.sheet.tabs), (9, 6));
    assert_eq!(world.cells("small", &range("F9")).await, one(text("far")));
    let header: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let of = account();
    let made = world.google.create(&of, "Wide", &header, "made").await;
    assert_eq!(made.unwrap().tabs[0].columns, 40);
}

#[tokio::test]
async fn sheets_are_found_among_many() {
    let world = world().await;
    for n in 0..1_100 {
        world.put_sheet(&format!("s{n}"), &format!("Größe {n}"), vec![]);
    }
    world.ana(|account| account.drive.remove("s7"));
    world.file("s70", |file| file.trashed = true);
    world.file("s700", |file| file.modified = jiff::Timestamp::UNIX_EPOCH);
    let found = |words: &[&str], limit| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let google = world.google.clone();
        async move { google.find(&account(), &words, limit).await.unwrap() }
    };
    let sevens = found(&["70", "GRÖ"], 100).await;
    let titles: Vec<&str> = sevens.iter().map(|sheet| sheet.title.as_str()).collect();
    assert_eq!((titles.len(), titles.last()), (20, Some(&"Größe 700")));
    assert!(!titles.contains(&"Größe 70"));
    let mut all = found(&["größe 7"], 100).await.into_iter();
    assert!(all.all(|sheet| sheet.title != "Größe 7"));
    assert_eq!(found(&[], 0).await.len(), 1);
    assert_eq!(found(&[], 1_000).await.len(), 100);
}
