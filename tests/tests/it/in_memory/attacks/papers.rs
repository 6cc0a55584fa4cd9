//! The owner's documents, sheets and raw mails, as providers return them.

use alfred_core::ports::{Cell, CellRange, Documents, MailMessage, Rows, Sheets};
use alfred_google_local::drive::File;
use alfred_mime::Raw;
use jiff::Timestamp;
use serde::Deserialize;

use super::held::Held;
use super::office::{Office, account};
use crate::in_memory::documents::document;

/// A raw mail line by line, headers included.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawMail {
    id: String,
    lines: Vec<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldDocument {
    id: String,
    title: String,
    text: String,
    modified: Timestamp,
}

/// Cells as they would be typed.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldSheet {
    id: String,
    title: String,
    modified: Timestamp,
    tabs: Vec<(String, Vec<Vec<String>>)>,
}

pub struct Paper {
    pub id: String,
    pub title: String,
    pub texts: Vec<String>,
}

impl RawMail {
    pub fn message(&self) -> MailMessage {
        let bytes = self.lines.join("\r\n").into_bytes();
        let raw = Raw {
            bytes: &bytes,
            whole: true,
            size: bytes.len() as u64,
            modified: "2025-06-09T18:00:00Z".parse().unwrap(),
        };
        let mut mail = raw.message().unwrap();
        mail.summary.id = self.id.as_str().into();
        mail
    }
}

impl HeldDocument {
    pub fn file(&self) -> (String, File) {
        let file = document(&self.title, self.modified, &self.text);
        (self.id.clone(), file)
    }

    fn paper(&self) -> Paper {
        Paper {
            id: self.id.clone(),
            title: self.title.clone(),
            texts: self.text.lines().map(str::to_owned).collect(),
        }
    }
}

impl HeldSheet {
    pub fn file(&self) -> (String, File) {
        let file = File::sheet(&self.title, self.modified, self.tabs());
        (self.id.clone(), file)
    }

    fn tabs(&self) -> Vec<(&str, Rows)> {
        let row = |row: &Vec<String>| row.iter().map(|cell| Cell::typed(cell)).collect();
        let tabs = self.tabs.iter();
        let tabs = tabs.map(|(name, rows)| (name.as_str(), rows.iter().map(row).collect()));
        tabs.collect()
    }

    fn paper(&self) -> Paper {
        let tabs = self.tabs();
        let names = tabs.iter().map(|(name, _)| (*name).to_owned());
        let cells = tabs.iter().flat_map(|(_, rows)| rows.iter().flatten());
        Paper {
            id: self.id.clone(),
            title: self.title.clone(),
            texts: names.chain(cells.map(Cell::to_string)).collect(),
        }
    }
}

impl Held {
    /// Documents and sheets before the attack.
    pub fn papers(&self) -> Vec<Paper> {
        let documents = self.documents.iter().map(HeldDocument::paper);
        let sheets = self.sheets.iter().map(HeldSheet::paper);
        documents.chain(sheets).collect()
    }
}

impl Office {
    /// Documents and sheets now.
    pub async fn papers(&self) -> Vec<Paper> {
        let (account, mut papers) = (account(), Vec::new());
        let Some(google) = &self.google else {
            return papers;
        };
        let documents: &dyn Documents = &**google;
        for found in documents.find(&account, &[], 100).await.unwrap() {
            let read = documents.read(&account, &found.id).await.unwrap();
            // Google escapes marks that are meant as text.
            let text = read.unwrap().text.replace('\\', "");
            papers.push(Paper {
                id: found.id.to_string(),
                title: found.title,
                texts: text.lines().map(str::to_owned).collect(),
            });
        }
        let sheets: &dyn Sheets = &**google;
        for found in sheets.find(&account, &[], 100).await.unwrap() {
            let sheet = sheets.sheet(&account, &found.id).await.unwrap();
            let mut texts = Vec::new();
            for tab in sheet.unwrap().tabs {
                let range = CellRange {
                    tab: tab.name.clone(),
                    top: 1,
                    left: 1,
                    rows: tab.rows.max(1),
                    columns: tab.columns.max(1),
                };
                let cells = sheets.read(&account, &found.id, &range).await.unwrap();
                texts.extend(cells.unwrap().iter().flatten().map(Cell::to_string));
                texts.push(tab.name);
            }
            papers.push(Paper {
                id: found.id.to_string(),
                title: found.title,
                texts,
            });
        }
        papers
    }
}
