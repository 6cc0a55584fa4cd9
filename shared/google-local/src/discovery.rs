//! Checks calls against Google's discovery documents, which describe requests and answers
//! (<https://developers.google.com/discovery/v1/reference/apis>).

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::exchange::Seen;
use crate::state::lock;

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
        let mut validators = lock(&self.validators);
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

#[cfg(test)]
#[path = "discovery_tests.rs"]
mod tests;
