//! The tables: what the template gives them, and what `alfred-aws` relies on.

use alfred_aws::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    KeyType, PointInTimeRecoveryStatus, ScalarAttributeType, TableDescription, TableStatus,
    TimeToLiveStatus,
};

use super::{DEPLOY_AGAIN, failed};
use crate::doctor::Finding;

/// Keys of an item, and its time to live.
const KEYS: [(&str, KeyType); 2] = [("pk", KeyType::Hash), ("sk", KeyType::Range)];
const EXPIRES: &str = "_x";

pub async fn check(sdk: SdkConfig, table: String) -> Vec<Finding> {
    let (client, name) = (Client::new(&sdk), format!("table {table}"));
    let described = client.describe_table().table_name(&table).send().await;
    let described = match described {
        Ok(described) => described.table.unwrap_or_else(empty),
        Err(error) => return vec![failed(&name, "dynamodb:DescribeTable", &error)],
    };
    let mut findings: Vec<Finding> = of_table(&name, &described).into_iter().collect();
    if described.deletion_protection_enabled != Some(true) {
        let next = "Deploy with DeletionProtection=true.";
        findings.push(Finding::warning(
            &name,
            "it can be deleted by mistake",
            next,
        ));
    }
    let lives = client
        .describe_time_to_live()
        .table_name(&table)
        .send()
        .await;
    match lives.map(|lives| lives.time_to_live_description) {
        Ok(Some(lives))
            if lives.attribute_name() == Some(EXPIRES)
                && lives.time_to_live_status() == Some(&TimeToLiveStatus::Enabled) => {}
        Ok(_) => {
            let found = format!("nothing expires: time to live on {EXPIRES} is off");
            findings.push(Finding::warning(&name, found, DEPLOY_AGAIN));
        }
        Err(error) => findings.push(failed(&name, "dynamodb:DescribeTimeToLive", &error)),
    }
    let backups = client
        .describe_continuous_backups()
        .table_name(&table)
        .send()
        .await;
    match backups.map(|backups| backups.continuous_backups_description) {
        Ok(backups) => {
            let recovery = backups.and_then(|backups| backups.point_in_time_recovery_description);
            let status = recovery.and_then(|recovery| recovery.point_in_time_recovery_status);
            if status != Some(PointInTimeRecoveryStatus::Enabled) {
                let found = "it has no backup: point-in-time recovery is off";
                findings.push(Finding::warning(&name, found, DEPLOY_AGAIN));
            }
        }
        Err(error) => findings.push(failed(&name, "dynamodb:DescribeContinuousBackups", &error)),
    }
    if findings.is_empty() {
        let items = described.item_count.unwrap_or_default();
        findings.push(Finding::ok(
            &name,
            format!("active, backed up, about {items} items"),
        ));
    }
    findings
}

/// An answer without a table has nothing that is needed.
fn empty() -> TableDescription {
    TableDescription::builder().build()
}

fn of_table(name: &str, table: &TableDescription) -> Option<Finding> {
    match table.table_status() {
        Some(TableStatus::Active | TableStatus::Updating) => {}
        status => {
            let status = status.map_or("unknown", |status| status.as_str());
            let next = "Wait until it is ACTIVE; otherwise restore it from its backup.";
            return Some(Finding::problem(
                name,
                format!("its state is {status}"),
                next,
            ));
        }
    }
    let keys = table.key_schema().iter();
    let keys: Vec<(&str, KeyType)> = keys
        .map(|key| (key.attribute_name(), key.key_type().clone()))
        .collect();
    let is_text = |name: &str| {
        table
            .attribute_definitions()
            .iter()
            .any(|it| it.attribute_name() == name && *it.attribute_type() == ScalarAttributeType::S)
    };
    if keys == KEYS && keys.iter().all(|(name, _)| is_text(name)) {
        return None;
    }
    let keys: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
    let found = format!(
        "it isn't a table of this release: its keys are {}, not the texts pk and sk",
        keys.join(", ")
    );
    let next = "Name another table, or deploy the release that made it.";
    Some(Finding::problem(name, found, next))
}
