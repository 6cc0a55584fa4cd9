//! Sheets pass the suite of every port. `sheets.txt` has what only Google does, and what goes wrong.

use alfred_core::ports::{Applied, CellRange, Rows, Sheet, SheetChange, Sheets};
use alfred_google::Google;
use alfred_google_local::drive::Content;
use alfred_google_local::sheets::{Cell as LocalCell, Entered, Spreadsheet, Tab};
use alfred_testkit::conformance::sheets::given;
use alfred_testkit::conformance::{self, AccountSide};
use async_trait::async_trait;
use serde::Serialize;

use crate::google::once::once;
use crate::google::player::{Calls, Shown, content, plays};
use crate::google::support::{World, account};

/// The sheet that is changed.
const BUDGET: &str = "Spring budget";

fn put(world: &World, id: &str, title: &str, tabs: Vec<Tab>) {
    let content = Content::Spreadsheet(Spreadsheet::of(tabs));
    world.put_file(id, title, content, "2026-11-20T09:00:00Z");
}

fn range(a1: &str) -> CellRange {
    CellRange::parse(a1).unwrap()
}

fn rows(json: &[&str]) -> Rows {
    serde_json::from_str(&json.concat()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn sheets_pass_the_suite() {
    let given = async || {
        let world = World::new().await;
        Budget.prepare(&world);
        AccountSide::new(world.google.clone(), account(), world)
    };
    conformance::sheets(given).await;
}

#[tokio::test]
async fn sheets_do_what_the_text_says() {
    plays("sheets/sheets.txt", budget).await;
}

#[tokio::test]
async fn each_change_of_a_sheet_is_made_once() {
    once("sheets", budget).await;
}

fn budget() -> Box<dyn Calls> {
    Box::new(Budget)
}

struct Budget;

#[async_trait]
impl Calls for Budget {
    /// The sheet of the suite.
    fn prepare(&self, world: &World) {
        let mut tab = Tab::new(0, "Sheet1", (1_000, 26));
        tab.fill(&given());
        put(world, "budget", BUDGET, vec![tab]);
    }

    async fn port(&self, _: &World, google: &Google, words: &[&str]) -> Shown {
        let (of, id) = (&account(), &"budget".into());
        let sizes = |sheet: Option<Sheet>| sheet.map_or("none".into(), sizes);
        let change = match *words {
            ["find", limit, ref words @ ..] => {
                let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
                let found = google.find(of, &words, limit.parse().unwrap()).await?;
                let titles = found.into_iter().map(|found| found.title + "\n");
                return Ok(Some(titles.collect()));
            }
            ["sheet"] => return Ok(Some(sizes(google.sheet(of, id).await?))),
            ["tabs?"] => {
                let sheet = google.sheet(of, id).await?.unwrap();
                let names = sheet.tabs.into_iter().map(|tab| tab.name + "\n");
                return Ok(Some(names.collect()));
            }
            ["read", a1] => {
                let rows = google.read(of, id, &range(a1)).await?;
                return Ok(Some(rows.map_or("none".into(), |rows| lines(&rows))));
            }
            ["create", title, key, ref header @ ..] => {
                let header: Vec<String> = header.iter().map(|&name| name.into()).collect();
                let made = google.create(of, title, &header, key).await?;
                return Ok(Some(sizes(Some(made))));
            }
            ["created?", key] => return Ok(Some(sizes(google.find_created(of, key).await?))),
            ["applied?", key] => {
                let found = google.find_applied(of, id, key).await?;
                return Ok(Some(found.map_or("none".into(), applied)));
            }
            ["append", _, tab, ref json @ ..] => SheetChange::Append {
                tab: tab.into(),
                rows: rows(json),
            },
            ["update", _, a1, ref json @ ..] => {
                let mut json = json.split(|word| *word == "to");
                SheetChange::Update {
                    range: range(a1),
                    expected: rows(json.next().unwrap()),
                    values: rows(json.next().unwrap()),
                }
            }
            _ => return Ok(None),
        };
        let done = google.apply(of, id, &change, words[1]).await?;
        Ok(Some(applied(done)))
    }

    fn inside(&self, world: &World, words: &[&str]) -> String {
        if let ["many", number] = *words {
            for n in 0..number.parse().unwrap() {
                put(world, &format!("s{n}"), &format!("Größe {n}"), vec![]);
            }
            return String::new();
        }
        let title = match *words {
            ["entered", title] => title,
            _ => BUDGET,
        };
        let shown = content(world, title, |content| match content {
            Content::Spreadsheet(book) => within(book, words),
            Content::Document(_) => panic!("a document"),
        });
        shown.unwrap_or_default()
    }
}

fn within(book: &mut Spreadsheet, words: &[&str]) -> String {
    match *words {
        ["tabs"] => book.tabs.clear(),
        ["tab", title, rows, columns] => {
            let id = u32::try_from(book.tabs.len()).unwrap();
            let [rows, columns] = [rows, columns].map(|size| size.parse().unwrap());
            book.tabs.push(Tab::new(id, title, (rows, columns)));
        }
        ["put", places, json] => {
            let tab = book.tabs.last_mut().unwrap();
            let cell = serde_json::from_str(json);
            let entered = || Entered::of(&serde_json::from_str(json).unwrap()).unwrap();
            let cell: LocalCell = cell.unwrap_or_else(|_| entered().into());
            for range in places.split(',').map(range) {
                for at in 0..range.rows * range.columns {
                    let (row, column) = (at / range.columns, at % range.columns);
                    tab.put(range.top - 1 + row, range.left - 1 + column, cell.clone());
                }
            }
        }
        ["grow", rows] => book.tabs[0].rows = rows.parse().unwrap(),
        ["rename", title] => book.tabs[0].title = title.into(),
        ["renumber", id] => book.tabs[0].id = id.parse().unwrap(),
        ["remove", "row"] => book.tabs[0].remove_row(0),
        ["stamps"] => return book.metadata_count().to_string(),
        // Column A.
        ["entered", _] => {
            let tab = &book.tabs[0];
            let entered = (0..tab.filled()).map(|row| tab.cell(row, 0));
            let entered = entered.map(|cell| cell.map(|cell| &cell.entered));
            return lines(&entered.collect::<Vec<_>>());
        }
        _ => panic!("no call {words:?}"),
    }
    String::new()
}

/// JSON, a line each.
fn lines(all: &[impl Serialize]) -> String {
    let lines = all.iter().map(|one| serde_json::to_string(one).unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The filled rows and columns of each tab.
fn sizes(sheet: Sheet) -> String {
    let tabs = sheet.tabs.iter();
    let sizes = tabs.map(|tab| format!("{} × {}", tab.rows, tab.columns));
    sizes.collect::<Vec<_>>().join(", ")
}

fn applied(applied: Applied) -> String {
    format!("{} of {}", applied.range, sizes(applied.sheet))
}
