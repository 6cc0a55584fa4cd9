//! The tables: what the template gives them, and what `alfred-aws` relies on.

use alfred_aws::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    KeyType, PointInTimeRecoveryStatus, ScalarAttributeType, TableDescription, TableStatus,
};

use super::failed;
use crate::doctor::{Finding, Findings};

/// Keys of an item, and its time to live.
const KEYS: [(&str, KeyType); 2] = [("pk", KeyType::Hash), ("sk", KeyType::Range)];
const EXPIRES: &str = "_x";

pub async fn check(sdk: SdkConfig, table: String) -> Vec<Finding> {
    let client = Client::new(&sdk);
    let mut findings = Findings::of(format!("table {table}"));
    let described = client.describe_table().table_name(&table).send().await;
    let described = match described.map(|described| described.table) {
        Ok(described) => described.unwrap_or_else(|| TableDescription::builder().build()),
        Err(error) => {
            failed(&mut findings, "dynamodb:DescribeTable", &error);
            return findings.list;
        }
    };
    of_table(&mut findings, &described);
    if described.deletion_protection_enabled != Some(true) {
        let next = "Deploy with DeletionProtection=true.";
        findings.warning("it can be deleted by mistake", next);
    }
    let lives = client.describe_time_to_live().table_name(&table);
    let lives = lives.send().await;
    match lives.map(|lives| lives.time_to_live_description) {
        Ok(Some(lives))
            if lives.attribute_name() == Some(EXPIRES)
                && lives
                    .time_to_live_status()
                    .is_some_and(|on| on.as_str().starts_with("ENABL")) => {}
        Ok(_) => {
            let next = format!(
                "Turn it on: aws dynamodb update-time-to-live --table-name {table} \
                    --time-to-live-specification Enabled=true,AttributeName={EXPIRES}"
            );
            findings.warning("nothing expires: its time to live is off", &next);
        }
        Err(error) => failed(&mut findings, "dynamodb:DescribeTimeToLive", &error),
    }
    let backups = client.describe_continuous_backups().table_name(&table);
    let backups = backups.send().await;
    match backups.map(|backups| backups.continuous_backups_description) {
        Ok(backups) => {
            let recovery = backups.and_then(|backups| backups.point_in_time_recovery_description);
            let status = recovery.and_then(|recovery| recovery.point_in_time_recovery_status);
            if status != Some(PointInTimeRecoveryStatus::Enabled) {
                let found = "it has no backup: point-in-time recovery is off";
                let next = format!(
                    "Turn it on: aws dynamodb update-continuous-backups --table-name {table} \
                        --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true"
                );
                findings.warning(found, &next);
            }
        }
        Err(error) => failed(&mut findings, "dynamodb:DescribeContinuousBackups", &error),
    }
    let items = described.item_count.unwrap_or_default();
    findings.otherwise(format!("active, backed up, about {items} items"))
}

fn of_table(findings: &mut Findings, table: &TableDescription) {
    let status = table.table_status().map_or("unknown", TableStatus::as_str);
    if !["ACTIVE", "UPDATING"].contains(&status) {
        let next = "Wait until it is ACTIVE; otherwise restore it from its backup.";
        findings.problem(format!("its state is {status}"), next);
    }
    let keys = table.key_schema().iter();
    let keys = keys.map(|key| (key.attribute_name(), key.key_type().clone()));
    let keys: Vec<(&str, KeyType)> = keys.collect();
    let mut attributes = table.attribute_definitions().iter();
    if keys != KEYS || attributes.any(|one| *one.attribute_type() != ScalarAttributeType::S) {
        let keys: Vec<&str> = keys.iter().map(|(name, _)| *name).collect();
        let keys = keys.join(", ");
        let found =
            format!("it isn't of this release: its keys are {keys}, not the texts pk and sk");
        let next = "Name another table, or deploy the release that made it.";
        findings.problem(found, next);
    }
}
