//! The buckets, and the lock of the audit's.

use alfred_aws::SdkConfig;

use super::signed::{Answer, address, get};
use super::{DEPLOY_AGAIN, RIGHTS, denied};
use crate::doctor::Finding;

/// `locks` if what is in the bucket must be locked.
pub async fn check(sdk: SdkConfig, bucket: String, locks: bool) -> Vec<Finding> {
    let name = format!("bucket {bucket}");
    let place = match sdk.endpoint_url() {
        Some(_) => format!("{}/{bucket}", address(&sdk, "s3")),
        None => address(&sdk, &format!("{bucket}.s3")),
    };
    let list = get(&sdk, "s3", &format!("{place}?list-type=2&max-keys=1")).await;
    let mut findings: Vec<Finding> = fault(&name, "s3:ListBucket", list).into_iter().collect();
    if locks && findings.is_empty() {
        let lock = get(&sdk, "s3", &format!("{place}?object-lock")).await;
        findings.extend(match &lock {
            Ok(Answer { status: 200, body })
                if String::from_utf8_lossy(body).contains("<ObjectLockEnabled>Enabled<") =>
            {
                None
            }
            Ok(Answer { status: 200 | 404, .. }) => {
                let found = "the audit's digests aren't locked in it, so they can be changed";
                let next = "Let the stack make another bucket: Object Lock is chosen when a bucket is made.";
                Some(Finding::problem(&name, found, next))
            }
            _ => fault(&name, "s3:GetBucketObjectLockConfiguration", lock),
        });
    }
    if findings.is_empty() {
        let found = if locks {
            "reachable, with Object Lock"
        } else {
            "reachable"
        };
        findings.push(Finding::ok(&name, found));
    }
    findings
}

fn fault(name: &str, action: &str, answer: Result<Answer, String>) -> Option<Finding> {
    match answer {
        Ok(Answer { status: 200, .. }) => None,
        Ok(Answer { status: 403, .. }) => Some(denied(name, action)),
        Ok(Answer { status: 404, .. }) => {
            Some(Finding::problem(name, "it doesn't exist", DEPLOY_AGAIN))
        }
        Ok(Answer { status, .. }) => {
            let found = format!("S3 answers HTTP {status}");
            Some(Finding::problem(name, found, RIGHTS))
        }
        Err(error) => {
            let found = format!("AWS doesn't answer: {error}");
            Some(Finding::problem(name, found, RIGHTS))
        }
    }
}
