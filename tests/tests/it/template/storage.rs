use alfred_core::ports::EXPIRING;
use serde_json::{Value, json};

use super::stack::Stack;
use super::{has, many};

#[test]
fn tables_expire_and_recover() {
    let tables = Stack::whole().of_type("AWS::DynamoDB::Table");
    assert_eq!(tables.len(), 2);
    for (name, table) in tables {
        let wanted = json!({
            "TimeToLiveSpecification": {"AttributeName": "_x", "Enabled": true},
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true},
            "SSESpecification": {"SSEEnabled": true},
            "BillingMode": "PAY_PER_REQUEST",
        });
        has(name, &table, &wanted);
        let keys = many(&table["KeySchema"]).into_iter();
        let keys: Vec<_> = keys.map(|key| &key["AttributeName"]).collect();
        assert_eq!(keys, ["pk", "sk"]);
    }
}

/// A failed first deployment leaves nothing: what it made is deleted, and the tables don't refuse that yet.
#[test]
fn data_outlives_its_stack_but_not_a_failed_first_deployment() {
    let kinds = "AWS::DynamoDB::Table AWS::S3::Bucket AWS::KMS::Key";
    let keyed = [("AccountSecrets", "kms"), ("MailServers", "public")];
    let stack = Stack::with(&keyed).resources().into_iter();
    let kept = stack.filter(|(_, one)| kinds.split(' ').any(|kind| one["Type"] == kind));
    let kept: Vec<_> = kept.collect();
    assert_eq!(kept.len(), 5);
    for (name, resource) in kept {
        let policies =
            json!({"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"});
        has(name, &resource, &policies);
    }
    for table in ["StateTable", "AuditTable"] {
        let protected = |stack: Stack| stack.properties(table)["DeletionProtectionEnabled"].clone();
        assert_eq!(protected(Stack::whole()), "false");
        let parameter = ("DeletionProtection", "true");
        assert_eq!(protected(Stack::with(&[parameter])), "true");
    }
}

fn private(stack: &Stack, name: &str) -> Value {
    let bucket = stack.properties(name);
    let block = bucket["PublicAccessBlockConfiguration"].as_object();
    let block = block.unwrap();
    assert!(block.len() == 4 && block.values().all(|on| on == true));
    assert!(bucket["BucketEncryption"].is_object());
    let policy = &stack.properties(&format!("{name}Policy"))["PolicyDocument"]["Statement"][0];
    let tls = json!({
        "Effect": "Deny", "Action": "s3:*", "Resource": [format!("{name}.Arn"), format!("{name}.Arn/*")],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    });
    has(name, policy, &tls);
    bucket
}

#[test]
fn large_bodies_are_private_and_expire() {
    let bucket = private(&Stack::with(&[("BlobRetentionDays", "45")]), "BlobsBucket");
    let rule = &bucket["LifecycleConfiguration"]["Rules"][0];
    has(
        "BlobsBucket",
        rule,
        &json!({"ExpirationInDays": "45", "Prefix": format!("{EXPIRING}/")}),
    );
}

#[test]
fn digests_are_locked_where_nobody_can_rewrite_them() {
    let days = alfred_core::Config::default().audit_days;
    let locked = json!({
        "ObjectLockEnabled": true,
        "ObjectLockConfiguration": {
            "Rule": {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": days}},
        },
        "VersioningConfiguration": {"Status": "Enabled"},
    });
    let bucket = private(&Stack::whole(), "AuditBucket");
    has("AuditBucket", &bucket, &locked);
}
