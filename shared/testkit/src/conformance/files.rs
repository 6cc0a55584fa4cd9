//! What every side of files must do.

use alfred_core::ports::{
    Commit, FileKind, Files, FilesError, MOST_FILE_BYTES, Store, SystemIds, VirtualPath, Write,
};
use std::any::Any;
use std::sync::Arc;

/// Makes a test of each function of this suite; the argument makes a [`FilesUnderTest`] without a file.
#[macro_export]
macro_rules! files_conformance {
    ($side:expr) => {
        $crate::conformance_tests!(
            files,
            $side,
            [
                what_is_written_is_there_until_it_is_deleted,
                folders_are_what_is_in_them,
                files_and_folders_do_not_take_each_others_place,
                a_name_has_one_case,
                no_path_leads_out,
                bytes_that_are_no_text_come_back,
                a_file_has_a_bound,
                writers_at_once_leave_one_whole_file,
            ]
        );
    };
}

/// A side, and where what it gives to be written is committed.
pub struct FilesUnderTest {
    /// The side.
    pub files: Arc<dyn Files>,
    /// The store behind it, if there is one.
    pub store: Option<Arc<dyn Store>>,
    /// What must stay while it is used.
    pub kept: Option<Box<dyn Any + Send + Sync>>,
}

impl FilesUnderTest {
    async fn commit(&self, writes: Vec<Write>) {
        let Some(store) = &self.store else {
            return assert!(writes.is_empty(), "nobody would commit {writes:?}");
        };
        let commit = Commit::new(&SystemIds, writes);
        store.commit(&commit).await.unwrap();
    }

    async fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> Result<(), FilesError> {
        let writes = self.files.write(&at(path), bytes.as_ref(), false).await?;
        self.commit(writes).await;
        Ok(())
    }

    async fn delete(&self, path: &str) -> Result<(), FilesError> {
        let writes = self.files.delete(&at(path)).await?;
        self.commit(writes).await;
        Ok(())
    }

    async fn read(&self, path: &str) -> Result<Vec<u8>, FilesError> {
        Ok(self.files.read(&at(path)).await?.bytes)
    }

    async fn names(&self, path: &str) -> Result<Vec<String>, FilesError> {
        let listing = self.files.list(&at(path)).await?;
        assert!(!listing.more);
        Ok(listing.entries.into_iter().map(|(name, _)| name).collect())
    }
}

fn at(path: &str) -> VirtualPath {
    VirtualPath::parse(path).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, FilesError>) -> &'static str {
    match result {
        Ok(done) => panic!("{done:?}"),
        Err(error) => error.code(),
    }
}

/// Also over what was there before.
pub async fn what_is_written_is_there_until_it_is_deleted(side: &FilesUnderTest) {
    assert_eq!(code(side.read("/a/b.txt").await), "NOT_FOUND");
    for text in ["one", "", "three: ä\r\n\n"] {
        side.write("/a/b.txt", text).await.unwrap();
        assert_eq!(side.read("/a/b.txt").await.unwrap(), text.as_bytes());
        let info = side.files.info(&at("/a/b.txt")).await.unwrap();
        assert_eq!((info.kind, info.bytes), (FileKind::File, text.len() as u64));
    }
    side.delete("/a/b.txt").await.unwrap();
    assert_eq!(code(side.read("/a/b.txt").await), "NOT_FOUND");
    assert_eq!(code(side.files.info(&at("/a/b.txt")).await), "NOT_FOUND");
    assert_eq!(code(side.delete("/a/b.txt").await), "NOT_FOUND");
}

/// A listing is sorted and one level deep.
pub async fn folders_are_what_is_in_them(side: &FilesUnderTest) {
    assert!(side.names("/").await.unwrap().is_empty());
    for path in ["/b/2.txt", "/b/10.txt", "/b/c/d.txt", "/a.txt"] {
        side.write(path, path).await.unwrap();
    }
    assert_eq!(side.names("/").await.unwrap(), ["a.txt", "b"]);
    assert_eq!(side.names("/b").await.unwrap(), ["10.txt", "2.txt", "c"]);
    let folder = side.files.info(&at("/b")).await.unwrap();
    assert_eq!((folder.kind, folder.bytes), (FileKind::Folder, 0));
    let root = side.files.info(&at("/")).await.unwrap();
    assert_eq!(root.kind, FileKind::Folder);
    assert_eq!(code(side.names("/c").await), "NOT_FOUND");
    assert_eq!(code(side.names("/a.txt").await), "INVALID_PATH");
}

/// What is a folder is no file, and the other way round.
pub async fn files_and_folders_do_not_take_each_others_place(side: &FilesUnderTest) {
    side.write("/a/b.txt", "x").await.unwrap();
    for folder in ["/", "/a"] {
        assert_eq!(code(side.read(folder).await), "INVALID_PATH", "{folder}");
        assert_eq!(
            code(side.write(folder, "y").await),
            "INVALID_PATH",
            "{folder}"
        );
        assert_eq!(code(side.delete(folder).await), "INVALID_PATH", "{folder}");
    }
    assert_eq!(code(side.write("/a/b.txt/c", "y").await), "INVALID_PATH");
    assert_eq!(code(side.read("/a/b.txt/c").await), "NOT_FOUND");
    assert_eq!(side.read("/a/b.txt").await.unwrap(), b"x");
}

/// No file is found, or put beside another one, under a name that differs by case alone.
pub async fn a_name_has_one_case(side: &FilesUnderTest) {
    side.write("/Notes/Über.txt", "x").await.unwrap();
    for path in ["/Notes/über.txt", "/notes/Über.txt", "/NOTES/ÜBER.TXT"] {
        assert_eq!(code(side.read(path).await), "NOT_FOUND", "{path}");
        assert_eq!(code(side.delete(path).await), "NOT_FOUND", "{path}");
        assert_eq!(
            code(side.files.info(&at(path)).await),
            "NOT_FOUND",
            "{path}"
        );
        assert_eq!(code(side.write(path, "y").await), "INVALID_PATH", "{path}");
    }
    assert_eq!(
        code(side.write("/notes/new.txt", "y").await),
        "INVALID_PATH"
    );
    assert_eq!(code(side.names("/notes").await), "NOT_FOUND");
    assert_eq!(side.read("/Notes/Über.txt").await.unwrap(), b"x");
}

/// No text that would lead out is a path at all, and what it resolves to stays inside.
pub async fn no_path_leads_out(side: &FilesUnderTest) {
    for text in [
        "/../x",
        "/a/../../x",
        "x",
        "../x",
        "C:\\x",
        "/a\0b",
        "/a\\..\\b",
    ] {
        assert_eq!(code(VirtualPath::parse(text)), "INVALID_PATH", "{text:?}");
    }
    side.write("/a/../b/./c.txt", "x").await.unwrap();
    assert_eq!(side.names("/").await.unwrap(), ["b"]);
    assert_eq!(side.read("/b/c.txt").await.unwrap(), b"x");
}

/// All 256 of them.
pub async fn bytes_that_are_no_text_come_back(side: &FilesUnderTest) {
    let bytes: Vec<u8> = (0..=255).collect();
    side.write("/a.bin", &bytes).await.unwrap();
    assert_eq!(side.read("/a.bin").await.unwrap(), bytes);
}

/// What is over it is refused, and what was there stays.
pub async fn a_file_has_a_bound(side: &FilesUnderTest) {
    let most = "x".repeat(MOST_FILE_BYTES);
    side.write("/a.txt", &most).await.unwrap();
    assert_eq!(
        code(side.write("/a.txt", most.clone() + "x").await),
        "TOO_LARGE"
    );
    assert_eq!(side.read("/a.txt").await.unwrap().len(), most.len());
    for (up_to, fits) in [(most.len(), true), (most.len() - 1, false)] {
        let read = side.files.read_up_to(&at("/a.txt"), up_to).await;
        assert_eq!(read.is_ok(), fits, "{up_to}");
        assert!(fits || code(read) == "TOO_LARGE", "{up_to}");
    }
}

/// Nobody reads half of one.
pub async fn writers_at_once_leave_one_whole_file(side: &FilesUnderTest) {
    let texts: Vec<String> = ["a", "b", "c", "d"]
        .map(|letter| letter.repeat(100_000))
        .into();
    side.write("/a.txt", &texts[0]).await.unwrap();
    let path = at("/a.txt");
    let write = |text: &String| {
        let (files, path, text) = (side.files.clone(), path.clone(), text.clone());
        tokio::spawn(async move { files.write(&path, text.as_bytes(), false).await.unwrap() })
    };
    let writers: Vec<_> = texts.iter().map(write).collect();
    let is_whole = |bytes: Vec<u8>| texts.iter().any(|text| text.as_bytes() == bytes);
    for writer in writers {
        assert!(is_whole(side.read("/a.txt").await.unwrap()));
        let writes = writer.await.unwrap();
        if let Some(store) = &side.store {
            // All of them read the same version, so one alone is taken.
            let _ = store.commit(&Commit::new(&SystemIds, writes)).await;
        }
    }
    assert!(is_whole(side.read("/a.txt").await.unwrap()));
}
