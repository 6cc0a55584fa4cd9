use alfred_core::ports::{FileBody, FileInfo, FilesError, Listing, Write};
use alfred_testkit::STORE_FAULTS;
use async_trait::async_trait;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::*;

#[tokio::test]
async fn a_fault_at_every_commit_writes_a_file_once() {
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_577_836_800);
    for over in [false, true] {
        let name = if over { "notes/a.md" } else { "c.md" };
        let begin = || async {
            let folder = folder();
            let file = File::options()
                .write(true)
                .open(folder.path().join("notes/a.md"));
            file.unwrap().set_modified(old).unwrap();
            let turns = vec![write(&format!("/{name}"), "new\n"), says("done")];
            (keeper(FREE, turns, Some(folder.path())).await, folder)
        };
        let (mut plain, _folder) = begin().await;
        plain.say(dm("U1", "1.1", "go")).await;
        for number in 1..=plain.faults.calls("store.commit") {
            for (when, error) in STORE_FAULTS {
                let (mut world, folder) = begin().await;
                world.faults.fail_at("store.commit", number, when, error());
                world.say(dm("U1", "1.1", "go")).await;
                let what = format!("over: {over}, commit {number} {when:?}");
                let text = fs::read_to_string(folder.path().join(name));
                assert_eq!(text.unwrap(), "new\n", "{what}");
                assert_eq!(
                    given(&world).await,
                    [json!({"success": true, "path": format!("/{name}")})],
                    "{what}"
                );
                assert_eq!(world.answers().len(), 1, "{what}: {:?}", world.answers());
            }
        }
    }
}

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
        Err(FilesError::Unavailable {
            detail: "gone".into(),
        })
    }

    async fn delete(&self, path: &VirtualPath) -> Result<Vec<Write>, FilesError> {
        self.0.delete(path).await
    }
}

#[tokio::test]
async fn where_nobody_can_tell_whether_it_was_written_its_owner_is_asked() {
    let folder = folder();
    let file = folder.path().join("notes/a.md");
    let turns = vec![write("/notes/a.md", "new\n"), says("done")];
    let workers = [("keeper", FREE, turns)];
    let mut world = at_work_in(&workers, Some(folder.path()), Meddled(file.clone())).await;
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
