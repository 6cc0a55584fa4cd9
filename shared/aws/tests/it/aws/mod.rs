//! The AWS side of the ports through the real SDKs: the conformance suites
//! against ministack, and the faults it doesn't have through a proxy before it.

mod blobs;
mod cold_start;
mod credentials;
mod denied;
mod faults;
mod outages;
mod proxy;
mod queue;
mod scene;
mod secrets;
mod store;
mod vault;

use alfred_aws::SdkConfig;
use alfred_testkit::LIMIT;
use alfred_testkit::ministack::Ministack;
use aws_smithy_types::timeout::TimeoutConfig;
use std::sync::OnceLock;

const STATE: &str = "alfred-state";
const AUDIT: &str = "alfred-audit";
const BUCKET: &str = "alfred-bodies";
const VAULT: &str = "alfred-audit-digests";

/// The emulator of this test binary, with both tables and the bucket in it.
fn ministack() -> &'static Ministack {
    static MADE: OnceLock<&Ministack> = OnceLock::new();
    MADE.get_or_init(|| {
        let ministack = Ministack::shared();
        ministack.table(STATE);
        ministack.table(AUDIT);
        ministack.bucket(BUCKET);
        ministack.bucket(VAULT);
        ministack
    })
}

/// Settings as a function would find them in its environment.
async fn sdk() -> SdkConfig {
    sdk_at(&ministack().endpoint()).await
}

/// The same, at another address, and patient enough for a busy machine: only what a test breaks is repeated.
async fn sdk_at(endpoint: &str) -> SdkConfig {
    let sdk = alfred_aws::from_lookup(|name| match name {
        "AWS_ENDPOINT_URL" => Some(endpoint.to_owned()),
        other => ministack().variable(other),
    });
    let patient = TimeoutConfig::builder().operation_attempt_timeout(LIMIT);
    let sdk = sdk.await.unwrap().into_builder();
    sdk.timeout_config(patient.build()).build()
}
