//! Metrics in CloudWatch's embedded format: one JSON line a request
//! (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html>).
//! Every name is listed here.

use alfred_core::config::stage;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A metric: its name, and CloudWatch's name of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    pub name: &'static str,
    /// `Count` or `Milliseconds`; `None` for millionths of a dollar.
    pub unit: &'static str,
}

const fn count(name: &'static str) -> Metric {
    let unit = "Count";
    Metric { name, unit }
}

const fn millis(name: &'static str) -> Metric {
    let unit = "Milliseconds";
    Metric { name, unit }
}

/// Requests handled, one a line.
pub const REQUESTS: Metric = count("requests");
/// From the send to the start of the handler.
pub const QUEUE_WAIT: Metric = millis("queue.wait");
pub const HANDLER_TIME: Metric = millis("handler.time");
/// Sweeps that ran to their end or to their deadline; an alarm rings without them.
pub const SWEEPS: Metric = count("sweeps");
pub const MODEL_CALLS: Metric = count("model.calls");
pub const MODEL_TIME: Metric = millis("model.time");
pub const TOOL_CALLS: Metric = count("tool.calls");
pub const TOOL_TIME: Metric = millis("tool.time");
/// Reads and commits of the store.
pub const STORE_CALLS: Metric = count("store.calls");
pub const QUEUE_SENDS: Metric = count("queue.sends");
pub const CHAT_CALLS: Metric = count("chat.calls");
pub const TOKENS_INPUT: Metric = count("tokens.input");
pub const TOKENS_OUTPUT: Metric = count("tokens.output");
/// Millionths of a US dollar paid to models.
pub const COST_MICROS: Metric = Metric {
    name: "cost.micros",
    unit: "None",
};

pub const ALL: [Metric; 14] = [
    REQUESTS,
    QUEUE_WAIT,
    HANDLER_TIME,
    SWEEPS,
    MODEL_CALLS,
    MODEL_TIME,
    TOOL_CALLS,
    TOOL_TIME,
    STORE_CALLS,
    QUEUE_SENDS,
    CHAT_CALLS,
    TOKENS_INPUT,
    TOKENS_OUTPUT,
    COST_MICROS,
];

/// How a request ended, a dimension of every metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    Retry,
    Rejected,
    Bug,
    Panic,
    Unreadable,
}

/// What one request measured. Clones share their values.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    values: Arc<Mutex<BTreeMap<&'static str, f64>>>,
}

impl Metrics {
    /// Adds to a metric. A value that is no number is dropped: CloudWatch would refuse the line.
    pub fn add(&self, metric: Metric, value: f64) {
        if value.is_finite() {
            *self.lock().entry(metric.name).or_default() += value;
        }
    }

    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.lock().get(metric.name).copied()
    }

    /// The line for the log. `properties` can be searched for but are no dimensions.
    pub fn line(
        &self,
        at: Timestamp,
        service: &str,
        outcome: Outcome,
        properties: &[(&str, &str)],
    ) -> String {
        let values = self.lock();
        let measured = ALL.iter().filter(|metric| values.contains_key(metric.name));
        let directive = json!({
            "Namespace": stage(),
            "Dimensions": [["service"], ["service", "outcome"]],
            "Metrics": measured
                .map(|metric| json!({"Name": metric.name, "Unit": metric.unit}))
                .collect::<Vec<_>>(),
        });
        let mut line = Map::new();
        let aws = json!({"Timestamp": at.as_millisecond(), "CloudWatchMetrics": [directive]});
        line.insert("_aws".into(), aws);
        line.insert("service".into(), service.into());
        line.insert("outcome".into(), json!(outcome));
        for (name, value) in properties {
            line.insert((*name).to_owned(), Value::from(*value));
        }
        for (name, value) in values.iter() {
            line.insert((*name).to_owned(), Value::from(*value));
        }
        Value::Object(line).to_string()
    }

    /// A sum is whole between two additions, so a panic elsewhere doesn't spoil it.
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, f64>> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_declares_exactly_what_it_holds() {
        let metrics = Metrics::default();
        metrics.add(MODEL_CALLS, 1.0);
        metrics.clone().add(MODEL_CALLS, 2.0);
        metrics.add(COST_MICROS, 41.0);
        metrics.add(MODEL_TIME, f64::NAN);
        let at = "2026-11-21T10:00:00Z".parse().unwrap();
        let line = metrics.line(at, "worker", Outcome::Done, &[("trace.id", "t1")]);
        assert!(!line.contains('\n'));
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["_aws"]["Timestamp"], 1_795_255_200_000_i64);
        let declared = &line["_aws"]["CloudWatchMetrics"][0]["Metrics"];
        let expected = json!([{"Name": "model.calls", "Unit": "Count"}, {"Name": "cost.micros", "Unit": "None"}]);
        assert_eq!(*declared, expected);
        assert_eq!(line["model.calls"], json!(3.0));
        assert_eq!(line["trace.id"], "t1");
        assert_eq!(line["service"], "worker");
        assert_eq!(line["outcome"], "done");
    }

    #[test]
    fn names_are_unique() {
        let names: std::collections::HashSet<_> = ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
