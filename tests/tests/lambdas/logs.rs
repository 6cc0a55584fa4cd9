//! What the functions log: one trace through all of them, and neither bodies
//! nor secrets.

use alfred_slack_local::Message;
use serde_json::{Value, json};

use crate::world::World;

/// Every line of the functions' logs, as CloudWatch has it.
pub fn all(world: &World) -> Vec<String> {
    let groups = world
        .ministack
        .call("Logs_20140328.DescribeLogGroups", &json!({}));
    let mut lines = Vec::new();
    for group in groups["logGroups"].as_array().unwrap() {
        let mut asked = json!({"logGroupName": group["logGroupName"]});
        loop {
            let found = world
                .ministack
                .call("Logs_20140328.FilterLogEvents", &asked);
            let events = found["events"].as_array().unwrap().iter();
            lines.extend(events.map(|event| event["message"].as_str().unwrap().to_owned()));
            match &found["nextToken"] {
                Value::String(next) => asked["nextToken"] = json!(next),
                _ => break,
            }
        }
    }
    lines
}

/// The lines of metrics of one request, one an invocation that served it.
pub fn metrics(world: &World, asked: &Message) -> Vec<Value> {
    let trace = world.trace(asked).0;
    let lines = all(world);
    let parsed = lines
        .iter()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    parsed
        .filter(|line| line.get("_aws").is_some() && line["trace.id"] == trace.as_str())
        .collect()
}
