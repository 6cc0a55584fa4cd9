//! Google's discovery documents, as its own client for Python carries them: they say what a request and an answer
//! look like (<https://developers.google.com/discovery/v1/reference/apis>).

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use crate::tools;

const PACKAGE: &str = "google-api-python-client";
const VERSION: &str = "2.202.0";
const PREPARE: &str = include_str!("discovery_prepare.py");
const DOCUMENTS: [&str; 5] = [
    "gmail.v1.json",
    "calendar.v3.json",
    "docs.v1.json",
    "sheets.v4.json",
    "drive.v3.json",
];

/// A call of an API with its answer.
#[derive(Clone, Copy, Debug)]
pub struct ApiCall<'a> {
    /// The method's id, such as `gmail.users.messages.list`.
    pub id: &'a str,
    pub verb: &'a str,
    pub path: &'a str,
    pub query: &'a [(String, String)],
    pub body: &'a Value,
    pub status: u16,
    /// What was answered; null for nothing. Not looked at where the status is 400 or above.
    pub answer: &'a Value,
}

/// The descriptions of Gmail, Calendar, Docs, Sheets and Drive.
pub struct Discovery {
    /// Of each API the schemas of calls, by the method's id, and what they refer to.
    apis: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Discovery {
    /// The documents, which are installed when they are first asked for.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Discovery> = OnceLock::new();
        SHARED.get_or_init(|| {
            let text = fs::read(installed().join("calls.json")).unwrap();
            Self {
                apis: serde_json::from_slice(&text).unwrap(),
                validators: Mutex::default(),
            }
        })
    }

    /// Panics with what is wrong with a call.
    pub fn check(&self, call: &ApiCall<'_>) {
        let name = format!("{} {} {}", call.id, call.verb, call.path);
        let api = &self.apis[call.id.split('.').next().unwrap_or(call.id)];
        let schema = &api["calls"][call.id];
        assert!(schema.is_object(), "{name}: no such method");
        let instance = instance(call, &schema["properties"]["query"]["properties"]);
        let wrong: Vec<String> = self
            .validator(call.id, schema, &api["$defs"])
            .iter_errors(&instance)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{name}: {}", wrong.join("; "));
    }

    fn validator(&self, id: &str, schema: &Value, known: &Value) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let compiled = validators.entry(id.to_owned()).or_insert_with(|| {
            let mut schema = schema.clone();
            schema["$defs"] = known.clone();
            Arc::new(jsonschema::validator_for(&schema).unwrap())
        });
        compiled.clone()
    }
}

fn installed() -> PathBuf {
    tools::installed(&format!("{PACKAGE}-{VERSION}-calls"), |installation| {
        installation.download(&[&format!("{PACKAGE}=={VERSION}")]);
        let mut prepare = Command::new(tools::python());
        prepare.args(["-c", PREPARE]).arg(installation.folder());
        installation.run(prepare.args(DOCUMENTS));
    })
}

/// A call as its schema describes it. The answer of a failed one isn't looked at.
fn instance(call: &ApiCall<'_>, parameters: &Value) -> Value {
    let mut query = json!({});
    for (name, value) in call.query {
        let kind = &parameters[name]["items"]["type"];
        let value: Value = if kind == "integer" || kind == "boolean" {
            serde_json::from_str(value).unwrap_or_default()
        } else {
            value.as_str().into()
        };
        match query[name].as_array_mut() {
            Some(values) => values.push(value),
            None => query[name] = json!([value]),
        }
    }
    let mut body = call.body.clone();
    if call.verb == "PATCH" {
        without_nulls(&mut body);
    }
    let mut instance = json!({"verb": call.verb, "path": call.path, "query": query, "body": body});
    if call.status < 400 {
        instance["answer"] = call.answer.clone();
    }
    instance
}

/// Where fields are patched, null takes one out.
fn without_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(without_nulls);
    }
}

#[cfg(test)]
#[path = "discovery_tests.rs"]
mod tests;
