//! What every vault must do.

use alfred_core::ports::{Vault, VaultError};

use super::unique;

/// Makes a test of each function of this suite; the argument makes a `Vault`.
#[macro_export]
macro_rules! vault_conformance {
    ($vault:expr) => {
        $crate::conformance_tests!(
            vault,
            $vault,
            [
                what_is_locked_can_be_read,
                the_same_again_is_fine,
                other_bytes_never_replace_what_is_locked,
                of_many_at_once_one_locks,
                an_unknown_name_has_nothing,
            ]
        );
    };
}

fn name() -> String {
    format!("T{}/2026-11-21.json", unique())
}

/// Empty, small and large.
pub async fn what_is_locked_can_be_read(vault: &impl Vault) {
    for bytes in [b"".as_slice(), b"{}", &b"0123456789".repeat(200_000)] {
        let name = name();
        vault.lock(&name, bytes).await.unwrap();
        assert_eq!(vault.read(&name).await.unwrap().unwrap(), bytes);
    }
}

/// A call that is repeated after its answer was lost.
pub async fn the_same_again_is_fine(vault: &impl Vault) {
    let name = name();
    for _ in 0..3 {
        vault.lock(&name, b"the same").await.unwrap();
    }
    assert_eq!(vault.read(&name).await.unwrap().unwrap(), b"the same");
}

/// Not by longer, shorter or empty ones either.
pub async fn other_bytes_never_replace_what_is_locked(vault: &impl Vault) {
    let name = name();
    vault.lock(&name, b"first").await.unwrap();
    for other in [b"other".as_slice(), b"first and more", b"fir", b""] {
        match vault.lock(&name, other).await {
            Err(VaultError::Taken { name: named }) => assert_eq!(named, name),
            other => panic!("it is taken, got {other:?}"),
        }
        assert_eq!(vault.read(&name).await.unwrap().unwrap(), b"first");
    }
}

/// The others are told so.
pub async fn of_many_at_once_one_locks(vault: &impl Vault) {
    let name = name();
    let lock = |bytes: &'static [u8]| vault.lock(&name, bytes);
    let (a, b, c, d) = tokio::join!(lock(b"a"), lock(b"b"), lock(b"c"), lock(b"d"));
    let ended = [(b"a", a), (b"b", b), (b"c", c), (b"d", d)];
    let locked = vault.read(&name).await.unwrap().unwrap();
    for (bytes, ended) in ended {
        match ended {
            Ok(()) => assert_eq!(locked, bytes),
            Err(VaultError::Taken { .. }) => assert_ne!(locked, bytes),
            Err(other) => panic!("{other}"),
        }
    }
}

/// Nor does one beside it.
pub async fn an_unknown_name_has_nothing(vault: &impl Vault) {
    let name = name();
    vault.lock(&name, b"x").await.unwrap();
    let beside = name.replace("21.json", "22.json");
    assert_eq!(vault.read(&beside).await.unwrap(), None);
}
