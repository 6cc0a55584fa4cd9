//! A person's files in the store. Each file has a row with metadata and a row with the body, so
//! that listings read no bodies. Large bodies are stored as blobs ([`crate::ports::Spilling`]).

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::sha256_hex;
use crate::id::{TeamId, UserId};
use crate::keys;
use crate::ports::{
    Condition, FileBody, FileInfo, FileKind, Files, FilesError, Listing, MOST_FILE_BYTES,
    MOST_FILES, MOST_LISTED, Query, Range, Store, VirtualPath, Write,
};

const VERSION: u8 = 1;

pub struct StoredFiles {
    store: Arc<dyn Store>,
    team: TeamId,
    user: UserId,
    now: Timestamp,
}

/// The metadata row of a file. Its key is the path in lower case, so that no two paths differ only in case.
#[derive(Serialize, Deserialize)]
struct Row {
    v: u8,
    path: VirtualPath,
    bytes: u64,
    digest: String,
    tainted: bool,
    modified: Timestamp,
}

impl Row {
    fn info(&self) -> FileInfo {
        FileInfo {
            kind: FileKind::File,
            bytes: self.bytes,
            modified: Some(self.modified),
            tainted: self.tainted,
        }
    }
}

impl StoredFiles {
    /// A person's files. New writes get the time `now`.
    pub fn of(store: Arc<dyn Store>, team: &TeamId, user: &UserId, now: Timestamp) -> Self {
        Self {
            store,
            team: team.clone(),
            user: user.clone(),
            now,
        }
    }

    async fn rows(&self) -> Result<Vec<Row>, FilesError> {
        let query = Query::state(keys::files(&self.team, &self.user), Range::All);
        let items = query.all(&*self.store).await?.into_iter();
        let rows = items.map(|item| Ok(item.decode("file")?));
        rows.collect()
    }

    /// The row of a file with its version, ignoring case.
    async fn row(&self, path: &VirtualPath) -> Result<Option<(Row, u64)>, FilesError> {
        let key = keys::file(&self.team, &self.user, path);
        let Some(item) = self.store.get(&key).await? else {
            return Ok(None);
        };
        let version = item.version;
        Ok(Some((item.decode("file")?, version)))
    }

    /// The row of a file with exactly this path.
    async fn file(&self, path: &VirtualPath) -> Result<(Row, u64), FilesError> {
        match self.row(path).await? {
            Some((row, version)) if row.path == *path => Ok((row, version)),
            _ if path.name().is_none() || !self.in_folder(path).await?.is_empty() => {
                Err(FilesError::invalid(path, "is a folder"))
            }
            _ => Err(FilesError::not_found(path)),
        }
    }

    /// All files below a folder, with paths relative to it.
    async fn in_folder(
        &self,
        folder: &VirtualPath,
    ) -> Result<Vec<(VirtualPath, FileInfo)>, FilesError> {
        let rows = self.rows().await?.into_iter();
        let below = rows.filter_map(|row| Some((row.path.below(folder)?, row.info())));
        Ok(below.filter(|(path, _)| path.name().is_some()).collect())
    }
}

/// Checks that a new file fits among the existing ones.
fn check_new(path: &VirtualPath, rows: &[Row]) -> Result<(), FilesError> {
    if rows.len() >= MOST_FILES {
        return Err(FilesError::too_large(path, MOST_FILES, "files"));
    }
    let own: Vec<VirtualPath> = path.above().collect();
    for row in rows {
        if own.contains(&row.path) {
            return Err(FilesError::invalid(path, "lies below a file"));
        }
        if row.path.below(path).is_some() {
            return Err(FilesError::invalid(path, "is a folder"));
        }
        for there in row.path.above().chain([row.path.clone()]) {
            let alike = |mine: &VirtualPath| *mine != there && mine.folded() == there.folded();
            if own.iter().chain([path]).any(alike) {
                return Err(FilesError::invalid(path, OTHER_CASE));
            }
        }
    }
    Ok(())
}

/// Error for a name that differs from an existing one only in case.
const OTHER_CASE: &str = "is there already in another case";

#[async_trait]
impl Files for StoredFiles {
    async fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError> {
        if let Some((row, _)) = self.row(path).await?.filter(|(row, _)| row.path == *path) {
            return Ok(row.info());
        }
        let inside = self.in_folder(path).await?;
        if inside.is_empty() && path.name().is_some() {
            return Err(FilesError::not_found(path));
        }
        let tainted = inside.iter().any(|(_, file)| file.tainted);
        Ok(FileInfo::folder(tainted))
    }

    async fn read(&self, path: &VirtualPath) -> Result<FileBody, FilesError> {
        let (row, _) = self.file(path).await?;
        let key = keys::file_body(&self.team, &self.user, path);
        let body = self.store.get(&key).await?.map(|item| item.body);
        let bytes = body.as_ref().and_then(bytes_of);
        // Both rows are written together. A different digest means that the file was written
        // between the two reads.
        let bytes = bytes.filter(|bytes| sha256_hex(bytes) == row.digest);
        let info = row.info();
        match bytes {
            Some(bytes) => Ok(FileBody { info, bytes }),
            None => Err(FilesError::Unavailable {
                detail: "a file's body isn't what its row says".into(),
            }),
        }
    }

    async fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError> {
        let inside = self.in_folder(path).await?;
        if inside.is_empty() && path.name().is_some() {
            return match self.row(path).await?.filter(|(row, _)| row.path == *path) {
                Some(_) => Err(FilesError::invalid(path, "is a file")),
                None => Err(FilesError::not_found(path)),
            };
        }
        let mut entries: BTreeMap<String, FileInfo> = BTreeMap::new();
        for (below, info) in inside {
            let mut names = below.names();
            let Some(name) = names.next() else { continue };
            match names.next() {
                None => drop(entries.insert(name.to_owned(), info)),
                Some(_) => {
                    let folder = entries.entry(name.to_owned());
                    folder.or_insert(FileInfo::folder(false)).tainted |= info.tainted;
                }
            }
        }
        Ok(Listing {
            more: entries.len() > MOST_LISTED,
            entries: entries.into_iter().take(MOST_LISTED).collect(),
        })
    }

    async fn write(
        &self,
        path: &VirtualPath,
        bytes: &[u8],
        tainted: bool,
    ) -> Result<Vec<Write>, FilesError> {
        if bytes.len() > MOST_FILE_BYTES {
            return Err(FilesError::too_long(path));
        }
        if path.name().is_none() {
            return Err(FilesError::invalid(path, "is a folder"));
        }
        let version = match self.row(path).await? {
            Some((row, version)) if row.path == *path => version,
            Some(_) => return Err(FilesError::invalid(path, OTHER_CASE)),
            None => {
                check_new(path, &self.rows().await?)?;
                0
            }
        };
        let row = Row {
            v: VERSION,
            path: path.clone(),
            bytes: bytes.len() as u64,
            digest: sha256_hex(bytes),
            tainted,
            modified: self.now,
        };
        let row = serde_json::to_value(&row).map_err(|error| FilesError::Unavailable {
            detail: error.to_string(),
        })?;
        let body = match std::str::from_utf8(bytes) {
            Ok(text) => json!({"v": VERSION, "text": text}),
            Err(_) => json!({"v": VERSION, "hex": hex::encode(bytes)}),
        };
        Ok(vec![
            Write::over(keys::file(&self.team, &self.user, path), version, row),
            // The row's version check also guards the body, since both are written together.
            Write::put(keys::file_body(&self.team, &self.user, path), None, body),
        ])
    }

    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError> {
        let (_, version) = self.file(path).await?;
        let read = Some(Condition::Version(version));
        Ok(vec![
            Write::delete(keys::file(&self.team, &self.user, path), read),
            Write::delete(keys::file_body(&self.team, &self.user, path), None),
        ])
    }
}

fn bytes_of(body: &Value) -> Option<Vec<u8>> {
    match body["text"].as_str() {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => hex::decode(body["hex"].as_str()?).ok(),
    }
}
