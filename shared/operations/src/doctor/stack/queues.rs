//! The queues and their dead letters.

use alfred_aws::SdkConfig;
use alfred_core::redelivery::MAX_RECEIVES;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName as Attribute;
use serde_json::Value;
use std::collections::HashMap;

use super::{DEPLOY_AGAIN, failed};
use crate::doctor::Finding;

const READ: &str = "sqs:GetQueueAttributes";

pub async fn check(sdk: SdkConfig, url: String) -> Vec<Finding> {
    let client = Client::new(&sdk);
    let (place, queue) = url.rsplit_once('/').unwrap_or_default();
    let dead_letters = queue.replace(".fifo", "-dlq.fifo");
    let (name, dead_name) = (format!("queue {queue}"), format!("queue {dead_letters}"));
    let mut findings = Vec::new();
    let waiting = match attributes(&client, &name, &url).await {
        Ok(found) => {
            findings.extend(redrive(&name, &dead_letters, &found));
            count(&found)
        }
        Err(finding) => {
            findings.push(finding);
            0
        }
    };
    let dead_url = format!("{place}/{dead_letters}");
    match attributes(&client, &dead_name, &dead_url).await {
        Ok(found) if count(&found) > 0 => {
            let found = format!("dead letters: {}", count(&found));
            let next = "`alfred dlq list` shows why (docs/runbook.md#dead-letters).";
            findings.push(Finding::problem(&dead_name, found, next));
        }
        Ok(_) => {}
        Err(finding) => findings.push(finding),
    }
    if findings.is_empty() {
        let found = format!("waiting: {waiting}, dead letters: 0");
        findings.push(Finding::ok(&name, found));
    }
    findings
}

type Attributes = HashMap<Attribute, String>;

async fn attributes(client: &Client, name: &str, url: &str) -> Result<Attributes, Finding> {
    let asked = client.get_queue_attributes().queue_url(url);
    let answer = asked.attribute_names(Attribute::All).send().await;
    let answer = answer.map_err(|error| failed(name, READ, &error))?;
    Ok(answer.attributes.unwrap_or_default())
}

/// Messages that wait or are being handled.
fn count(attributes: &Attributes) -> u64 {
    let counts = [
        Attribute::ApproximateNumberOfMessages,
        Attribute::ApproximateNumberOfMessagesNotVisible,
        Attribute::ApproximateNumberOfMessagesDelayed,
    ];
    let counts = counts.iter().filter_map(|name| attributes.get(name));
    counts.filter_map(|count| count.parse::<u64>().ok()).sum()
}

/// What is wrong with where failed messages go.
fn redrive(name: &str, dead_letters: &str, attributes: &Attributes) -> Option<Finding> {
    let policy = attributes.get(&Attribute::RedrivePolicy);
    let policy = policy.and_then(|policy| serde_json::from_str::<Value>(policy).ok());
    let policy = policy.unwrap_or_default();
    let target = policy["deadLetterTargetArn"].as_str().unwrap_or_default();
    if !target.ends_with(&format!(":{dead_letters}")) {
        let found = format!("messages that fail don't go to {dead_letters}");
        return Some(Finding::problem(name, found, DEPLOY_AGAIN));
    }
    let receives = &policy["maxReceiveCount"];
    let receives = receives
        .as_u64()
        .or_else(|| receives.as_str()?.parse().ok());
    (receives != Some(u64::from(MAX_RECEIVES))).then(|| {
        let found =
            format!("messages are given up after another number of tries than {MAX_RECEIVES}");
        Finding::warning(name, found, DEPLOY_AGAIN)
    })
}
