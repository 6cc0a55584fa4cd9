//! The calls of `sheets.txt`. Rows are JSON.

use alfred_core::id::SheetId;
use alfred_core::ports::{Applied, CellRange, Rows, Sheet, SheetChange, SheetSummary, Sheets};
use async_trait::async_trait;
use futures_util::future::join_all;

use super::account::{AccountSide, Names, error_word, error_words};
use super::{Calls, deduped, joined, pass};

/// The rows of the account's only sheet, "Spring budget", which has one tab.
pub fn given() -> Rows {
    rows(&[
        r#"[["Item", "Cost", "Paid"],"#,
        r#"["Oak, \"first\"", 1200.5, true],"#,
        r#"["Größe\n90 cm", -3, false],"#,
        r#"["007", null, "no"]]"#,
    ])
}

pub async fn sheets<P: Sheets + 'static>(open: impl AsyncFn() -> AccountSide<P>) {
    let open = async || World {
        side: open().await,
        names: Names::default(),
    };
    pass("sheets.txt", include_str!("sheets.txt"), open).await;
}

struct World<P> {
    side: AccountSide<P>,
    names: Names<SheetId>,
}

impl<P: Sheets> World<P> {
    async fn find(&self, words: &[&str]) -> Vec<SheetSummary> {
        let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
        let found = self.side.port.find(&self.side.account, &words, 10).await;
        found.unwrap()
    }

    /// The id of a sheet that a case has named, or of the first one of this title.
    async fn id(&mut self, title: &str) -> SheetId {
        if let Some(id) = self.names.id(title) {
            return id;
        }
        let found = self.find(&[title]).await;
        let id = &found.first().unwrap_or_else(|| panic!("no {title}")).id;
        self.names.name(id, title);
        id.clone()
    }

    async fn sheet(&self, id: &SheetId) -> Sheet {
        let sheet = self.side.port.sheet(&self.side.account, id).await;
        sheet.unwrap().unwrap()
    }

    fn show(&mut self, sheet: &Sheet) -> String {
        let [tab] = sheet.tabs.as_slice() else {
            panic!("{:?}", sheet.tabs)
        };
        assert!(sheet.may_edit && !tab.name.is_empty());
        let name = self.names.name(&sheet.summary.id, &sheet.summary.title);
        format!("{name}: {} × {}", tab.rows, tab.columns)
    }

    async fn read(&self, id: &SheetId, range: &CellRange) -> String {
        match self.side.port.read(&self.side.account, id, range).await {
            Ok(rows) => {
                let rows = rows.unwrap();
                let lines = rows.iter().map(|row| serde_json::to_string(row).unwrap());
                lines.collect::<Vec<_>>().join("\n")
            }
            Err(error) => error_word(error),
        }
    }

    async fn create(&mut self, title: &str, key: &str, header: &[&str], times: usize) -> String {
        let (port, account) = (self.side.port.clone(), &self.side.account);
        let header: Vec<String> = header.iter().map(|&name| name.into()).collect();
        let create = |_| port.create(account, title, &header, key);
        let made = join_all((0..times).map(create)).await;
        let found = port.find_created(account, key).await.unwrap();
        let mut shown = Vec::new();
        for made in made {
            assert_eq!(made.as_ref().ok(), found.as_ref());
            shown.push(made.map_or_else(error_word, |made| self.show(&made)));
        }
        deduped(shown, "\n")
    }

    async fn apply(&self, id: &SheetId, change: SheetChange, key: &str, times: usize) -> String {
        let (port, account) = (&self.side.port, &self.side.account);
        let apply = |_| port.apply(account, id, &change, key);
        let applied = join_all((0..times).map(apply)).await;
        let found = port.find_applied(account, id, key).await.unwrap();
        let mut shown = Vec::new();
        for applied in applied {
            let range = |applied: &Applied| applied.range.clone();
            assert_eq!(applied.as_ref().ok().map(range), found.as_ref().map(range));
            shown.push(applied.map_or_else(error_word, |applied| place(applied.range)));
        }
        if let Some(found) = found {
            assert_eq!(found.sheet.tabs, self.sheet(id).await.tabs);
        }
        deduped(shown, "\n")
    }

    async fn unknown(&self, id: SheetId) -> String {
        let (port, account) = (&self.side.port, &self.side.account);
        assert_eq!(port.sheet(account, &id).await.unwrap(), None);
        assert_eq!(port.read(account, &id, &range("A1")).await.unwrap(), None);
        self.apply(&id, a_change(), "k", 1).await
    }

    async fn as_stranger(&self, id: &SheetId) -> String {
        let (port, nobody) = (&self.side.port, &self.side.stranger);
        error_words([
            port.find(nobody, &[], 10).await.err(),
            port.sheet(nobody, id).await.err(),
            port.read(nobody, id, &range("A1")).await.err(),
            port.create(nobody, "No", &[], "k").await.err(),
            port.find_created(nobody, "k").await.err(),
            port.apply(nobody, id, &a_change(), "k").await.err(),
            port.find_applied(nobody, id, "k").await.err(),
        ])
    }
}

#[async_trait]
impl<P: Sheets> Calls for World<P> {
    async fn call(&mut self, words: &[&str]) -> String {
        let (port, account) = (self.side.port.clone(), self.side.account.clone());
        let (n, words) = match *words {
            [n, "×", ref words @ ..] => (n.parse().unwrap(), words),
            _ => (1, words),
        };
        match *words {
            ["find", ref words @ ..] => {
                let found = self.find(words).await;
                return joined(found.into_iter().map(|one| one.title), ", ");
            }
            ["create", title, key, ref row @ ..] => return self.create(title, key, row, n).await,
            ["created?", key] => {
                let found = port.find_created(&account, key).await.unwrap();
                return found.map_or("none".into(), |found| self.show(&found));
            }
            ["unknown", id] => return self.unknown(id.into()).await,
            _ => {}
        }
        let id = self.id(words[1]).await;
        match *words {
            ["sheet", _] => {
                let sheet = self.sheet(&id).await;
                self.show(&sheet)
            }
            ["read", _, a1] => self.read(&id, &range(a1)).await,
            ["read", _, a1, "of", "its", "tab"] => {
                let tab = self.sheet(&id).await.tabs.remove(0).name;
                self.read(&id, &CellRange { tab, ..range(a1) }).await
            }
            ["append", _, key, "to", tab, ref json @ ..] => {
                let change = append(tab, rows(json));
                self.apply(&id, change, key, n).await
            }
            ["append", _, key, ref json @ ..] => {
                self.apply(&id, append("", rows(json)), key, n).await
            }
            ["update", _, key, a1, ref json @ ..] => {
                let mut json = json.split(|word| *word == "to");
                let change = SheetChange::Update {
                    range: range(a1),
                    expected: rows(json.next().unwrap()),
                    values: rows(json.next().unwrap()),
                };
                self.apply(&id, change, key, n).await
            }
            ["applied?", _, key] => {
                let found = port.find_applied(&account, &id, key).await.unwrap();
                found.map_or("none".into(), |found| place(found.range))
            }
            ["stranger", _] => self.as_stranger(&id).await,
            _ => panic!("no call {words:?}"),
        }
    }
}

fn range(a1: &str) -> CellRange {
    CellRange::parse(a1).unwrap()
}

fn place(range: CellRange) -> String {
    let tab = String::new();
    CellRange { tab, ..range }.to_string()
}

fn rows(json: &[&str]) -> Rows {
    serde_json::from_str(&json.join(" ")).unwrap()
}

fn append(tab: &str, rows: Rows) -> SheetChange {
    let tab = tab.into();
    SheetChange::Append { tab, rows }
}

fn a_change() -> SheetChange {
    append("", rows(&[r#"[["x"]]"#]))
}
