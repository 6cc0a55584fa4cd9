use alfred_core::ports::{SecretError, Secrets};
use alfred_embedded::{DataFolder, FileSecrets, FolderError};
use secrecy::{ExposeSecret, SecretString};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown, symlink};
use std::path::Path;
use tempfile::TempDir;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn detail(result: Result<Option<SecretString>, SecretError>) -> String {
    match result {
        Err(SecretError::Unavailable { detail }) => detail,
        other => panic!("unavailable was due, got {other:?}"),
    }
}

#[tokio::test]
async fn secrets_are_only_the_owners_to_read() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("secrets.json");
    let secrets = FileSecrets::new(file.clone());
    let value = SecretString::from("hunter2");
    secrets.put("T1/token", &value).await.unwrap();
    assert_eq!(mode(&file), 0o600);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "a temporary file was left behind");

    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    let reason = detail(secrets.get("T1/token").await);
    assert!(reason.contains("chmod 600") && reason.contains("secrets.json"));
    assert!(secrets.put("T1/other", &value).await.is_err());
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    let again = FileSecrets::new(file).get("T1/token").await;
    assert_eq!(again.unwrap().unwrap().expose_secret(), "hunter2");
}

#[tokio::test]
async fn broken_secrets_file_is_reported_without_values_and_kept() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("secrets.json");
    let secrets = FileSecrets::new(file.clone());
    secrets.put("T1/token", &"x".into()).await.unwrap();
    for broken in [
        "{\"T1/token\": \"hunter2\"",
        "\"hunter2\"",
        "{\"T1/token\": {\"a\": \"hunter2\"}}",
    ] {
        fs::write(&file, broken).unwrap();
        let reason = detail(secrets.get("T1/token").await);
        assert!(reason.contains("secrets.json") && !reason.contains("hunter2"));
        assert!(secrets.put("T1/new", &"y".into()).await.is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), broken);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_puts_of_different_secrets_all_stay() {
    let folder = TempDir::new().unwrap();
    let secrets = FileSecrets::new(folder.path().join("secrets.json"));
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..16 {
        let secrets = secrets.clone();
        tasks.spawn(async move {
            let value = SecretString::from(n.to_string());
            secrets.put(&format!("T1/{n}"), &value).await.unwrap();
        });
    }
    tasks.join_all().await;
    for n in 0..16 {
        let value = secrets.get(&format!("T1/{n}")).await.unwrap().unwrap();
        assert_eq!(value.expose_secret(), n.to_string());
    }
}

#[test]
fn folder_has_one_owner_with_a_published_address() {
    let outer = TempDir::new().unwrap();
    let path = outer.path().join("data/alfred");
    let folder = DataFolder::open(&path).unwrap();
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join("alfred.lock")), 0o600);
    let refusal = || match DataFolder::open(&path) {
        Err(FolderError::InUse {
            pid,
            address,
            token,
            ..
        }) => (pid, address, token),
        other => panic!("in use was due, got {other:?}"),
    };
    let (pid, address, _) = refusal();
    assert_eq!((pid, address), (Some(std::process::id()), None));

    let token = SecretString::from("t0ken".repeat(20));
    folder.publish("http://127.0.0.1:65535", &token).unwrap();
    let token = SecretString::from("t");
    folder.publish("http://127.0.0.1:3000", &token).unwrap();
    let (_, address, token) = refusal();
    assert_eq!(address.as_deref(), Some("http://127.0.0.1:3000"));
    assert_eq!(token.unwrap().expose_secret(), "t");
    drop(folder);
    let next = DataFolder::open(&path).unwrap();
    assert_eq!(refusal().1, None, "the address of the one before was left");
    drop(next);
}

#[test]
fn folder_open_to_others_is_closed() {
    let outer = TempDir::new().unwrap();
    for open in [0o755, 0o750, 0o701, 0o777] {
        let path = outer.path().join(format!("{open:o}"));
        fs::create_dir(&path).unwrap();
        fs::write(path.join("alfred.lock"), "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(open)).unwrap();
        let folder = DataFolder::open(&path).unwrap();
        assert_eq!((mode(&path), folder.tightened()), (0o700, Some(open)));
        drop(folder);
        assert_eq!(DataFolder::open(&path).unwrap().tightened(), None);
    }
    let link = outer.path().join("link");
    symlink(outer.path().join("755"), &link).unwrap();
    let folder = DataFolder::open(&link).expect("a link of one's own");
    assert_eq!(folder.path().file_name().unwrap(), "755");
}

#[test]
fn lock_that_is_a_link_is_not_followed() {
    let outer = TempDir::new().unwrap();
    let [path, precious] = ["data", "precious"].map(|name| outer.path().join(name));
    fs::create_dir(&path).unwrap();
    fs::write(&precious, "kept").unwrap();
    symlink(&precious, path.join("alfred.lock")).unwrap();
    let refused = DataFolder::open(&path).unwrap_err().to_string();
    assert!(refused.contains("alfred.lock"), "{refused}");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
}

/// As root, the test creates files of another account. Otherwise it uses `/`, which belongs to root.
#[test]
fn folder_or_file_of_another_account_is_refused() {
    let outer = TempDir::new().unwrap();
    let [whole, part, link] = ["whole", "part", "link"].map(|name| outer.path().join(name));
    for path in [&whole, &part] {
        fs::create_dir(path).unwrap();
    }
    let planted = part.join("secrets.json");
    fs::write(&planted, "{}").unwrap();
    symlink(&part, &link).unwrap();
    let foreign = |path: &Path, whose: &Path| match DataFolder::open(path) {
        Err(error @ FolderError::Foreign { .. }) => {
            let text = error.to_string();
            assert!(text.contains(&format!("{} ", whose.display())), "{text}");
        }
        other => panic!("{}: foreign was due, got {other:?}", path.display()),
    };
    let mine = fs::metadata(&whole).unwrap().uid();
    if mine != 0 {
        return foreign(Path::new("/"), Path::new("/"));
    }
    for path in [&whole, &planted, &link] {
        lchown(path, Some(65_534), None).unwrap();
    }
    foreign(&whole, &whole);
    foreign(&part, &planted);
    lchown(&planted, Some(mine), None).unwrap();
    foreign(&link, &link);
    foreign(&link.join(""), &link);
    DataFolder::open(&part).unwrap();
}
