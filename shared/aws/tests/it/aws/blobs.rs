use alfred_core::ports::{BlobError, Blobs};
use alfred_testkit::conformance::{self, Side};
use object_store::ObjectStoreExt;
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;

use super::proxy::{Act, Proxy};
use super::{BUCKET, ministack, sdk, sdk_at};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn conformance() {
    conformance::blobs(async || Side::new(alfred_aws::blobs(&sdk().await, BUCKET))).await;
}

#[tokio::test]
async fn a_bucket_that_is_not_there_is_unavailable() {
    let blobs = alfred_aws::blobs(&sdk().await, "no-such-bucket");
    let put = blobs.put("T1/U1", b"x").await.map(drop);
    for error in [put, blobs.get("T1/U1", "digest").await.map(drop)] {
        let error = error.unwrap_err();
        assert!(matches!(error, BlobError::Unavailable { .. }), "{error}");
    }
}

#[tokio::test]
async fn damaged_bytes_are_missing() {
    let blobs = alfred_aws::blobs(&sdk().await, BUCKET);
    let digest = blobs.put("T1/U1", b"whole").await.unwrap();
    assert_eq!(blobs.get("T1/U1", &digest).await.unwrap(), b"whole");
    let bucket = AmazonS3Builder::new()
        .with_bucket_name(BUCKET)
        .with_endpoint(ministack().endpoint())
        .with_allow_http(true)
        .with_access_key_id("test")
        .with_secret_access_key("test")
        .build()
        .unwrap();
    let place = Path::from(format!("T1/U1/{digest}"));
    bucket.put(&place, "whol3".into()).await.unwrap();
    let error = blobs.get("T1/U1", &digest).await.unwrap_err();
    assert!(matches!(error, BlobError::Missing { .. }), "{error}");
}

#[tokio::test]
async fn an_outage_is_unavailable_after_three_repeats() {
    let proxy = Proxy::start(ministack().port()).await;
    proxy.always("PUT", Act::Answer(503, String::new()));
    let blobs = alfred_aws::blobs(&sdk_at(&proxy.endpoint()).await, BUCKET);
    let error = blobs.put("T1/U1", b"x").await.unwrap_err();
    assert!(matches!(error, BlobError::Unavailable { .. }), "{error}");
    assert_eq!(proxy.count("PUT"), 4);
}
