use alfred_core::ports::{Vault, VaultError};
use alfred_embedded::FileVault;
use alfred_testkit::conformance::{self, Side};
use tempfile::TempDir;

fn vault() -> (FileVault, TempDir) {
    let folder = TempDir::new().unwrap();
    (FileVault::new(folder.path().join("digests")), folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance() {
    conformance::vault(async || {
        let (vault, folder) = vault();
        Side::with(vault, folder)
    })
    .await;
}

#[tokio::test]
async fn names_stay_in_the_folder() {
    let (vault, folder) = vault();
    for name in [
        "", "..", "../x", "a/../b", "/etc/x", "a//b", ".hidden", "a/ü",
    ] {
        let refused = vault.lock(name, b"x").await.unwrap_err();
        assert!(matches!(refused, VaultError::Unavailable { .. }), "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_locked_file_is_read_only_and_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (vault, folder) = vault();
    vault.lock("T1/2026-11-21.json", b"{}").await.unwrap();
    let path = folder.path().join("digests/T1/2026-11-21.json");
    let mode = std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
}
