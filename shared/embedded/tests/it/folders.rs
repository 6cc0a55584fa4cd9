//! Files in folders: the conformance suite, and path attacks only a disk allows.

use alfred_core::files::{Narrowing, Sandbox, StoredFiles};
use alfred_core::ports::{Clock, Files, FilesError, Folders, Store, VirtualPath};
use alfred_embedded::{Database, DiskFolders, SqliteStore};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::{self, FilesUnderTest};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

fn path(text: &str) -> VirtualPath {
    VirtualPath::parse(text).unwrap()
}

fn open(folder: &Path) -> Arc<dyn Files> {
    let opened = DiskFolders::default().open(folder.to_str().unwrap());
    opened.unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, FilesError>) -> &'static str {
    result.unwrap_err().code()
}

/// Expects every call for this path to be refused with the code.
async fn refused(files: &dyn Files, at: &str, with: &str) {
    let it = path(at);
    for code in [
        code(files.info(&it).await),
        code(files.read(&it).await),
        code(files.list(&it).await),
        code(files.write(&it, b"x", false).await),
        code(files.delete(&it).await),
    ] {
        assert_eq!(code, with, "{at}");
    }
}

/// The only file of the folder outside is as it was.
fn is_untouched(outside: &Path) {
    let left: Vec<_> = fs::read_dir(outside).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let secret = fs::read_to_string(outside.join("secret.txt"));
    assert_eq!(secret.unwrap(), "secret");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disk() {
    conformance::files(async || {
        let folder = TempDir::new().unwrap();
        FilesUnderTest {
            files: open(folder.path()),
            store: None,
            kept: Box::new(folder),
        }
    })
    .await;
}

/// A folder below a mount that covers another folder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn view() {
    conformance::files(async || {
        let folders = (TempDir::new().unwrap(), TempDir::new().unwrap());
        fs::create_dir_all(folders.1.path().join("inner")).unwrap();
        let by = Narrowing {
            restrict: Some(path("/data/inner")),
            readonly: None,
        };
        let view = Sandbox::over(open(folders.0.path()))
            .mounting(path("/data"), open(folders.1.path()), false)
            .narrowed(&by);
        FilesUnderTest {
            files: Arc::new(view.unwrap()),
            store: None,
            kept: Box::new(folders),
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stored() {
    conformance::files(async || {
        let folder = TempDir::new().unwrap();
        let database = Database::open(&folder.path().join("test.db")).unwrap();
        let clock = Arc::new(ManualClock::default());
        let store: Arc<dyn Store> = Arc::new(SqliteStore::new(database, clock.clone()));
        let files = StoredFiles::of(store.clone(), &"T1".into(), &"U1".into(), clock.now());
        FilesUnderTest {
            files: Arc::new(files),
            store: Some(store),
            kept: Box::new(folder),
        }
    })
    .await;
}

/// A folder `in` with links of every kind, and their targets.
fn linked() -> (TempDir, Arc<dyn Files>) {
    let folder = TempDir::new().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir_all(inside.join("folder")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "secret").unwrap();
    fs::write(inside.join("plain.txt"), "plain").unwrap();
    for (from, to) in [
        ("file-out", outside.join("secret.txt")),
        ("folder-out", outside.clone()),
        ("relative-out", "../out/secret.txt".into()),
        ("file-in", "plain.txt".into()),
        ("folder-in", "folder".into()),
        ("nowhere", "gone".into()),
        ("itself", "itself".into()),
    ] {
        symlink(to, inside.join(from)).unwrap();
    }
    let at = fs::File::open(&inside).unwrap();
    let made = rustix::fs::mkfifoat(at, "pipe", rustix::fs::Mode::from(0o600));
    made.unwrap();
    (folder, open(&inside))
}

#[tokio::test]
async fn links_and_pipes_are_neither_followed_nor_listed() {
    let (folder, files) = linked();
    let odd = "file-out folder-out relative-out file-in folder-in nowhere itself pipe \
        folder-out/secret.txt folder-out/new.txt folder-in/new.txt";
    for name in odd.split(' ') {
        refused(&*files, &format!("/{name}"), "INVALID_PATH").await;
    }
    let listed = files.list(&path("/")).await.unwrap().entries;
    let names: Vec<String> = listed.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["folder", "plain.txt"]);
    is_untouched(&folder.path().join("out"));
}

#[tokio::test]
async fn folder_that_becomes_a_link_leads_nowhere() {
    let (folder, files) = linked();
    let inside = folder.path().join("in");
    let done = Arc::new(AtomicBool::new(false));
    let swapping = {
        let done = done.clone();
        std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::rename(inside.join("folder"), inside.join("kept"));
                let _ = symlink("../out", inside.join("folder"));
                let _ = fs::remove_file(inside.join("folder"));
                let _ = fs::rename(inside.join("kept"), inside.join("folder"));
            }
        })
    };
    for _ in 0..300 {
        let read = files.read(&path("/folder/secret.txt")).await;
        assert!(read.is_err(), "{read:?}");
        let _ = files.write(&path("/folder/new.txt"), b"x", false).await;
        let _ = files.delete(&path("/folder/secret.txt")).await;
    }
    done.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    is_untouched(&folder.path().join("out"));
}

#[tokio::test]
async fn data_folder_is_not_found() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("secrets.json"), "{}").unwrap();
    let folders = DiskFolders::hiding(&data);
    let files = folders.open(folder.path().to_str().unwrap()).unwrap();
    assert!(files.list(&path("/")).await.unwrap().entries.is_empty());
    assert_eq!(code(files.info(&path("/data")).await), "NOT_FOUND");
    refused(&*files, "/data/secrets.json", "NOT_FOUND").await;
    assert!(folders.open(data.to_str().unwrap()).is_err());
}

#[tokio::test]
async fn written_file_keeps_its_mode_and_leaves_nothing_unfinished() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("run.sh");
    fs::write(&script, "one").unwrap();
    fs::set_permissions(&script, Permissions::from_mode(0o750)).unwrap();
    let files = open(folder.path());
    files.write(&path("/run.sh"), b"two", false).await.unwrap();
    let mode = fs::metadata(&script).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    assert_eq!(fs::read_to_string(&script).unwrap(), "two");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn view_has_mounts_and_can_only_be_narrowed() {
    let (below, above) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    fs::create_dir(below.path().join("data")).unwrap();
    fs::write(below.path().join("data/hidden.txt"), "x").unwrap();
    fs::write(above.path().join("a.txt"), "above").unwrap();
    let view = Sandbox::over(open(below.path()))
        .mounting(path("/data"), open(above.path()), true)
        .mounting(path("/far/away"), open(above.path()), false);
    for (folder, names) in [("/", "data far"), ("/far", "away"), ("/data", "a.txt")] {
        let listed = view.list(&path(folder)).await.unwrap().entries;
        let listed: Vec<String> = listed.into_iter().map(|(name, _)| name).collect();
        assert_eq!(listed.join(" "), names, "{folder}");
    }
    let mounted = path("/data/a.txt");
    assert_eq!(view.read(&mounted).await.unwrap().bytes, b"above");
    assert_eq!(code(view.write(&mounted, b"y", false).await), "READ_ONLY");
    // A mount only matches whole names.
    view.write(&path("/database"), b"y", false).await.unwrap();
    assert_eq!(fs::read(below.path().join("database")).unwrap(), b"y");

    let by = |restrict: &str, readonly| Narrowing {
        restrict: Some(path(restrict)),
        readonly,
    };
    let inner = view.clone().narrowed(&by("/far", Some(true))).unwrap();
    let file = path("/away/a.txt");
    assert_eq!(inner.read(&file).await.unwrap().bytes, b"above");
    assert_eq!(code(inner.read(&path("/database")).await), "NOT_FOUND");
    let refused = inner.delete(&file).await.unwrap_err();
    assert_eq!(refused.to_string(), "/away/a.txt: can only be read here");
    let deeper = inner.clone().narrowed(&by("/away", None)).unwrap();
    assert_eq!(code(deeper.delete(&path("/a.txt")).await), "READ_ONLY");
    let lifted = inner.narrowed(&by("/away", Some(false)));
    let lifted = lifted.err().map(|error| error.code());
    assert_eq!(lifted, Some("PERMISSION_ESCALATION"));
    assert!(view.narrowed(&by("/far", Some(false))).is_ok());
}
