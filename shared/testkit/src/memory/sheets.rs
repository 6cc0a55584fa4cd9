//! Sheets in memory.

use super::Result;
use alfred_core::id::SheetId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Applied, Cell, CellRange, Clock, Rows, Sheet,
    SheetChange, SheetSummary, Sheets, SheetsAccount, Tab,
};
use alfred_core::text;
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;

use super::people::{MemoryAccount, People};

pub struct MemorySheets {
    clock: Arc<dyn Clock>,
    people: People<Person>,
}

#[derive(Clone, Debug)]
pub struct StoredSheet {
    pub summary: SheetSummary,
    pub tabs: Vec<(String, Rows)>,
    pub may_edit: bool,
}

#[derive(Default)]
struct Person {
    sheets: Vec<StoredSheet>,
    created: HashMap<String, SheetId>,
    applied: HashMap<(SheetId, String), CellRange>,
}

impl StoredSheet {
    fn shown(&self) -> Sheet {
        let tabs = self.tabs.iter().map(|(name, rows)| Tab {
            name: name.clone(),
            rows: count(rows.len()),
            columns: count(rows.iter().map(Vec::len).max().unwrap_or_default()),
        });
        Sheet {
            summary: self.summary.clone(),
            tabs: tabs.collect(),
            may_edit: self.may_edit,
            link: Some(format!("https://sheets.example/{}", self.summary.id)),
        }
    }

    fn tab(&mut self, name: &str) -> Result<&mut (String, Rows)> {
        let mut tabs = self.tabs.iter_mut();
        let found = tabs.find(|(its, _)| name.is_empty() || its == name);
        found.ok_or_else(|| AccountError::refused(text::no_such_tab(name)))
    }

    fn read(&mut self, range: &CellRange) -> Result<Rows> {
        range.check()?;
        let (_, rows) = self.tab(&range.tab)?;
        let cell = |row: u32, column: u32| -> Cell {
            let (row, column) = ((range.top - 1 + row) as usize, range.left - 1 + column);
            let cell = rows.get(row).and_then(|row| row.get(column as usize));
            cell.cloned().unwrap_or_default()
        };
        let row = |row: u32| (0..range.columns).map(|column| cell(row, column)).collect();
        Ok((0..range.rows).map(row).collect())
    }

    fn apply(&mut self, change: &SheetChange) -> Result<CellRange> {
        change.check()?;
        match change {
            SheetChange::Append { tab, rows } => {
                let (name, there) = self.tab(tab)?;
                let top = count(there.len()) + 1;
                there.extend(rows.iter().cloned());
                Ok(CellRange {
                    tab: name.clone(),
                    top,
                    left: 1,
                    rows: count(rows.len()),
                    columns: count(rows.iter().map(Vec::len).max().unwrap_or_default()),
                })
            }
            SheetChange::Update {
                range,
                expected,
                values,
            } => {
                if self.read(range)? != *expected {
                    return Err(AccountError::refused(text::CELLS_CHANGED));
                }
                let (name, there) = self.tab(&range.tab)?;
                let left = (range.left - 1) as usize;
                for (number, values) in values.iter().enumerate() {
                    let row = (range.top - 1) as usize + number;
                    there.resize(there.len().max(row + 1), Vec::new());
                    let right = left + values.len();
                    let row = &mut there[row];
                    row.resize(row.len().max(right), Cell::Empty);
                    row[left..right].clone_from_slice(values);
                }
                Ok(CellRange {
                    tab: name.clone(),
                    ..range.clone()
                })
            }
        }
    }
}

fn count(many: usize) -> u32 {
    u32::try_from(many).unwrap()
}

impl MemorySheets {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            people: People::new(AccountService::Sheets),
        }
    }

    pub fn with(self, account: &Account, sheets: Vec<StoredSheet>) -> Self {
        let person = Person {
            sheets,
            ..Person::default()
        };
        self.people.add(account, person);
        self
    }
}

impl Person {
    fn get(&mut self, id: &SheetId) -> Option<&mut StoredSheet> {
        self.sheets.iter_mut().find(|one| one.summary.id == *id)
    }

    fn applied(&mut self, id: &SheetId, key: &str) -> Option<Applied> {
        let range = self.applied.get(&(id.clone(), key.to_owned())).cloned()?;
        let sheet = self.get(id)?.shown();
        Some(Applied { sheet, range })
    }
}

#[async_trait]
impl SheetsAccount for MemoryAccount<'_, MemorySheets, Person> {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<SheetSummary>> {
        self.of(|person| {
            let all = person.sheets.iter().map(|one| one.summary.clone());
            let mut fit: Vec<_> = all.filter(|one| super::holds(&one.title, words)).collect();
            fit.sort_by(|a, b| (b.modified, &a.id).cmp(&(a.modified, &b.id)));
            fit.truncate(limit.clamp(1, 100));
            fit
        })
    }

    async fn sheet(&self, id: &SheetId) -> Result<Option<Sheet>> {
        self.of(|person| person.get(id).map(|sheet| sheet.shown()))
    }

    async fn read(&self, id: &SheetId, range: &CellRange) -> Result<Option<Rows>> {
        self.of(|person| person.get(id).map(|sheet| sheet.read(range)).transpose())?
    }

    async fn create(&self, title: &str, header: &[String], key: &str) -> Result<Sheet> {
        let modified = self.port.clock.now();
        self.of(|person| {
            if title.trim().is_empty() {
                return Err(AccountError::refused(text::TITLE_MISSING));
            }
            let made = person.created.get(key).cloned();
            if let Some(made) = made.and_then(|id| person.get(&id).map(|sheet| sheet.shown())) {
                return Ok(made);
            }
            let id = SheetId(format!("made-{}", person.created.len() + 1));
            let header: Vec<Cell> = header.iter().map(|name| Cell::Text(name.clone())).collect();
            let rows = if header.is_empty() {
                vec![]
            } else {
                vec![header]
            };
            let sheet = StoredSheet {
                summary: SheetSummary {
                    id: id.clone(),
                    title: title.to_owned(),
                    modified,
                },
                tabs: vec![("Sheet1".into(), rows)],
                may_edit: true,
            };
            person.created.insert(key.to_owned(), id);
            person.sheets.push(sheet.clone());
            Ok(sheet.shown())
        })?
    }

    async fn find_created(&self, key: &str) -> Result<Option<Sheet>> {
        self.of(|person| {
            let id = person.created.get(key).cloned()?;
            person.get(&id).map(|sheet| sheet.shown())
        })
    }

    async fn apply(&self, id: &SheetId, change: &SheetChange, key: &str) -> Result<Applied> {
        let now = self.port.clock.now();
        self.of(|person| {
            if let Some(applied) = person.applied(id, key) {
                return Ok(applied);
            }
            let gone = || AccountError::refused(text::SHEET_GONE);
            let sheet = person.get(id).ok_or_else(gone)?;
            if !sheet.may_edit {
                return Err(AccountError::refused(text::SHEET_READ_ONLY));
            }
            let range = sheet.apply(change)?;
            sheet.summary.modified = now;
            let place = (id.clone(), key.to_owned());
            person.applied.insert(place, range);
            person.applied(id, key).ok_or_else(gone)
        })?
    }

    async fn find_applied(&self, id: &SheetId, key: &str) -> Result<Option<Applied>> {
        self.of(|person| person.applied(id, key))
    }
}

#[async_trait]
impl Sheets for MemorySheets {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn SheetsAccount + 'a>> {
        Ok(Box::new(MemoryAccount {
            port: self,
            people: &self.people,
            account,
        }))
    }
}
