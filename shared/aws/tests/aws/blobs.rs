use alfred_core::ports::{BlobError, Blobs};

use super::{BUCKET, sdk};

alfred_testkit::blobs_conformance!(alfred_aws::blobs(&sdk().await, BUCKET));

#[tokio::test]
async fn a_bucket_that_is_not_there_is_unavailable() {
    let blobs = alfred_aws::blobs(&sdk().await, "no-such-bucket");
    let error = blobs.put("T1/U1", b"x").await.unwrap_err();
    assert!(matches!(error, BlobError::Unavailable { .. }), "{error}");
}
