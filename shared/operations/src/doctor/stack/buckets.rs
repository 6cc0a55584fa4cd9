//! The buckets, and the lock of the audit's.

use alfred_aws::SdkConfig;

use super::signed::{Answer, address, get};
use super::{DEPLOY_AGAIN, denied, unanswered};
use crate::doctor::{Finding, Findings};

const LOCKED: &str = "<ObjectLockEnabled>Enabled<";

/// `locks` if what is in the bucket must be locked.
pub async fn check(sdk: SdkConfig, bucket: String, locks: bool) -> Vec<Finding> {
    let mut findings = Findings::of(format!("bucket {bucket}"));
    let place = match sdk.endpoint_url() {
        Some(_) => format!("{}/{bucket}", address(&sdk, "s3")),
        None => address(&sdk, &format!("{bucket}.s3")),
    };
    let list = get(&sdk, "s3", &format!("{place}?list-type=2&max-keys=1")).await;
    let lock = match list {
        Ok(Answer { status: 404, .. }) => {
            findings.problem("it doesn't exist", DEPLOY_AGAIN);
            return findings.list;
        }
        Ok(Answer { status: 403, .. }) => {
            denied(&mut findings, "s3:ListBucket");
            return findings.list;
        }
        Ok(Answer { status: 200, .. }) if locks => {
            get(&sdk, "s3", &format!("{place}?object-lock")).await
        }
        list => list,
    };
    match lock {
        Ok(Answer { status: 200, body }) if !locks || body.contains(LOCKED) => {}
        Ok(Answer {
            status: 200 | 404, ..
        }) => findings.problem(
            "the audit's digests aren't locked in it, so they can be changed",
            "Let the stack make another bucket: Object Lock is chosen when a bucket is made.",
        ),
        Ok(Answer { status: 403, .. }) => {
            denied(&mut findings, "s3:GetBucketObjectLockConfiguration");
        }
        Ok(Answer { status, .. }) => unanswered(&mut findings, &format!("HTTP {status}")),
        Err(error) => unanswered(&mut findings, &error),
    }
    findings.otherwise(if locks {
        "reachable, with Object Lock"
    } else {
        "reachable"
    })
}
