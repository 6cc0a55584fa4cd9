//! `alfred audit` over the deployed tables, as an administrator runs it, and a
//! row that somebody changed behind Alfred's back.

use alfred_core::keys;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;
use std::process::{Output, Stdio};
use tokio::process::Command;
use tokio::time::timeout;

use super::{ask, click, replied};
use crate::lambdas::bootstraps;
use crate::lambdas::run;
use crate::lambdas::world::{PATIENCE, World};

/// `alfred` with the deployment's names and nothing else of an environment.
pub async fn alfred(world: &World, arguments: &[&str]) -> Output {
    let mut command = Command::new(bootstraps::alfred());
    command.env_clear().args(arguments);
    command.args(["--team", world.team().as_str()]);
    let names = [
        ("STATE_TABLE", "StateTableName"),
        ("AUDIT_TABLE", "AuditTableName"),
        ("BLOBS_BUCKET", "BlobsBucketName"),
        ("AUDIT_BUCKET", "AuditBucketName"),
    ];
    command.envs(names.map(|(name, output)| (name, world.outputs[output].as_str())));
    for name in [
        "AWS_ENDPOINT_URL",
        "AWS_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
    ] {
        command.env(name, world.ministack.variable(name).unwrap());
    }
    command.stdin(Stdio::null()).kill_on_drop(true);
    let ended = timeout(PATIENCE, command.output()).await;
    ended.expect("it ends").unwrap()
}

fn said(output: &Output) -> String {
    let all = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8(all).unwrap()
}

/// Everything is as it was written; how many entries there are.
pub async fn assert_whole(world: &World) -> u64 {
    let verified = alfred(world, &["audit", "verify", "--json"]).await;
    assert_eq!(verified.status.code(), Some(0), "{}", said(&verified));
    let verified: Value = serde_json::from_slice(&verified.stdout).unwrap();
    assert_eq!(verified["findings"], Value::from(Vec::<Value>::new()));
    verified["entries"].as_u64().unwrap()
}

#[test]
fn the_audit_of_an_approval_is_listed_and_whoever_changes_it_is_found() {
    run(async {
        let world = World::start().await;
        let asked = ask(&world, "[audit-words]").await;
        assert!(click(&world, &asked.card, "approval_approve").await);
        replied(&world, "[audit-words]").await;

        let listed = alfred(&world, &["audit", "list", "--json"]).await;
        assert_eq!(listed.status.code(), Some(0), "{}", said(&listed));
        let entries: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
        let what: Vec<_> = entries
            .iter()
            .map(|one| one["what"].as_str().unwrap())
            .collect();
        let all = [
            "approval.asked",
            "approval.decided",
            "effect.begun",
            "slack_sendMessage",
            "reply",
        ];
        assert_eq!(what, all);
        let of_run = |one: &Value| one["run"] == asked.run.as_str();
        assert!(entries.iter().all(of_run), "{entries:#?}");
        assert_eq!(entries[3]["digest"], asked.approval.digest.as_str());
        let table = alfred(&world, &["audit", "list"]).await;
        assert_eq!(said(&table).lines().count(), all.len(), "{}", said(&table));
        assert!(!said(&table).contains("audit-words"), "no bodies");
        assert_eq!(assert_whole(&world).await, 5);

        let key = keys::audit(&world.team(), &asked.run, 4);
        change(&world, &key.partition, &key.range).await;
        let found = alfred(&world, &["audit", "verify"]).await;
        let words = said(&found);
        assert_eq!(found.status.code(), Some(1), "{words}");
        let lines: Vec<_> = words.lines().collect();
        assert!(
            lines[0].contains(asked.run.as_str()) && lines[0].contains('4'),
            "{words}"
        );
        assert!(words.contains("1 runs, 5 entries"), "{words}");
    });
}

/// Makes an entry say something else, past every condition of Alfred's own.
async fn change(world: &World, partition: &str, range: &str) {
    let sdk = alfred_aws::from_lookup(|name| world.ministack.variable(name)).await;
    let client = Client::new(&sdk.unwrap());
    let update = client
        .update_item()
        .table_name(&world.outputs["AuditTableName"])
        .key("pk", AttributeValue::S(partition.into()))
        .key("sk", AttributeValue::S(range.into()))
        .condition_expression("attribute_exists(pk)")
        .update_expression("SET #changed = :to")
        .expression_attribute_names("#changed", "resource")
        .expression_attribute_values(":to", AttributeValue::S("D0SOMEBODYELSE".into()));
    update.send().await.unwrap();
}
