//! A write to a folder whose outcome nobody knows. What else files do is in `stories/files.txt`.

use alfred_agent::RunState;
use alfred_agent::model::Folder;
use alfred_core::ports::{
    FileBody, FileInfo, Files, FilesError, Folders, Listing, VirtualPath, Write,
};
use alfred_embedded::DiskFolders;
use alfred_testkit::{calls, says};
use async_trait::async_trait;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

use crate::in_memory::delegation::{bound, cast, files};
use crate::in_memory::world::{World, dm};

/// Loses the answers to writes, and lets somebody else write right after them.
struct Meddled(PathBuf);

impl Folders for Meddled {
    fn open(&self, root: &str) -> Result<Arc<dyn Files>, FilesError> {
        let files = DiskFolders::default().open(root)?;
        Ok(Arc::new(MeddledFiles(files, self.0.clone())))
    }
}

struct MeddledFiles(Arc<dyn Files>, PathBuf);

#[async_trait]
impl Files for MeddledFiles {
    async fn info(&self, path: &VirtualPath) -> Result<FileInfo, FilesError> {
        self.0.info(path).await
    }

    async fn read(&self, path: &VirtualPath) -> Result<FileBody, FilesError> {
        self.0.read(path).await
    }

    async fn list(&self, path: &VirtualPath) -> Result<Listing, FilesError> {
        self.0.list(path).await
    }

    async fn write(
        &self,
        path: &VirtualPath,
        _: &[u8],
        tainted: bool,
    ) -> Result<Vec<Write>, FilesError> {
        self.0.write(path, b"theirs", tainted).await?;
        let late = SystemTime::UNIX_EPOCH + Duration::from_secs(4_102_444_800);
        let file = File::options().write(true).open(&self.1).unwrap();
        file.set_modified(late).unwrap();
        let detail = "gone".into();
        Err(FilesError::Unavailable { detail })
    }

    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError> {
        self.0.delete(path).await
    }
}

#[tokio::test]
async fn where_nobody_can_tell_whether_it_was_written_its_owner_is_asked() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("a.md");
    fs::write(&file, "old\n").unwrap();
    let arguments = r#"{"path": "/a.md", "content": "new\n"}"#;
    let write = calls(&[("w", "write_file", arguments)]);
    let mut world = World::new(cast(vec![("keeper", vec![write, says("done")])])).await;
    world.work_in(Meddled(file.clone()));
    let front = "toolsets: {filesystem: {approval: {default: preApproved}}}";
    let mut program = files("", &[("keeper", front)]);
    program.folder = Some(Folder {
        root: folder.path().to_str().unwrap().to_owned(),
        readonly: false,
    });
    world.employ(bound(&program));
    world.ask(dm("U1", "1.1", "go")).await;
    for _ in 0..3 {
        world.clock.advance(Duration::from_secs(60));
        world.queue.forget_dedup();
        world.sweep().await;
        world.drain().await;
    }
    assert!(matches!(world.root().await.state, RunState::Asking { .. }));
    assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
}
