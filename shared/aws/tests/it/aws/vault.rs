use alfred_core::ports::{Vault, VaultError};
use alfred_testkit::conformance::{self, Side};

use super::proxy::{Act, Proxy};
use super::{VAULT, ministack, sdk, sdk_at};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance() {
    conformance::vault(async || Side::new(alfred_aws::vault(&sdk().await, VAULT))).await;
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_unavailable() {
    let vault = alfred_aws::vault(&sdk().await, "no-such-bucket");
    let locked = vault.lock("T1/day.json", b"x").await;
    for error in [locked, vault.read("T1/day.json").await.map(drop)] {
        let error = error.unwrap_err();
        assert!(matches!(error, VaultError::Unavailable { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_lock_whose_answer_was_lost_is_a_lock() {
    let proxy = Proxy::start(ministack().port()).await;
    proxy.next("PUT", Act::ForwardAndHangUp);
    let vault = alfred_aws::vault(&sdk_at(&proxy.endpoint()).await, VAULT);
    let name = format!("T1/{}.json", alfred_testkit::conformance::unique());
    vault.lock(&name, b"x").await.unwrap();
    assert_eq!(vault.read(&name).await.unwrap().unwrap(), b"x");
}
