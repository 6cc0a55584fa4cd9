//! The functions' logs: one trace through all of them, and neither content nor secrets.

use alfred_slack_local::Message;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use crate::lambdas::world::{MODEL_KEY, World};

fn all(world: &World) -> Vec<(String, String)> {
    let ministack = &world.ministack;
    let groups = ministack.call("Logs_20140328.DescribeLogGroups", &json!({}));
    let mut lines = Vec::new();
    for group in groups["logGroups"].as_array().unwrap() {
        let name = group["logGroupName"].as_str().unwrap();
        let mut asked = json!({"logGroupName": name});
        loop {
            let found = ministack.call("Logs_20140328.FilterLogEvents", &asked);
            let events = found["events"].as_array().unwrap().iter();
            let line = |event: &Value| {
                let message = event["message"].as_str().unwrap();
                (name.to_owned(), message.to_owned())
            };
            lines.extend(events.map(line));
            match &found["nextToken"] {
                Value::String(next) => asked["nextToken"] = json!(next),
                _ => break,
            }
        }
    }
    lines
}

pub fn services_of(world: &World, trace: &str) -> Vec<String> {
    let lines = all(world).into_iter();
    let own = lines.filter(|(_, line)| line.contains(trace));
    let names = own.map(|(group, _)| group.replace("/aws/lambda/alfred-", ""));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Asserts that no line contains these words or a secret of the deployment.
pub fn assert_silent(world: &World, words: &[&str]) {
    let lines = all(world);
    assert!(lines.len() > 10, "{} lines", lines.len());
    let seed = world.slack().seed();
    let secrets = [&*seed.bot_token, &*seed.signing_secret, MODEL_KEY];
    for unspoken in secrets.iter().chain(words) {
        let found = lines.iter().find(|(_, line)| line.contains(unspoken));
        assert_eq!(found, None, "{unspoken:?} is in the logs");
    }
}

/// A request's metrics lines, one per invocation.
pub fn metrics(world: &World, asked: &Message) -> Vec<Value> {
    let trace = world.trace(asked).0;
    let lines = all(world);
    let parsed = lines.iter();
    let parsed = parsed.filter_map(|(_, line)| serde_json::from_str::<Value>(line).ok());
    parsed
        .filter(|line| line.get("_aws").is_some() && line["trace.id"] == trace.as_str())
        .collect()
}
