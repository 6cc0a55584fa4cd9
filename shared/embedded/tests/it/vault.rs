use alfred_core::ports::{Vault, VaultError};
use alfred_embedded::FileVault;
use async_trait::async_trait;
use tempfile::TempDir;

/// A vault and its temporary folder.
struct InFolder(FileVault, TempDir);

#[async_trait]
impl Vault for InFolder {
    async fn lock(&self, name: &str, bytes: &[u8]) -> Result<(), VaultError> {
        self.0.lock(name, bytes).await
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        self.0.read(name).await
    }
}

fn vault() -> InFolder {
    let folder = TempDir::new().unwrap();
    InFolder(FileVault::new(folder.path().join("digests")), folder)
}

alfred_testkit::vault_conformance!(vault());

#[tokio::test]
async fn names_stay_in_the_folder() {
    let vault = vault();
    for name in [
        "", "..", "../x", "a/../b", "/etc/x", "a//b", ".hidden", "a/ü",
    ] {
        let refused = vault.lock(name, b"x").await.unwrap_err();
        assert!(matches!(refused, VaultError::Unavailable { .. }), "{name}");
    }
    assert_eq!(std::fs::read_dir(vault.1.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[tokio::test]
async fn a_locked_file_is_read_only_and_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let vault = vault();
    vault.lock("T1/2026-11-21.json", b"{}").await.unwrap();
    let path = vault.1.path().join("digests/T1/2026-11-21.json");
    let mode = std::fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
}
