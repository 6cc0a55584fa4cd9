//! Checks calls against Google's discovery documents, which describe requests and answers
//! (<https://developers.google.com/discovery/v1/reference/apis>).

use alfred_google_local::Seen;
use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The descriptions of Gmail, Calendar, Docs, Sheets and Drive.
pub struct Discovery {
    /// Of each API the schemas of calls, by the method's id, and what they refer to.
    apis: Value,
    validators: Mutex<HashMap<&'static str, Arc<Validator>>>,
}

impl Discovery {
    pub fn new(apis: Value) -> Self {
        Self {
            apis,
            validators: Mutex::default(),
        }
    }

    /// The error says what is wrong with a call. The answer of a failed call isn't looked at.
    pub fn check(&self, call: &Seen) -> Result<(), String> {
        let name = format!("{} {} {}", call.id, call.verb, call.path);
        let api = &self.apis[call.id.split('.').next().unwrap_or(call.id)];
        let schema = &api["calls"][call.id];
        if !schema.is_object() {
            return Err(format!("{name}: no such method"));
        }
        let instance = instance(call, &schema["properties"]["query"]["properties"]);
        let wrong: Vec<String> = self
            .validator(call.id, schema, &api["$defs"])?
            .iter_errors(&instance)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(format!("{name}: {}", wrong.join("; ")))
        }
    }

    fn validator(
        &self,
        id: &'static str,
        schema: &Value,
        known: &Value,
    ) -> Result<Arc<Validator>, String> {
        let mut validators = self.validators.lock().unwrap();
        if let Some(compiled) = validators.get(id) {
            return Ok(compiled.clone());
        }
        let mut schema = schema.clone();
        schema["$defs"] = known.clone();
        let compiled = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
        let compiled = Arc::new(compiled);
        validators.insert(id, compiled.clone());
        Ok(compiled)
    }
}

/// A call as its schema describes it.
fn instance(call: &Seen, parameters: &Value) -> Value {
    let mut query = json!({});
    for (name, value) in &call.query {
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

const LIST: &str = "GET gmail.users.messages.list /gmail/v1/users/me/messages";

/// What is wrong with a call. Its words are verb, id, URL, body, answer, and the status if it isn't 200.
fn wrong(discovery: &Discovery, call: &str) -> String {
    let call = call.replace("LIST", LIST);
    let words: Vec<&str> = call.split(' ').collect();
    let (path, query) = words[2].split_once('?').unwrap_or((words[2], ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let query = pairs.map(|(name, value)| (name.into(), value.into()));
    let json = |text: &str| text.parse::<Value>().unwrap();
    let call = Seen {
        id: words[1].to_owned().leak(),
        verb: words[0].into(),
        path: path.into(),
        query: query.collect(),
        body: json(words[3]),
        status: words.get(5).map_or(200, |status| status.parse().unwrap()),
        answer: json(words[4]),
    };
    discovery.check(&call).err().unwrap_or("nothing".into())
}

#[test]
fn a_call_is_held_against_the_documents() {
    let discovery = Discovery::new(alfred_testkit::discovery::calls());
    for line in include_str!("discovery.txt").lines() {
        let (call, expected) = line.split_once(" -- ").unwrap();
        let wrong = wrong(&discovery, call);
        assert!(wrong.contains(expected), "{call}: {wrong}");
    }
}
