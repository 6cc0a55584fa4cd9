//! What a sheet holds, as it is read.

use alfred_core::ports::{Cell, Sheets};
use alfred_google_local::sheets::{Cell as Kept, Entered, Tab};

use super::{World, append, one, range, text, update};
use crate::google::support::account;

#[tokio::test]
async fn what_a_cell_shows_is_read_as_its_value() {
    let world = World::new().await;
    let formula = |result| Kept::formula("=SUM(A1:A9)", result);
    let cells = [
        (Kept::date(46_370.0, "14/12/2026"), text("14/12/2026")),
        (0.25.into(), Cell::Number(0.25)),
        (Entered::BoolValue(true).into(), Cell::Bool(true)),
        (formula(Entered::NumberValue(7.5)), Cell::Number(7.5)),
        (formula(Entered::StringValue("#N/A".into())), text("#N/A")),
        (formula(Entered::StringValue(String::new())), Cell::Empty),
        ("007".into(), text("007")),
    ];
    let (kept, expected): (Vec<Kept>, Vec<Cell>) = cells.into_iter().unzip();
    let mut tab = Tab::new(5, "Kinds", (10, 8));
    for (column, cell) in (0..).zip(kept) {
        tab.put(0, column, cell);
    }
    world.put("kinds", "Kinds", vec![tab]);
    let read = world.read("kinds", &range("A1:G1")).await;
    assert_eq!(read, [expected]);
    // What was read is what a change may expect.
    let change = update("A1:G1", read, vec![vec![Cell::Empty; 7]]);
    let done = world.apply("kinds", &change, "k").await.unwrap();
    assert_eq!(
        (done.sheet.tabs[0].rows, done.sheet.tabs[0].columns),
        (0, 0)
    );
}

#[tokio::test]
async fn a_tab_may_be_called_anything() {
    let world = World::new().await;
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
    world.put("named", "Named", tabs.collect());
    for name in names {
        world.next_minute();
        let mut change = append(one(text(name)));
        if let alfred_core::ports::SheetChange::Append { tab, .. } = &mut change {
            *tab = name.into();
        }
        let done = world.apply("named", &change, name).await.unwrap();
        assert_eq!((done.range.tab.as_str(), done.range.top), (name, 1));
        assert_eq!(world.read("named", &done.range).await, one(text(name)));
        let found = world.find_applied("named", name).await.unwrap();
        assert_eq!(found, Some(done));
    }
    world.next_minute();
    let sheet = world.google.sheet(&account(), &"named".into()).await;
    let tabs = sheet.unwrap().unwrap().tabs;
    let tabs: Vec<_> = tabs
        .iter()
        .map(|tab| (tab.name.as_str(), tab.rows))
        .collect();
    assert_eq!(tabs, names.map(|name| (name, 1)));
}

#[tokio::test]
async fn a_grid_ends_nothing_that_a_sheet_may_hold() {
    let world = World::new().await;
    let mut tab = Tab::new(3, "Small", (2, 2));
    tab.put(1, 1, "last");
    world.put("small", "Small", vec![tab]);
    let read = world.read("small", &range("B2:C4")).await;
    let mut expected = vec![vec![Cell::Empty; 2]; 3];
    expected[0][0] = text("last");
    assert_eq!(read, expected);
    assert_eq!(
        world.read("small", &range("ZZ9000")).await,
        one(Cell::Empty)
    );
    let wide = append(vec![vec![text("x"); 4]; 3]);
    let done = world.apply("small", &wide, "wide").await.unwrap();
    assert_eq!((done.range.top, done.range.columns), (3, 4));
    assert_eq!(
        (done.sheet.tabs[0].rows, done.sheet.tabs[0].columns),
        (5, 4)
    );
    let far = update("F9", one(Cell::Empty), one(text("far")));
    let done = world.apply("small", &far, "far").await.unwrap();
    assert_eq!(
        (done.sheet.tabs[0].rows, done.sheet.tabs[0].columns),
        (9, 6)
    );
    assert_eq!(world.read("small", &range("F9")).await, one(text("far")));
    let header: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    let made = world
        .google
        .create(&account(), "Wide", &header, "made")
        .await;
    assert_eq!(made.unwrap().tabs[0].columns, 40);
}

#[tokio::test]
async fn of_many_sheets_those_are_found_that_were_picked() {
    let world = World::new().await;
    for n in 0..1_100 {
        world.put(&format!("s{n}"), &format!("Größe {n}"), vec![]);
    }
    world.file("s7", |file| file.open = false);
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
    assert!(
        found(&["größe 7"], 100)
            .await
            .iter()
            .all(|sheet| sheet.title != "Größe 7")
    );
    assert_eq!(found(&[], 0).await.len(), 1);
    assert_eq!(found(&[], 1_000).await.len(), 100);
}
