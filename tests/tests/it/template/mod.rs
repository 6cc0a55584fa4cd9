//! Checks the deployment template, including what emulators ignore: rights, expiry, recovery, time-outs, alarms.
mod alarms;
mod facts;
mod grants;
mod iam_page;
mod rights;
mod stack;
mod stages;

use alfred_testkit::sam;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub const CODE_BUCKET: &str = "code";

/// The template after its loops are expanded and SAM's translation, once per test process.
pub fn translated() -> &'static Value {
    static TEMPLATE: OnceLock<Value> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let path = root().join("infra/template.yaml");
        sam::translated(&path, CODE_BUCKET)
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The rows of a text file beside this one, without comments.
fn rows(file: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("tests/tests/it/template").join(file)).unwrap();
    let lines = text.lines();
    let rows = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(str::to_owned).collect()
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
