//! Documents in memory.

use super::Result;
use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Clock, Document, DocumentChange, DocumentSummary,
    Documents, DocumentsAccount,
};
use alfred_core::text;
use async_trait::async_trait;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::people::{MemoryAccount, People};

pub struct MemoryDocuments {
    clock: Arc<dyn Clock>,
    people: People<Person>,
}

#[derive(Default)]
struct Person {
    documents: Vec<Document>,
    created: HashMap<String, DocumentId>,
    changed: HashSet<(DocumentId, String)>,
}

impl MemoryDocuments {
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            people: People::new(AccountService::Documents),
        }
    }

    pub fn with(self, account: &Account, documents: Vec<Document>) -> Self {
        let person = Person {
            documents,
            ..Person::default()
        };
        self.people.add(account, person);
        self
    }

    pub fn rewrite(&self, account: &Account, id: &DocumentId, text: &str) {
        let now = self.clock.now();
        self.people.known(account, |person| {
            let document = person.get(id).unwrap();
            document.text = text.to_owned();
            document.revision.push('\'');
            document.summary.modified = now;
        });
    }
}

impl Person {
    fn get(&mut self, id: &DocumentId) -> Option<&mut Document> {
        self.documents.iter_mut().find(|one| one.summary.id == *id)
    }

    fn made(&mut self, key: &str) -> Option<Document> {
        let id = self.created.get(key).cloned()?;
        self.get(&id).cloned()
    }
}

#[async_trait]
impl DocumentsAccount for MemoryAccount<'_, MemoryDocuments, Person> {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<DocumentSummary>> {
        self.of(|person| {
            let all = person.documents.iter().map(|one| one.summary.clone());
            let mut fit: Vec<_> = all.filter(|one| super::holds(&one.title, words)).collect();
            fit.sort_by(|a, b| (b.modified, &a.id).cmp(&(a.modified, &b.id)));
            fit.truncate(limit.clamp(1, 100));
            fit
        })
    }

    async fn read(&self, id: &DocumentId) -> Result<Option<Document>> {
        self.of(|person| person.get(id).cloned())
    }

    async fn create(&self, title: &str, text: &str, key: &str) -> Result<Document> {
        let modified = self.port.clock.now();
        self.of(|person| {
            if title.trim().is_empty() {
                return Err(AccountError::refused(text::TITLE_MISSING));
            }
            if let Some(made) = person.made(key) {
                return Ok(made);
            }
            let id = DocumentId(format!("made-{}", person.created.len() + 1));
            let document = Document {
                summary: DocumentSummary {
                    id: id.clone(),
                    title: title.to_owned(),
                    modified,
                },
                text: text.to_owned(),
                truncated: false,
                revision: "1".into(),
                may_edit: true,
                link: Some(format!("https://docs.example/{id}")),
            };
            person.created.insert(key.to_owned(), id);
            person.documents.push(document.clone());
            Ok(document)
        })?
    }

    async fn find_created(&self, key: &str) -> Result<Option<Document>> {
        self.of(|person| person.made(key))
    }

    async fn change(
        &self,
        id: &DocumentId,
        change: &DocumentChange,
        key: &str,
    ) -> Result<Document> {
        let now = self.port.clock.now();
        let refused = |reason: &str| Err(AccountError::refused(reason));
        self.of(|person| {
            let key = (id.clone(), key.to_owned());
            let was_changed = person.changed.contains(&key);
            let Some(document) = person.get(id) else {
                return refused(text::DOCUMENT_GONE);
            };
            if was_changed {
                return Ok(document.clone());
            }
            if !document.may_edit {
                return refused(text::DOCUMENT_READ_ONLY);
            }
            if document.revision != change.revision {
                return refused(text::DOCUMENT_CHANGED);
            }
            document.text = change.edit.applied_to(&document.text)?;
            document.revision.push('+');
            document.summary.modified = now;
            let changed = document.clone();
            person.changed.insert(key);
            Ok(changed)
        })?
    }

    async fn find_changed(&self, id: &DocumentId, key: &str) -> Result<Option<Document>> {
        self.of(|person| {
            let key = (id.clone(), key.to_owned());
            let was_changed = person.changed.contains(&key);
            was_changed.then(|| person.get(id).cloned()).flatten()
        })
    }
}

#[async_trait]
impl Documents for MemoryDocuments {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn DocumentsAccount + 'a>> {
        Ok(Box::new(MemoryAccount {
            port: self,
            people: &self.people,
            account,
        }))
    }
}
