use alfred_aws::QueueUrls;
use alfred_core::ConfigError;
use alfred_core::ports::{ModelHost, SystemClock};
use std::sync::Arc;

use super::proxy::Proxy;
use super::{ministack, sdk_at};

async fn missing(lookup: impl Fn(&str) -> Option<String>) -> &'static str {
    match alfred_aws::from_lookup(lookup).await {
        Err(ConfigError::Missing { name } | ConfigError::Invalid { name, .. }) => name,
        Ok(_) => panic!("settings should be missing"),
    }
}

#[tokio::test]
async fn making_every_port_sends_nothing() {
    let proxy = Proxy::start(ministack().port()).await;
    let sdk = sdk_at(&proxy.endpoint()).await;
    let clock = Arc::new(SystemClock);
    let _store = alfred_aws::store(&sdk, "state", "audit", clock.clone());
    let _queue = alfred_aws::queue(&sdk, QueueUrls::default());
    let _secrets = alfred_aws::secrets(&sdk, clock);
    let _blobs = alfred_aws::blobs(&sdk, "bodies");
    let _model = alfred_aws::bedrock(&sdk).model("amazon.nova-pro-v1:0");
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let key = |name: &str| (name == "AWS_ACCESS_KEY_ID").then(|| "k".to_owned());
    assert_eq!(missing(key).await, "AWS_SECRET_ACCESS_KEY");
    let keys = |name: &str| name.contains("ACCESS_KEY").then(|| "k".to_owned());
    assert_eq!(missing(keys).await, "AWS_REGION");
    let odd = |name: &str| (name == "AWS_ENDPOINT_URL").then(|| "localhost".to_owned());
    assert_eq!(missing(odd).await, "AWS_ENDPOINT_URL");
}

#[tokio::test]
async fn the_environment_decides_region_and_endpoint() {
    let lookup = |name: &str| match name {
        "AWS_REGION" => Some("eu-west-2".to_owned()),
        other => ministack().variable(other),
    };
    let sdk = alfred_aws::from_lookup(lookup).await.unwrap();
    assert_eq!(sdk.region().unwrap().as_ref(), "eu-west-2");
    assert_eq!(sdk.endpoint_url(), Some(ministack().endpoint().as_str()));
}
