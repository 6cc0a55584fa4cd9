//! The buckets, and the lock of the audit's.

use alfred_aws::SdkConfig;

use super::signed::{Answer, address, get};
use super::{RESTORE, refused, unanswered};
use crate::doctor::{Finding, Findings};

const LOCKED: &str = "<ObjectLockEnabled>Enabled<";

/// `locks` if what is in the bucket must be locked.
pub async fn check(sdk: SdkConfig, bucket: String, locks: bool) -> Vec<Finding> {
    let mut findings = Findings::of(format!("bucket {bucket}"));
    let place = match sdk.endpoint_url() {
        Some(_) => format!("{}/{bucket}", address(&sdk, "s3")),
        None => address(&sdk, &format!("{bucket}.s3")),
    };
    match get(&sdk, "s3", &format!("{place}?list-type=2&max-keys=1")).await {
        Ok(list) if list.status == 404 => findings.problem("it doesn't exist", RESTORE),
        Ok(list) if list.status != 200 => refused(&mut findings, &list, "s3:ListBucket"),
        Ok(_) if locks => {
            let lock = get(&sdk, "s3", &format!("{place}?object-lock")).await;
            locked(&mut findings, lock);
        }
        Ok(_) => {}
        Err(error) => unanswered(&mut findings, &error),
    }
    let lock = if locks { ", with Object Lock" } else { "" };
    findings.otherwise(format!("reachable{lock}"))
}

fn locked(findings: &mut Findings, lock: Result<Answer, String>) {
    match lock {
        Ok(lock) if lock.status == 200 && lock.body.contains(LOCKED) => {}
        Ok(lock) if [200, 404].contains(&lock.status) => findings.problem(
            "the audit's digests aren't locked in it, so they can be changed",
            "Turn on its versioning and Object Lock (docs/debugging.md#restore-what-was-changed-by-hand).",
        ),
        Ok(lock) => refused(findings, &lock, "s3:GetBucketObjectLockConfiguration"),
        Err(error) => unanswered(findings, &error),
    }
}
