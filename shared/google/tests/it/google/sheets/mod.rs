//! Sheets, put to the suite of the port, and what is Google's own.

mod changing;
mod failing;
mod large;
mod reading;
mod refusing;

use alfred_core::id::SheetId;
use alfred_core::ports::{
    Account, AccountError, Applied, Cell, CellRange, Rows, SheetChange, Sheets,
};
use alfred_google::Google;
use alfred_google_local::drive::{Content, File};
use alfred_google_local::sheets::{Cell as Kept, Entered, Spreadsheet, Tab};
use alfred_google_local::{Account as GoogleAccount, Options, Running};
use alfred_testkit::conformance::sheets::{SheetsUnderTest, given};
use alfred_testkit::{ManualClock, MemoryStore};
use jiff::Timestamp;
use std::sync::Arc;
use std::time::Duration;

use crate::google::support::{self, account, again, connected};

const ANA: &str = "ana@example.com";
/// Ana's sheet.
pub const BUDGET: &str = "budget";
pub const WRITE: &str = "sheets.spreadsheets.batchUpdate";

/// Ana's Google account with the sheet that the suite gives.
pub struct World {
    pub running: Running,
    pub google: Arc<Google>,
    pub clock: ManualClock,
}

impl World {
    pub async fn new() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let clock = ManualClock::default();
        let store = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
        let (running, google) = connected(options, store, Arc::new(clock.clone())).await;
        let world = Self {
            running,
            google: Arc::new(google),
            clock,
        };
        let mut tab = Tab::new(0, "Sheet1", (1_000, 26));
        fill(&mut tab, &given());
        world.put(BUDGET, "Spring budget", vec![tab]);
        world
    }

    /// The clients as another process has them.
    pub fn other_process(&self) -> Google {
        let store = Arc::new(MemoryStore::new(Arc::new(self.clock.clone())));
        again(&self.running, store, Arc::new(self.clock.clone()))
    }

    pub fn put(&self, id: &str, title: &str, tabs: Vec<Tab>) {
        let content = Content::Spreadsheet(Spreadsheet::of(tabs));
        let at: Timestamp = "2026-11-20T09:00:00Z".parse().unwrap();
        let file = File::new(title, content, at);
        self.account(|account| account.drive.put(id, file));
    }

    pub fn account<T>(&self, work: impl FnOnce(&mut GoogleAccount) -> T) -> T {
        self.running.google.with_account(ANA, work).unwrap()
    }

    pub fn file<T>(&self, id: &str, work: impl FnOnce(&mut File) -> T) -> T {
        self.account(|account| work(account.drive.file(id).unwrap()))
    }

    /// What is in a spreadsheet, seen from inside.
    pub fn book<T>(&self, id: &str, work: impl FnOnce(&mut Spreadsheet) -> T) -> T {
        self.file(id, |file| match &mut file.content {
            Content::Spreadsheet(book) => work(book),
            Content::Document(_) => panic!("a document"),
        })
    }

    /// What is in column A of the first tab, seen from inside.
    pub fn first_column(&self, id: &str) -> Vec<Option<Entered>> {
        self.book(id, |book| {
            let tab = &book.tabs[0];
            let cell = |row| Some(tab.cell(row, 0)?.entered.clone());
            (0..tab.filled()).map(cell).collect()
        })
    }

    pub fn calls(&self, method: &str) -> u64 {
        let counts = self.running.google.call_counts();
        counts.get(method).copied().unwrap_or_default()
    }

    pub fn next_minute(&self) {
        self.clock.advance(Duration::from_secs(60));
    }

    pub async fn read(&self, id: &str, range: &CellRange) -> Rows {
        let read = self.google.read(&account(), &id.into(), range).await;
        read.unwrap().unwrap()
    }

    pub async fn apply(
        &self,
        id: &str,
        change: &SheetChange,
        key: &str,
    ) -> Result<Applied, AccountError> {
        let id = SheetId::from(id);
        self.google.apply(&account(), &id, change, key).await
    }

    pub async fn find_applied(&self, id: &str, key: &str) -> Result<Option<Applied>, AccountError> {
        let id = SheetId::from(id);
        self.google.find_applied(&account(), &id, key).await
    }
}

/// Puts rows into a tab from its first cell on.
pub fn fill(tab: &mut Tab, rows: &Rows) {
    for (row, cells) in (0..).zip(rows) {
        for (column, cell) in (0..).zip(cells) {
            if let Some(cell) = kept(cell) {
                tab.put(row, column, cell);
            }
        }
    }
}

fn kept(cell: &Cell) -> Option<Kept> {
    Some(match cell {
        Cell::Empty => return None,
        Cell::Bool(is) => Entered::BoolValue(*is).into(),
        Cell::Number(number) => (*number).into(),
        Cell::Text(text) => text.as_str().into(),
    })
}

pub fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

pub fn range(a1: &str) -> CellRange {
    CellRange::parse(a1).unwrap()
}

pub fn append(rows: Rows) -> SheetChange {
    let tab = String::new();
    SheetChange::Append { tab, rows }
}

pub fn update(a1: &str, expected: Rows, values: Rows) -> SheetChange {
    SheetChange::Update {
        range: range(a1),
        expected,
        values,
    }
}

pub fn one(cell: Cell) -> Rows {
    vec![vec![cell]]
}

impl SheetsUnderTest for World {
    fn sheets(&self) -> Arc<dyn Sheets> {
        self.google.clone()
    }

    fn account(&self) -> Account {
        account()
    }

    fn stranger(&self) -> Account {
        support::stranger()
    }
}

mod suite {
    use super::World;
    alfred_testkit::sheets_conformance!(World::new().await);
}
