use alfred_core::ports::{SecretError, Secrets, SystemClock};
use alfred_testkit::ManualClock;
use alfred_testkit::conformance::{self, Side, unique};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;

use super::proxy::{Act, Proxy};
use super::{sdk, sdk_at};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance() {
    conformance::secrets(async || {
        Side::new(alfred_aws::secrets(&sdk().await, Arc::new(SystemClock)))
    })
    .await;
}

#[tokio::test]
async fn a_secret_scheduled_for_deletion_is_none_and_can_be_put() {
    let sdk = sdk().await;
    let secrets = alfred_aws::secrets(&sdk, Arc::new(ManualClock::default()));
    let name = format!("T1/U1/{}", unique());
    let [old, new] = ["old", "new"].map(SecretString::from);
    secrets.put(&name, &old).await.unwrap();
    let client = aws_sdk_secretsmanager::Client::new(&sdk);
    let delete = client.delete_secret().secret_id(&name);
    delete.recovery_window_in_days(7).send().await.unwrap();
    assert!(secrets.get(&name).await.unwrap().is_none());
    secrets.put(&name, &new).await.unwrap();
    let value = secrets.get(&name).await.unwrap().unwrap();
    assert_eq!(value.expose_secret(), "new");
}

#[tokio::test]
async fn a_name_that_stays_taken_is_an_error_without_the_value() {
    let proxy = Proxy::start(super::ministack().port()).await;
    let taken = Act::error("InvalidRequestException", "it is scheduled for deletion");
    proxy.always("CreateSecret", taken);
    let clock = ManualClock::default();
    let sdk = sdk_at(&proxy.endpoint()).await;
    let secrets = alfred_aws::secrets(&sdk, Arc::new(clock));
    let name = format!("T1/U1/{}", unique());
    let put = secrets.put(&name, &SecretString::from("hush")).await;
    let Err(SecretError::Unavailable { detail }) = put else {
        panic!("{put:?}");
    };
    let is_named = detail.contains(&name) && detail.contains("scheduled");
    assert!(is_named, "{detail}");
    assert!(!detail.contains("hush"), "{detail}");
    assert_eq!(proxy.count("CreateSecret"), 6);
}
