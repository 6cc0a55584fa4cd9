//! The queues and their dead letters.

use alfred_aws::{SdkConfig, dead_letters as dead_letters_of};
use alfred_core::redelivery::MAX_RECEIVES;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName as Attribute;
use serde_json::{Value, json};
use std::collections::HashMap;

use super::failed;
use crate::doctor::{Finding, Findings};

pub async fn check(sdk: SdkConfig, url: String) -> Vec<Finding> {
    let client = Client::new(&sdk);
    let dead_url = dead_letters_of(&url);
    let [queue, dead_letters] = [&url, &dead_url].map(|url| url.rsplit('/').next().unwrap_or(url));
    let mut findings = Findings::of(format!("queue {queue}"));
    let mut waiting = 0;
    if let Some(attributes) = attributes(&client, &url, &mut findings).await {
        redrive(&mut findings, &url, dead_letters, &attributes);
        waiting = count(&attributes);
    }
    let mut dead = Findings::of(format!("queue {dead_letters}"));
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
fn redrive(findings: &mut Findings, url: &str, dead_letters: &str, attributes: &Attributes) {
    let text = |name: &Attribute| attributes.get(name).map_or("", String::as_str);
    let policy: Value = serde_json::from_str(text(&Attribute::RedrivePolicy)).unwrap_or_default();
    let target = policy["deadLetterTargetArn"].as_str().unwrap_or_default();
    let receives = policy["maxReceiveCount"].to_string();
    let is_target = target.ends_with(&format!(":{dead_letters}"));
    if is_target && receives.trim_matches('"') == MAX_RECEIVES.to_string() {
        return;
    }
    let arn = text(&Attribute::QueueArn);
    let (account, _) = arn.rsplit_once(':').unwrap_or_default();
    let target = format!("{account}:{dead_letters}");
    let right = json!({"deadLetterTargetArn": target, "maxReceiveCount": MAX_RECEIVES});
    let right = json!({"RedrivePolicy": right.to_string()});
    let next =
        format!("Set it: aws sqs set-queue-attributes --queue-url {url} --attributes '{right}'");
    if is_target {
        let found = format!("messages are given up after {receives} tries, not {MAX_RECEIVES}");
        findings.warning(found, &next);
    } else {
        let found = format!("messages that fail don't go to {dead_letters}");
        findings.problem(found, &next);
    }
}
