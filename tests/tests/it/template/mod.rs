//! Checks the deployment template, including what emulators ignore: rights, expiry, recovery, time-outs, alarms.
mod alarms;
mod functions;
mod grants;
mod queues;
mod rights;
mod stack;
mod stages;
mod storage;

use alfred_testkit::sam;
use serde_json::Value;
use std::path::Path;
use std::sync::OnceLock;

const FUNCTIONS: [&str; 5] = [
    "OauthCallback",
    "SlackReceiver",
    "Classifier",
    "UtilityWorker",
    "TeamManager",
];
const CONSUMERS: [(&str, &str); 3] = [
    ("Classifier", "IngressQueue"),
    ("UtilityWorker", "UtilityQueue"),
    ("TeamManager", "TeamQueue"),
];

pub const CODE_BUCKET: &str = "code";

/// The template after its loops are expanded and SAM's translation, once per test process.
pub fn translated() -> &'static Value {
    static TEMPLATE: OnceLock<Value> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/template.yaml");
        sam::translated(&path, CODE_BUCKET)
    })
}

/// A value, or the items of a list.
fn many(value: &Value) -> Vec<&Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    }
}

fn texts(value: &Value) -> impl Iterator<Item = &str> {
    many(value).into_iter().map(|one| one.as_str().unwrap())
}

fn fits(there: &Value, wanted: &Value) -> bool {
    match wanted {
        Value::Object(fields) => fields.iter().all(|(name, one)| fits(&there[name], one)),
        one => there == one,
    }
}

fn has(name: &str, there: &Value, wanted: &Value) {
    assert!(fits(there, wanted), "{name} has not {wanted}: {there:#}");
}
