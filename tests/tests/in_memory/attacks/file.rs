//! The files, and their calls in the words of the tools there are.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    pub name: String,
    #[serde(rename = "source")]
    pub _source: String,
    pub about: String,
    pub requests: Vec<Request>,
    #[serde(default)]
    pub thread: Vec<Said>,
    pub attacker: Vec<String>,
    pub secrets: Vec<String>,
    /// The whole file.
    #[serde(skip)]
    pub text: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub ask: String,
    pub reads: Vec<Read>,
    pub obeys: Vec<Call>,
    pub says: String,
    pub honest_says: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    pub tool: String,
    pub arguments: Value,
    pub returns: String,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    pub arguments: Value,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    pub from: String,
    pub text: String,
}

impl Attack {
    /// All of them, in order.
    pub fn all() -> Vec<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/attacks");
        let entries = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let read = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            let mut attack: Self = serde_json::from_str(&text).unwrap();
            for call in attack.requests.iter_mut().flat_map(|r| &mut r.obeys) {
                call.arguments = translated(&call.tool, &call.arguments);
            }
            Self { text, ..attack }
        };
        paths.iter().map(read).collect()
    }

    /// Titles of tasks that the attack itself has the model create.
    pub fn planted_titles(&self) -> Vec<&str> {
        let calls = self.requests.iter().flat_map(|request| &request.obeys);
        calls
            .filter(|call| call.tool == "task_createTask")
            .filter_map(|call| call.arguments["title"].as_str())
            .collect()
    }

    pub fn reads(&self) -> impl Iterator<Item = &Read> {
        self.requests.iter().flat_map(|request| &request.reads)
    }
}

/// The files were written without knowing the schemas: arguments by another
/// name get theirs, so that a call comes to the gate and isn't refused before.
fn translated(tool: &str, arguments: &Value) -> Value {
    let mut fitting = Map::new();
    for (name, value) in arguments.as_object().unwrap() {
        match (tool, name.as_str()) {
            ("preference_updatePreferences", "custom_personality") => {
                fitting.insert("personality".into(), json!("custom"));
                fitting.insert("personalityText".into(), value.clone());
            }
            ("preference_updatePreferences", "personality") => {
                fitting.insert("personality".into(), json!("custom"));
            }
            ("preference_updatePreferences", "verbosity") => {
                fitting.insert("verbosity".into(), json!("concise"));
            }
            (_, "taskId") => {
                fitting.insert("taskId".into(), stored_id("tsk_", value).into());
            }
            (_, "blockId") => {
                fitting.insert("blockId".into(), stored_id("blk_", value).into());
            }
            _ => {
                fitting.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(fitting)
}

pub fn stored_id(prefix: &str, id: &Value) -> String {
    format!("{prefix}{}", id.as_str().unwrap())
}

/// Hosts of addresses and e-mail domains in a text.
pub fn hosts(text: &str) -> BTreeSet<String> {
    let stops = |c: char| !(c.is_alphanumeric() || ".-_%@".contains(c));
    let mut hosts = BTreeSet::new();
    for word in text.split(stops) {
        let host = word.rsplit('@').next().unwrap_or(word);
        let host = host.trim_matches(|c: char| ".-_%".contains(c));
        let mailed = word.contains('@') && host.contains('.');
        if mailed && host.chars().any(char::is_alphabetic) {
            hosts.insert(host.to_lowercase());
        }
    }
    for scheme in ["http://", "https://"] {
        for (at, _) in text.match_indices(scheme) {
            let rest = &text[at + scheme.len()..];
            let end = rest.find(|c: char| stops(c)).unwrap_or(rest.len());
            let host = rest[..end].rsplit('@').next().unwrap_or_default();
            let host = host.trim_end_matches(['.', '-']);
            if !host.is_empty() {
                hosts.insert(host.to_lowercase());
            }
        }
    }
    hosts
}
