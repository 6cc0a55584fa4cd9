//! Sheets, put to the suite of the port, and what is Google's own.

mod changing;
mod failing;
mod large;
mod reading;
mod refusing;

use alfred_core::id::SheetId;
use alfred_core::ports::{
    AccountError, Applied, Cell, CellRange, Rows, Sheet, SheetChange, Sheets,
};
use alfred_google_local::Options;
use alfred_google_local::drive::Content;
use alfred_google_local::sheets::{Entered, Spreadsheet, Tab};
use alfred_testkit::conformance::sheets::given;
use alfred_testkit::conformance::{self, AccountSide};
use std::time::Duration;

use crate::google::support::{World, account};

/// Ana's sheet.
const BUDGET: &str = "budget";
const WRITE: &str = "sheets.spreadsheets.batchUpdate";
const LOOK: &str = "sheets.spreadsheets.get";
const VALUES: &str = "sheets.spreadsheets.values.batchGet";

/// With the sheet of the suite.
async fn world() -> World {
    with(Options::default()).await
}

async fn with(options: Options) -> World {
    let world = World::with(options).await;
    let mut tab = Tab::new(0, "Sheet1", (1_000, 26));
    tab.fill(&given());
    world.put_sheet(BUDGET, "Spring budget", vec![tab]);
    world
}

impl World {
    fn put_sheet(&self, id: &str, title: &str, tabs: Vec<Tab>) {
        let content = Content::Spreadsheet(Spreadsheet::of(tabs));
        self.put_file(id, title, content, "2026-11-20T09:00:00Z");
    }

    /// Looks at a spreadsheet, or changes it without the API.
    fn book<T>(&self, id: &str, work: impl FnOnce(&mut Spreadsheet) -> T) -> T {
        self.file(id, |file| match &mut file.content {
            Content::Spreadsheet(book) => work(book),
            Content::Document(_) => panic!("a document"),
        })
    }

    /// Column A of the first tab, without the API.
    fn first_column(&self, id: &str) -> Vec<Option<Entered>> {
        self.book(id, |book| {
            let tab = &book.tabs[0];
            let cell = |row| Some(tab.cell(row, 0)?.entered.clone());
            (0..tab.filled()).map(cell).collect()
        })
    }

    fn next_minute(&self) {
        self.clock.advance(Duration::from_secs(60));
    }

    async fn sheet(&self, id: &str) -> Option<Sheet> {
        let sheet = self.google.sheet(&account(), &id.into()).await;
        sheet.unwrap()
    }

    async fn cells(&self, id: &str, range: &CellRange) -> Rows {
        let read = self.google.read(&account(), &id.into(), range).await;
        read.unwrap().unwrap()
    }

    async fn apply(
        &self,
        id: &str,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied, AccountError> {
        let id = SheetId::from(id);
        self.google.apply(&account(), &id, change, key).await
    }

    async fn find_applied(&self, id: &str, key: &str) -> Result<Option<Applied>, AccountError> {
        let id = SheetId::from(id);
        self.google.find_applied(&account(), &id, key).await
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

fn range(a1: &str) -> CellRange {
    CellRange::parse(a1).unwrap()
}

fn append(rows: Rows) -> SheetChange {
    let tab = String::new();
    SheetChange::Append { tab, rows }
}

fn update(a1: &str, expected: Rows, values: Rows) -> SheetChange {
    SheetChange::Update {
        range: range(a1),
        expected,
        values,
    }
}

fn one(cell: Cell) -> Rows {
    vec![vec![cell]]
}

#[tokio::test(flavor = "multi_thread")]
async fn sheets_pass_the_suite() {
    let given = async || {
        let world = world().await;
        AccountSide::new(world.google.clone(), account(), world)
    };
    conformance::sheets(given).await;
}
