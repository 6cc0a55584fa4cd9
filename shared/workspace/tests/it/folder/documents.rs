//! The calls about documents and sheets.

use super::{World, names};
use crate::support::ana;

use alfred_core::id::{DocumentId, SheetId};
use alfred_core::ports::{
    Access, AccountError, Cell, CellRange, Document, DocumentChange, Documents, Edit, Mailbox,
    Share, SheetChange, Sheets,
};
use std::fs;

/// Texts with more bytes than these are counted only.
const LONG: usize = 1_000;

impl World {
    pub(super) async fn document(&mut self, words: &[&str]) -> Result<String, AccountError> {
        let (port, ana) = (self.folder.workspace.clone(), ana());
        match *words {
            ["documents", ref words @ ..] => {
                let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
                let found = Documents::find(&port, &ana, &words, 100).await?;
                let mut ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
                ids.sort_unstable();
                Ok(ids.join("\n"))
            }
            ["search", ref words @ ..] => {
                let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
                let (found, complete) = port.search(&ana, &words, 100).await?;
                let ids = found.iter().map(|one| one.id.as_str());
                let left_out = (!complete).then_some("and not all was searched");
                Ok(ids.chain(left_out).collect::<Vec<_>>().join("\n"))
            }
            ["export", id] => {
                let read = Documents::read(&port, &ana, &id.into()).await?.unwrap();
                let file = port.export(&ana, &id.into(), &read.revision).await?;
                let file = file.unwrap();
                Ok(format!("{}, {}", file.name, file.content_type))
            }
            ["share", id] => {
                let to = Share {
                    with: Mailbox::new("", "b@c.example"),
                    access: Access::Reader,
                };
                port.set_access(&ana, &id.into(), &to).await?;
                Ok("shared".into())
            }
            ["document", id] => {
                let read = Documents::read(&port, &ana, &id.into()).await?;
                Ok(read.as_ref().map_or("none".into(), shown))
            }
            ["create", title, text, key] => {
                let made = Documents::create(&port, &ana, title, text, key).await?;
                Ok(made.summary.id.to_string())
            }
            ["created?", key] => {
                let found = Documents::find_created(&port, &ana, key).await?;
                Ok(found.as_ref().map_or("none".into(), shown))
            }
            ["append", id, line, key] => {
                let id = DocumentId::from(id);
                let now = Documents::read(&port, &ana, &id).await?.unwrap();
                let change = DocumentChange {
                    edit: Edit::Append(line.into()),
                    revision: now.revision,
                };
                Ok(shown(&port.change(&ana, &id, &change, key).await?))
            }
            ["written?", id, key] => {
                let found = port.find_changed(&ana, &id.into(), key).await?;
                Ok(found.as_ref().map_or("none".into(), shown))
            }
            ["delete", id] => {
                let gone = Documents::set_deleted(&port, &ana, &id.into(), true).await?;
                Ok(gone.map_or("none".into(), |one| one.id.to_string()))
            }
            ["begun"] => {
                self.as_begun();
                Ok(String::new())
            }
            ["sheets", word] => {
                let found = Sheets::find(&port, &ana, &[word.into()], 10).await?;
                let ids: Vec<&str> = found.iter().map(|one| one.id.as_str()).collect();
                Ok(ids.join("\n"))
            }
            ["sheet", id] => Ok(format!("{:?}", port.sheet(&ana, &id.into()).await?)),
            ["cells", id, range] => {
                let range = CellRange::parse(range).unwrap();
                let rows = Sheets::read(&port, &ana, &id.into(), &range).await?;
                let rows = rows.unwrap().into_iter().map(|row| format!("{row:?}"));
                Ok(rows.collect::<Vec<_>>().join("\n"))
            }
            ["row", id, text, key] => {
                let row = SheetChange::Append {
                    tab: String::new(),
                    rows: vec![vec![Cell::Text(text.into())]],
                };
                let done = port.apply(&ana, &SheetId::from(id), &row, key).await?;
                Ok(done.range.to_string())
            }
            ["cell", id, cell, text, key] => {
                let (id, range) = (SheetId::from(id), CellRange::parse(cell).unwrap());
                let expected = Sheets::read(&port, &ana, &id, &range).await?.unwrap();
                let values = vec![vec![Cell::Text(text.into())]];
                let change = SheetChange::Update {
                    range,
                    expected,
                    values,
                };
                let done = port.apply(&ana, &id, &change, key).await?;
                Ok(done.range.to_string())
            }
            _ => panic!("no such call: {words:?}"),
        }
    }

    /// Makes the record of the only call one of a call whose file isn't written yet.
    fn as_begun(&self) {
        let folder = self.folder.path("documents/.alfred");
        let [name] = names(&folder).try_into().unwrap();
        let path = folder.join::<String>(name);
        let record = fs::read_to_string(&path).unwrap();
        assert!(record.contains("\"done\":true"), "{record}");
        fs::write(&path, record.replace("\"done\":true", "\"done\":false")).unwrap();
    }
}

fn shown(document: &Document) -> String {
    let is_cut = document.truncated;
    let end = if is_cut { ", truncated" } else { "" };
    if document.text.len() > LONG {
        return format!("{} bytes{end}", document.text.len());
    }
    format!("{}{end}", document.text)
}
