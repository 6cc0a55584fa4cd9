//! What every store of large bodies must do.

use alfred_core::digest::sha256_hex;
use alfred_core::ports::{BlobError, Blobs};

use super::unique;

/// Makes a test of each function of this suite; the argument makes a `Blobs`.
#[macro_export]
macro_rules! blobs_conformance {
    ($blobs:expr) => {
        $crate::conformance_tests!(
            blobs,
            $blobs,
            [
                bytes_come_back_under_their_digest,
                writing_twice_is_harmless,
                an_unknown_digest_is_missing,
                scopes_are_apart,
            ]
        );
    };
}

fn scope() -> String {
    format!("T1/U{}", unique())
}

/// Empty, binary and large bodies; the name is their SHA-256.
pub async fn bytes_come_back_under_their_digest(blobs: &impl Blobs) {
    let scope = scope();
    let binary: Vec<u8> = (0..=255).collect();
    let large = b"0123456789".repeat(500_000);
    for bytes in [b"".as_slice(), b"{}", &binary, &large] {
        let digest = blobs.put(&scope, bytes).await.unwrap();
        assert_eq!(digest, sha256_hex(bytes));
        assert_eq!(blobs.get(&scope, &digest).await.unwrap(), bytes);
    }
}

/// Also four times at once.
pub async fn writing_twice_is_harmless(blobs: &impl Blobs) {
    let scope = scope();
    let bytes = b"the same".repeat(10_000);
    let put = || blobs.put(&scope, &bytes);
    let (a, b, c, d) = tokio::join!(put(), put(), put(), put());
    for digest in [a, b, c, d, put().await] {
        let digest = digest.unwrap();
        assert_eq!(blobs.get(&scope, &digest).await.unwrap(), bytes);
    }
}

/// What was never written is missing, and so is what is no digest at all.
pub async fn an_unknown_digest_is_missing(blobs: &impl Blobs) {
    let scope = scope();
    let never = sha256_hex(unique().as_bytes());
    for digest in [never.as_str(), "", "../../secrets.json", "AB"] {
        match blobs.get(&scope, digest).await {
            Err(BlobError::Missing { digest: named }) => assert_eq!(named, digest),
            other => panic!("{digest:?} should be missing, got {other:?}"),
        }
    }
}

/// A digest is only found under the scope it was written to.
pub async fn scopes_are_apart(blobs: &impl Blobs) {
    let (mine, theirs) = (scope(), scope());
    let digest = blobs.put(&mine, b"mine").await.unwrap();
    let got = blobs.get(&theirs, &digest).await;
    assert!(matches!(got, Err(BlobError::Missing { .. })), "{got:?}");
    blobs.put(&theirs, b"mine").await.unwrap();
    assert_eq!(blobs.get(&mine, &digest).await.unwrap(), b"mine");
}
