//! `alfred audit` over the deployed tables, also after a row was tampered with.

use alfred_audit::whole::{self, Scope};
use alfred_core::ports::Clock;
use alfred_core::{Progress, keys};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use jiff::SignedDuration;
use serde_json::Value;
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

use super::{ask, click, replied};
use crate::binaries;
use crate::lambdas::run;
use crate::lambdas::world::World;

/// Timeout of `alfred`: verifying the audit takes 6,400 reads.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs `alfred` with only the deployment's names and clock in its environment.
pub async fn alfred(world: &World, arguments: &[&str]) -> Output {
    let mut command = Command::new(binaries::alfred());
    command.env_clear().args(arguments);
    command.args(["--team", world.team().as_str()]);
    let names = [
        ("STATE_TABLE", "StateTableName"),
        ("AUDIT_TABLE", "AuditTableName"),
        ("BLOBS_BUCKET", "BlobsBucketName"),
        ("AUDIT_BUCKET", "AuditBucketName"),
    ];
    command.envs(names.map(|(name, output)| (name, world.outputs[output].as_str())));
    for name in "AWS_ENDPOINT_URL AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY".split(' ') {
        command.env(name, world.ministack.variable(name).unwrap());
    }
    command.envs(world.clock.variables());
    command.stdin(Stdio::null()).kill_on_drop(true);
    let ended = timeout(LIMIT, command.output()).await;
    let ended = ended.unwrap_or_else(|_| panic!("alfred {arguments:?} runs longer than {LIMIT:?}"));
    ended.unwrap()
}

fn said(output: &Output) -> String {
    let all = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8(all).unwrap()
}

/// Asserts that every audit entry is unchanged, and returns their number. Checks two days, because all 400
/// days of the retention would take 6,400 reads.
pub async fn assert_whole(world: &World) -> usize {
    let sdk = alfred_aws::from_lookup(|name| world.ministack.variable(name)).await;
    let vault = alfred_aws::vault(&sdk.unwrap(), &world.outputs["AuditBucketName"]);
    let scope = Scope {
        store: &*world.store,
        vault: &vault,
        team: &world.team(),
        now: world.clock.now(),
        keep: SignedDuration::from_hours(2 * 24),
    };
    let verified = whole::verify(&scope, &Progress::default()).await.unwrap();
    assert!(verified.findings.is_empty(), "{:?}", verified.findings);
    verified.entries
}

#[test]
fn the_audit_of_an_approval_is_listed_and_whoever_changes_it_is_found() {
    run(async {
        // Its own deployment, because a row is changed.
        let world = &World::start().await;
        let asked = ask(world, "[audit-words]").await;
        assert!(click(world, &asked.card, "approval_approve").await);
        replied(world, "[audit-words]").await;

        let listed = alfred(world, &["audit", "list", "--json"]).await;
        assert_eq!(listed.status.code(), Some(0), "{}", said(&listed));
        let entries: Vec<Value> = serde_json::from_slice(&listed.stdout).unwrap();
        let what = entries.iter().map(|one| one["what"].as_str().unwrap());
        let what: Vec<_> = what.collect();
        let all = "approval.asked approval.decided effect.begun slack_sendMessage reply";
        assert_eq!(what.join(" "), all);
        let of_run = |one: &Value| one["run"] == asked.run.as_str();
        assert!(entries.iter().all(of_run), "{entries:#?}");
        assert_eq!(entries[3]["digest"], asked.approval.digest.as_str());
        let table = alfred(world, &["audit", "list"]).await;
        assert_eq!(said(&table).lines().count(), what.len(), "{}", said(&table));
        assert!(!said(&table).contains("audit-words"), "no bodies");
        assert_eq!(assert_whole(world).await, 5);

        let key = keys::audit(&world.team(), &asked.run, 4);
        change(world, &key.partition, &key.range).await;
        let found = alfred(world, &["audit", "verify"]).await;
        let words = said(&found);
        assert_eq!(found.status.code(), Some(1), "{words}");
        let lines: Vec<_> = words.lines().collect();
        assert!(lines[0].contains(asked.run.as_str()), "{words}");
        assert!(lines[0].contains('4'), "{words}");
        assert!(words.contains("1 runs, 5 entries"), "{words}");
    });
}

/// Changes an entry directly in the table.
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
