//! The queues and their dead letters.

use alfred_aws::SdkConfig;
use alfred_core::redelivery::MAX_RECEIVES;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName as Attribute;
use serde_json::Value;
use std::collections::HashMap;

use super::{DEPLOY_AGAIN, failed};
use crate::doctor::{Finding, Findings};

pub async fn check(sdk: SdkConfig, url: String) -> Vec<Finding> {
    let client = Client::new(&sdk);
    let (place, queue) = url.rsplit_once('/').unwrap_or_default();
    let dead_letters = queue.replace(".fifo", "-dlq.fifo");
    let mut findings = Findings::of(format!("queue {queue}"));
    let mut waiting = 0;
    if let Some(attributes) = attributes(&client, &url, &mut findings).await {
        redrive(&mut findings, &dead_letters, &attributes);
        waiting = count(&attributes);
    }
    let mut dead = Findings::of(format!("queue {dead_letters}"));
    let dead_url = format!("{place}/{dead_letters}");
    let letters = attributes(&client, &dead_url, &mut dead).await;
    let letters = letters.map_or(0, |attributes| count(&attributes));
    if letters > 0 {
        let next = "`alfred dlq list` shows why (docs/runbook.md#dead-letters).";
        dead.problem(format!("dead letters: {letters}"), next);
    }
    findings.list.extend(dead.list);
    findings.otherwise(format!("waiting: {waiting}, dead letters: 0"))
}

type Attributes = HashMap<Attribute, String>;

async fn attributes(client: &Client, url: &str, findings: &mut Findings) -> Option<Attributes> {
    let asked = client.get_queue_attributes().queue_url(url);
    match asked.attribute_names(Attribute::All).send().await {
        Ok(answer) => answer.attributes,
        Err(error) => {
            failed(findings, "sqs:GetQueueAttributes", &error);
            None
        }
    }
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

/// Looks where failed messages go.
fn redrive(findings: &mut Findings, dead_letters: &str, attributes: &Attributes) {
    let policy = attributes.get(&Attribute::RedrivePolicy);
    let policy = policy.and_then(|policy| serde_json::from_str::<Value>(policy).ok());
    let policy = policy.unwrap_or_default();
    let target = policy["deadLetterTargetArn"].as_str().unwrap_or_default();
    let receives = policy["maxReceiveCount"].to_string();
    if !target.ends_with(&format!(":{dead_letters}")) {
        let found = format!("messages that fail don't go to {dead_letters}");
        findings.problem(found, DEPLOY_AGAIN);
    } else if receives.trim_matches('"') != MAX_RECEIVES.to_string() {
        let found = format!("messages are given up after {receives} tries, not {MAX_RECEIVES}");
        findings.warning(found, DEPLOY_AGAIN);
    }
}
