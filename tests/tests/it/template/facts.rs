use alfred_core::Envelope;
use alfred_core::ports::{EXPIRING, QueueName};
use alfred_core::redelivery::MAX_RECEIVES;
use serde_json::{Value, json};

use super::stack::Stack;
use super::{has, rows};

#[test]
fn resources_are_as_listed() {
    let mut stack = Stack::with(&[]);
    let mut broken = Vec::new();
    for row in rows("facts.txt").iter().map(String::as_str).chain(["with"]) {
        if let Some(given) = row.strip_prefix("with") {
            assert!(broken.is_empty(), "{broken:?} before {row:?}");
            let given = given.split_whitespace();
            let given = given.map(|one| one.split_once('=').unwrap());
            stack = Stack::with(&given.collect::<Vec<_>>());
            broken = stack.broken_rules();
        } else if let Some(rule) = row.strip_prefix("! ") {
            let before = broken.len();
            broken.retain(|one| one != rule);
            assert_eq!(broken.len() + 1, before, "{rule}");
        } else if let Some(name) = row.strip_prefix("no ") {
            let mut all = stack.resources().into_iter();
            assert!(all.all(|(made, _)| made != name), "{name}");
        } else {
            let (names, wanted) = row.split_once(": ").unwrap();
            for name in names.split(' ') {
                let wanted: Value = serde_json::from_str(&wanted.replace("NAME", name)).unwrap();
                has(name, &stack.properties(name), &wanted);
            }
        }
    }
}

#[test]
fn numbers_and_names_are_those_of_the_code() {
    let stack = Stack::whole();
    for (resource, name) in QueueName::ALL.map(|queue| (format!("{queue:?}"), queue)) {
        let queue =
            json!({"QueueName": name.as_str(), "RedrivePolicy": {"maxReceiveCount": MAX_RECEIVES}});
        let there = stack.properties(&format!("{resource}Queue"));
        has(&resource, &there, &queue);
        let dead = stack.properties(&format!("{resource}DeadLetters"));
        let dead_name = name.as_str().replace(".fifo", "-dlq.fifo");
        assert_eq!(dead["QueueName"], dead_name);
    }
    let rules = &stack.properties("BlobsBucket")["LifecycleConfiguration"]["Rules"];
    assert_eq!(rules[0]["Prefix"], format!("{EXPIRING}/"));
    let days = json!({"ObjectLockConfiguration": {"Rule": {"DefaultRetention": {"Days": alfred_core::Config::default().audit_days}}}});
    has("AuditBucket", &stack.properties("AuditBucket"), &days);
}

/// A failed first deployment deletes what it made.
#[test]
fn data_outlives_its_stack_but_not_a_failed_first_deployment() {
    let kinds = ["AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::KMS::Key"];
    let stack = Stack::whole_with(&[("AccountSecrets", "kms")]);
    let mut kept = stack.resources();
    kept.retain(|(_, one)| kinds.iter().any(|kind| one["Type"] == *kind));
    assert_eq!(kept.len(), 5);
    for (name, resource) in kept {
        let policies =
            json!({"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"});
        has(name, &resource, &policies);
    }
}

#[test]
fn the_sweep_is_an_envelope_with_a_body_of_its_own_each_time() {
    let sweep = Stack::whole().properties("Sweep");
    let input = sweep["Target"]["Input"].as_str().unwrap();
    let at = |time: &str| -> Envelope {
        let body = input.replace("<aws.scheduler.scheduled-time>", time);
        serde_json::from_str(&body).unwrap()
    };
    let [first, next] = ["2026-11-21T10:00:00Z", "2026-11-21T10:01:00Z"].map(at);
    assert_eq!(first.payload, alfred_core::Payload::Sweep {});
    assert_ne!(first.identity, next.identity);
    assert_ne!(first.trace_id, next.trace_id);
}
