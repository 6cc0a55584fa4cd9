//! Documents: text files.

use crate::Result;
use alfred_core::digest::sha256_hex;
use alfred_core::id::DocumentId;
use alfred_core::ports::{
    Account, AccountError, AccountService, Document, DocumentChange, DocumentSummary, Documents,
    DocumentsAccount, OutgoingFile, Share,
};
use alfred_core::text;
use async_trait::async_trait;

use super::files::{File, Kind};
use super::keys::{change_of, creation};
use super::{DocumentsFolder, decoded, removed};
use crate::port::{FolderAccount, Workspace};

/// Bytes of text that are returned of a longer document.
const MOST_TEXT: usize = 1_000_000;
const NOT_SHARED: &str = "Your documents are files in a folder, so I can't share them. I can attach one to a mail instead.";

impl DocumentsFolder {
    fn document(&self, id: &str) -> Result<Option<Document>> {
        let file = self.file(id, Kind::Document)?;
        file.as_ref().map(document).transpose()
    }

    fn written_document(&self, id: &str) -> Result<Document> {
        self.document(id)?.ok_or_else(removed)
    }

    fn document_of(&self, call: &str) -> Result<Option<Document>> {
        let done = self.done(call)?;
        done.map(|done| self.written_document(&done.file))
            .transpose()
    }
}

#[async_trait]
impl DocumentsAccount for FolderAccount {
    async fn find(&self, words: &[String], limit: usize) -> Result<Vec<DocumentSummary>> {
        let words = words.to_vec();
        let act = move |folder: &DocumentsFolder| folder.named(Kind::Document, &words, limit);
        self.person.with_documents(act).await
    }

    async fn read(&self, id: &DocumentId) -> Result<Option<Document>> {
        let id = id.clone();
        let act = move |folder: &DocumentsFolder| folder.document(id.as_str());
        self.person.with_documents(act).await
    }

    async fn create(&self, title: &str, text: &str, key: &str) -> Result<Document> {
        let (call, title, text) = (creation(key), title.to_owned(), text.to_owned());
        let act = move |folder: &DocumentsFolder| {
            let record = folder.create(&call, &title, "md", text.as_bytes())?;
            folder.written_document(&record.file)
        };
        self.person.with_documents(act).await
    }

    async fn find_created(&self, key: &str) -> Result<Option<Document>> {
        let call = creation(key);
        let act = move |folder: &DocumentsFolder| folder.document_of(&call);
        self.person.with_documents(act).await
    }

    async fn change(
        &self,
        id: &DocumentId,
        change: &DocumentChange,
        key: &str,
    ) -> Result<Document> {
        let (id, change) = (id.clone(), change.clone());
        let call = change_of(id.as_str(), key);
        let act = move |folder: &DocumentsFolder| {
            if folder.done(&call)?.is_none() {
                let file = folder.file(id.as_str(), Kind::Document)?;
                let file = file.ok_or_else(|| AccountError::refused(text::DOCUMENT_GONE))?;
                let before = file.bytes()?;
                let after = changed(&before, &change)?;
                folder.write(&call, &file, &before, &after, None)?;
            }
            folder.written_document(id.as_str())
        };
        self.person.with_documents(act).await
    }

    async fn find_changed(&self, id: &DocumentId, key: &str) -> Result<Option<Document>> {
        let call = change_of(id.as_str(), key);
        let act = move |folder: &DocumentsFolder| folder.document_of(&call);
        self.person.with_documents(act).await
    }

    async fn set_deleted(&self, id: &DocumentId, deleted: bool) -> Result<Option<DocumentSummary>> {
        let (id, kind) = (id.clone(), Kind::Document);
        let act = move |folder: &DocumentsFolder| folder.set_deleted(&id.0, kind, deleted);
        self.person.with_documents(act).await
    }

    async fn search(&self, words: &[String], limit: usize) -> Result<(Vec<DocumentSummary>, bool)> {
        let words = words.to_vec();
        let act = move |folder: &DocumentsFolder| folder.search(&words, limit);
        self.person.with_documents(act).await
    }

    async fn export(&self, id: &DocumentId, revision: &str) -> Result<Option<OutgoingFile>> {
        let (id, revision) = (id.clone(), revision.to_owned());
        let act = move |folder: &DocumentsFolder| {
            let file = folder.file(id.as_str(), Kind::Document)?;
            file.map(|file| exported(&file, &revision)).transpose()
        };
        self.person.with_documents(act).await
    }

    async fn set_access(&self, _: &DocumentId, _: &Share) -> Result<()> {
        Err(AccountError::refused(NOT_SHARED))
    }
}

#[async_trait]
impl Documents for Workspace {
    async fn open<'a>(&'a self, account: &'a Account) -> Result<Box<dyn DocumentsAccount + 'a>> {
        Ok(Box::new(self.folder(account, AccountService::Documents)?))
    }
}

fn document(file: &File) -> Result<Document> {
    let bytes = file.bytes()?;
    let mut text = Plain::read(&bytes)?.text;
    let truncated = text.len() > MOST_TEXT;
    text.truncate(text.floor_char_boundary(MOST_TEXT));
    Ok(Document {
        summary: file.summary(),
        text,
        truncated,
        revision: revision(&bytes),
        may_edit: true,
        link: None,
        shares: Err(NOT_SHARED.to_owned()),
    })
}

fn exported(file: &File, revision: &str) -> Result<OutgoingFile> {
    let content = file.bytes()?;
    if self::revision(&content) != revision {
        return Err(AccountError::refused(text::DOCUMENT_CHANGED));
    }
    let name = file.id.rsplit('/').next().unwrap_or_default().to_owned();
    let is_plain = name.to_lowercase().ends_with(".txt");
    let kind = if is_plain { "plain" } else { "markdown" };
    Ok(OutgoingFile {
        name,
        content_type: format!("text/{kind}"),
        content,
        version: None,
    })
}

fn revision(bytes: &[u8]) -> String {
    sha256_hex(bytes)[..16].to_owned()
}

fn changed(before: &[u8], change: &DocumentChange) -> Result<Vec<u8>> {
    if revision(before) != change.revision {
        return Err(AccountError::refused(text::DOCUMENT_CHANGED));
    }
    let plain = Plain::read(before)?;
    Ok(plain.with(&change.edit.applied_to(&plain.text)?))
}

/// A text file. Its byte order mark and line ends are preserved.
struct Plain<'a> {
    mark: &'a str,
    text: String,
    crlf: bool,
}

impl<'a> Plain<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self> {
        let (mark, text) = decoded(bytes)?;
        let crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
        let text = text.replace("\r\n", if crlf { "\n" } else { "\r\n" });
        Ok(Self { mark, text, crlf })
    }

    fn with(&self, text: &str) -> Vec<u8> {
        let text = text.replace('\n', if self.crlf { "\r\n" } else { "\n" });
        format!("{}{text}", self.mark).into_bytes()
    }
}
