//! The calls of `files.txt`.

use alfred_core::ports::{
    Commit, FileKind, Files, FilesError, MOST_FILE_BYTES, Store, StoreError, SystemIds,
    VirtualPath, Write,
};
use async_trait::async_trait;
use std::any::Any;
use std::sync::Arc;

use super::{Calls, bytes, pass, shown};

/// Files, all of them empty, with the store that their writes are committed to.
pub struct FilesUnderTest {
    pub files: Arc<dyn Files>,
    pub store: Option<Arc<dyn Store>>,
    /// Folders that must live as long as the files.
    pub kept: Box<dyn Any + Send + Sync>,
}

pub async fn files(open: impl AsyncFn() -> FilesUnderTest) {
    assert_eq!(MOST_FILE_BYTES, 200_000, "files.txt has this number");
    pass("files.txt", include_str!("files.txt"), &open).await;
    writers_at_once_leave_one_whole_file(&open().await).await;
}

#[async_trait]
impl Calls for FilesUnderTest {
    async fn call(&mut self, words: &[&str]) -> String {
        let shown = self.shown(words).await;
        shown.unwrap_or_else(|error| error.code().into())
    }
}

impl FilesUnderTest {
    async fn shown(&self, words: &[&str]) -> Result<String, FilesError> {
        let path = VirtualPath::parse(words[1])?;
        let writes = match (words[0], &words[2..]) {
            ("write", [text]) => self.files.write(&path, &bytes(text), false).await?,
            ("delete", []) => self.files.delete(&path).await?,
            ("read", []) => return Ok(shown(&self.files.read(&path).await?.bytes)),
            ("read", ["up", "to", most]) => {
                let read = self.files.read_up_to(&path, most.parse().unwrap());
                return Ok(shown(&read.await?.bytes));
            }
            ("list", []) => {
                let listing = self.files.list(&path).await?;
                assert!(!listing.more);
                let names: Vec<String> =
                    listing.entries.into_iter().map(|(name, _)| name).collect();
                return Ok(names.join(" "));
            }
            ("info", []) => {
                let info = self.files.info(&path).await?;
                return Ok(match info.kind {
                    FileKind::File => format!("file of {} bytes", info.bytes),
                    FileKind::Folder => {
                        assert_eq!(info.bytes, 0);
                        "folder".into()
                    }
                });
            }
            _ => panic!("no call {words:?}"),
        };
        self.commit(writes).await.unwrap();
        Ok(String::new())
    }

    async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let Some(store) = &self.store else {
            assert!(writes.is_empty(), "nobody would commit {writes:?}");
            return Ok(());
        };
        store.commit(&Commit::new(&SystemIds, writes)).await
    }
}

/// Nobody reads half of a file.
async fn writers_at_once_leave_one_whole_file(side: &FilesUnderTest) {
    let path = VirtualPath::parse("/a.txt").unwrap();
    let texts = ["a", "b", "c", "d"].map(|letter| letter.repeat(100_000));
    let is_whole = async || {
        let read = side.files.read(&path).await.unwrap().bytes;
        texts.iter().any(|text| text.as_bytes() == read)
    };
    let first = side.files.write(&path, texts[0].as_bytes(), false).await;
    side.commit(first.unwrap()).await.unwrap();
    let write = |text: &String| {
        let (files, path, text) = (side.files.clone(), path.clone(), text.clone());
        tokio::spawn(async move { files.write(&path, text.as_bytes(), false).await.unwrap() })
    };
    let writers: Vec<_> = texts.iter().map(write).collect();
    for writer in writers {
        assert!(is_whole().await);
        // With a store all of them wrote over the same version, so only the first commit succeeds.
        let _ = side.commit(writer.await.unwrap()).await;
    }
    assert!(is_whole().await);
}
