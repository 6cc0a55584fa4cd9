//! The calls of `documents.txt`.

use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Access, AccountError, Document, DocumentChange, DocumentSummary, Documents, Edit, Mailbox,
    Share,
};
use async_trait::async_trait;
use futures_util::future::join_all;
use std::collections::HashMap;

use super::account::{AccountSide, Names, error_word, error_words};
use super::{Calls, deduped, joined, pass, quoted};

/// What the account holds. Providers choose the ids.
pub fn given() -> Vec<Document> {
    serde_json::from_str(include_str!("documents.json")).unwrap()
}

pub async fn documents<P: Documents + 'static>(open: impl AsyncFn() -> AccountSide<P>) {
    let open = async || World {
        side: open().await,
        names: Names::default(),
        seen: HashMap::new(),
    };
    pass("documents.txt", include_str!("documents.txt"), open).await;
}

struct World<P> {
    side: AccountSide<P>,
    names: Names<DocumentId>,
    /// Each document as it was when the case named it first, or read it last. Changes are made for its revision.
    seen: HashMap<DocumentId, Document>,
}

impl<P: Documents> World<P> {
    async fn find(&self, limit: usize, words: &[&str]) -> Vec<DocumentSummary> {
        let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
        let found = self.side.port.find(&self.side.account, &words, limit);
        found.await.unwrap()
    }

    async fn id(&mut self, title: &str) -> DocumentId {
        if let Some(id) = self.names.id(title) {
            return id;
        }
        let found = self.find(10, &[title]).await;
        let id = &found.first().unwrap_or_else(|| panic!("no {title}")).id;
        self.names.name(id, title);
        let document = self.document(id).await;
        self.seen.insert(id.clone(), document);
        id.clone()
    }

    async fn document(&self, id: &DocumentId) -> Document {
        let read = self.side.port.read(&self.side.account, id).await;
        read.unwrap().unwrap()
    }

    fn show(&mut self, document: &Document) -> String {
        assert!(document.may_edit && !document.truncated && !document.revision.is_empty());
        let (id, title) = (&document.summary.id, &document.summary.title);
        let first = self.seen.entry(id.clone()).or_insert(document.clone());
        assert!(first.text == document.text || first.revision != document.revision);
        format!("{}: {}", self.names.name(id, title), quoted(&document.text))
    }

    async fn make(&self, words: &[&str]) -> Result<Document, AccountError> {
        let (port, account) = (&self.side.port, &self.side.account);
        let (title, edit, key) = match *words {
            ["create", title, text, key] => return port.create(account, title, text, key).await,
            ["append", title, more, key] => (title, Edit::Append(more.into()), key),
            ["replace", title, old, new, key] => {
                let (old, new) = (old.into(), new.into());
                (title, Edit::Replace { old, new }, key)
            }
            _ => panic!("no call {words:?}"),
        };
        let id = self.names.id(title).unwrap();
        let revision = self.seen[&id].revision.clone();
        let change = DocumentChange { edit, revision };
        port.change(account, &id, &change, key).await
    }

    /// Makes a call several times at once. What it returned must be found by its key and read.
    async fn make_at_once(&mut self, words: &[&str], times: usize) -> String {
        let done = join_all((0..times).map(|_| self.make(words))).await;
        let made = self.made(words).await;
        if let Some(made) = &made {
            assert_eq!(self.document(&made.summary.id).await, *made);
        }
        let mut shown = Vec::new();
        for done in done {
            // With concurrent calls, one may return a state that another has changed since.
            assert!(times > 1 || done.as_ref().ok() == made.as_ref());
            shown.push(done.map_or_else(error_word, |document| self.show(&document)));
        }
        deduped(shown, "\n")
    }

    /// What was created or changed with the key of a call.
    async fn made(&self, words: &[&str]) -> Option<Document> {
        let (port, account) = (&self.side.port, &self.side.account);
        let found = match *words {
            ["create" | "created?", .., key] => port.find_created(account, key).await,
            [_, title, .., key] => {
                let id = self.names.id(title).unwrap();
                port.find_changed(account, &id, key).await
            }
            _ => panic!("no call {words:?}"),
        };
        found.unwrap()
    }

    async fn unknown(&self, id: DocumentId) -> String {
        let (port, account) = (&self.side.port, &self.side.account);
        assert_eq!(port.read(account, &id).await.unwrap(), None);
        let changed = port.change(account, &id, &a_change(), "k").await;
        assert_eq!(port.find_changed(account, &id, "k").await.unwrap(), None);
        assert_eq!(port.set_deleted(account, &id, true).await.unwrap(), None);
        assert_eq!(port.export(account, &id, "1").await.unwrap(), None);
        error_word(changed.unwrap_err())
    }

    async fn as_stranger(&self, id: &DocumentId) -> String {
        let (port, nobody) = (&self.side.port, &self.side.stranger);
        let (with, access) = (Mailbox::new("", "a@b.example"), Access::None);
        let nothing = Share { with, access };
        error_words([
            port.find(nobody, &[], 10).await.err(),
            port.read(nobody, id).await.err(),
            port.create(nobody, "No", "x", "k").await.err(),
            port.find_created(nobody, "k").await.err(),
            port.change(nobody, id, &a_change(), "k").await.err(),
            port.find_changed(nobody, id, "k").await.err(),
            port.set_deleted(nobody, id, true).await.err(),
            port.search(nobody, &[], 10).await.err(),
            port.export(nobody, id, "1").await.err(),
            port.set_access(nobody, id, &nothing).await.err(),
        ])
    }
}

fn a_change() -> DocumentChange {
    DocumentChange {
        edit: Edit::Append("x".into()),
        revision: "1".into(),
    }
}

#[async_trait]
impl<P: Documents> Calls for World<P> {
    async fn call(&mut self, words: &[&str]) -> String {
        let (times, words) = match *words {
            [times, "×", ref words @ ..] => (times.parse().unwrap(), words),
            _ => (1, words),
        };
        let id = match *words {
            ["find" | "search" | "create" | "created?" | "unknown", ..] => "".into(),
            _ => self.id(words[1]).await,
        };
        match *words {
            ["find", limit, ref words @ ..] => {
                let found = self.find(limit.parse().unwrap(), words).await;
                joined(found.into_iter().map(|one| one.title), ", ")
            }
            ["search", limit, ref words @ ..] => {
                let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
                let (port, account) = (&self.side.port, &self.side.account);
                let found = port.search(account, &words, limit.parse().unwrap());
                let (found, complete) = found.await.unwrap();
                assert!(complete);
                joined(found.into_iter().map(|one| one.title), ", ")
            }
            ["export", _] => {
                let revision = &self.seen[&id].revision;
                let (port, account) = (&self.side.port, &self.side.account);
                match port.export(account, &id, revision).await {
                    Ok(file) => file.map_or("none".into(), |file| {
                        assert!(!file.content_type.is_empty() && !file.content.is_empty());
                        file.name.rsplit_once('.').unwrap().0.to_owned()
                    }),
                    Err(error) => error_word(error),
                }
            }
            ["size", _] => self.document(&id).await.summary.size.unwrap().to_string(),
            ["read", _] => {
                let read = self.document(&id).await;
                let shown = self.show(&read);
                self.seen.insert(id, read);
                shown
            }
            ["modified", _] => self.seen[&id].summary.modified.to_string(),
            ["unchanged?", _] => (self.document(&id).await == self.seen[&id]).to_string(),
            ["created?", _] | ["changed?", ..] => {
                let made = self.made(words).await;
                made.map_or("none".into(), |made| self.show(&made))
            }
            ["unknown", id] => self.unknown(id.into()).await,
            [call @ ("delete" | "restore"), _] => {
                let (port, account) = (&self.side.port, &self.side.account);
                let moved = port.set_deleted(account, &id, call == "delete").await;
                moved.unwrap().map_or("none".into(), |moved| moved.title)
            }
            ["stranger", _] => self.as_stranger(&id).await,
            _ => self.make_at_once(words, times).await,
        }
    }
}
