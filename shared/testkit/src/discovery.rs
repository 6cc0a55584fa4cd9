//! Google's discovery documents, as its own client for Python carries them: they say what a request and an answer
//! look like (<https://developers.google.com/discovery/v1/reference/apis>).

use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};

use crate::tools;

const PACKAGE: &str = "google-api-python-client";
const VERSION: &str = "2.202.0";
const UNPACK: &str = include_str!("discovery_unpack.py");
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
    services: HashMap<String, Service>,
}

struct Service {
    base: String,
    parameters: Value,
    methods: HashMap<String, Value>,
    schemas: Value,
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

impl Discovery {
    /// The documents, which are installed when they are first asked for.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Discovery> = OnceLock::new();
        SHARED.get_or_init(|| Self::read(&installed()))
    }

    fn read(folder: &Path) -> Self {
        let services = DOCUMENTS.iter().map(|name| {
            let text = fs::read(folder.join(name)).unwrap();
            let document: Value = serde_json::from_slice(&text).unwrap();
            let family = document["name"].as_str().unwrap().to_owned();
            (family, Service::read(&document))
        });
        Self {
            services: services.collect(),
        }
    }

    pub fn check(&self, call: &ApiCall<'_>) {
        let family = call.id.split('.').next().unwrap_or(call.id);
        let service = self.services.get(family);
        let checked = match service {
            Some(service) => service.check(call),
            None => Err("no such service".into()),
        };
        if let Err(wrong) = checked {
            panic!("{} {} {}: {wrong}", call.id, call.verb, call.path);
        }
    }
}

fn installed() -> PathBuf {
    tools::installed(&format!("{PACKAGE}-{VERSION}"), |installation| {
        installation.download(&[&format!("{PACKAGE}=={VERSION}")]);
        let mut unpack = Command::new(tools::python());
        unpack.args(["-c", UNPACK]).arg(installation.folder());
        installation.run(unpack.args(DOCUMENTS));
    })
}

impl Service {
    fn read(document: &Value) -> Self {
        let schemas = document["schemas"].as_object().unwrap();
        let schemas: Map<String, Value> = schemas
            .iter()
            .map(|(name, schema)| (name.clone(), json_schema(schema)))
            .collect();
        let mut methods = HashMap::new();
        collect_methods(document, &mut methods);
        Self {
            base: document["servicePath"].as_str().unwrap().to_owned(),
            parameters: document["parameters"].clone(),
            methods,
            schemas: Value::Object(schemas),
            validators: Mutex::default(),
        }
    }

    fn check(&self, call: &ApiCall<'_>) -> Result<(), String> {
        let method = self.methods.get(call.id).ok_or("no such method")?;
        if method["httpMethod"] != call.verb {
            return Err(format!("its verb is {}", method["httpMethod"]));
        }
        let paths = ["flatPath", "path"].map(|name| method[name].as_str());
        let mut paths = paths.into_iter().flatten();
        let upload = method["mediaUpload"]["protocols"]["simple"]["path"].as_str();
        let is_upload = upload.is_some_and(|path| fits(path, call.path));
        if !is_upload && !paths.any(|path| fits(&format!("{}{path}", self.base), call.path)) {
            return Err(format!("its path is {}", method["path"]));
        }
        self.check_query(method, call.query)?;
        let mut body = call.body.clone();
        if call.verb == "PATCH" {
            without_nulls(&mut body);
        }
        self.check_body("body", &method["request"], &body)?;
        if call.status >= 400 {
            return Ok(());
        }
        self.check_body("answer", &method["response"], call.answer)
    }

    fn check_query(&self, method: &Value, query: &[(String, String)]) -> Result<(), String> {
        for (at, (name, value)) in query.iter().enumerate() {
            let own = &method["parameters"][name];
            let parameter = match own["location"] == "query" {
                true => own,
                false => &self.parameters[name],
            };
            if parameter.is_null() {
                return Err(format!("{name} is none of its parameters"));
            }
            let repeated = query[..at].iter().any(|(before, _)| before == name);
            if repeated && parameter["repeated"] != true {
                return Err(format!("{name} stands twice"));
            }
            check_value(parameter, value).map_err(|wrong| format!("{name}={value}: {wrong}"))?;
        }
        for (name, parameter) in method["parameters"].as_object().into_iter().flatten() {
            let wanted = parameter["required"] == true && parameter["location"] == "query";
            if wanted && !query.iter().any(|(given, _)| given == name) {
                return Err(format!("{name} is missing"));
            }
        }
        Ok(())
    }

    /// What was sent, or answered, against the schema that the method names; nothing where it names none.
    fn check_body(&self, what: &str, named: &Value, body: &Value) -> Result<(), String> {
        let Some(name) = named["$ref"].as_str() else {
            let empty = body.is_null() || *body == json!({});
            return match empty {
                true => Ok(()),
                false => Err(format!("there is no {what}, but {body}")),
            };
        };
        let validator = self.validator(name);
        let wrong: Vec<String> = validator
            .iter_errors(body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(format!("the {what} is no {name}: {}", wrong.join("; "))),
        }
    }

    fn validator(&self, name: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let compiled = validators.entry(name.to_owned()).or_insert_with(|| {
            let schema = json!({"$ref": format!("#/$defs/{name}"), "$defs": self.schemas});
            Arc::new(jsonschema::validator_for(&schema).unwrap())
        });
        compiled.clone()
    }
}

/// Where fields are patched, null takes one out.
fn without_nulls(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|_, value| !value.is_null());
        fields.values_mut().for_each(without_nulls);
    }
}

fn collect_methods(of: &Value, methods: &mut HashMap<String, Value>) {
    for method in of["methods"].as_object().into_iter().flat_map(Map::values) {
        let id = method["id"].as_str().unwrap().to_owned();
        methods.insert(id, method.clone());
    }
    for resource in of["resources"]
        .as_object()
        .into_iter()
        .flat_map(Map::values)
    {
        collect_methods(resource, methods);
    }
}

/// Whether a path is one of this template. A placeholder stands for a segment, or for its beginning.
fn fits(template: &str, path: &str) -> bool {
    let template = template.trim_start_matches('/').split('/');
    let path = path.trim_start_matches('/').split('/');
    if template.clone().count() != path.clone().count() {
        return false;
    }
    template.zip(path).all(|(wanted, found)| {
        let Some((before, rest)) = wanted.split_once('{') else {
            return wanted == found;
        };
        let after = rest.split_once('}').map_or("", |(_, after)| after);
        let least = before.len() + after.len();
        found.len() > least && found.starts_with(before) && found.ends_with(after)
    })
}

fn check_value(parameter: &Value, value: &str) -> Result<(), String> {
    let mut schema = json_schema(parameter);
    for bound in ["minimum", "maximum"] {
        // The documents write them as texts.
        let number = parameter[bound].as_str();
        if let Some(number) = number.and_then(|number| number.parse::<i64>().ok()) {
            schema[bound] = number.into();
        }
    }
    let value: Value = match parameter["type"].as_str() {
        Some("integer" | "boolean") => serde_json::from_str(value).unwrap_or_default(),
        _ => value.into(),
    };
    let checked = jsonschema::validator_for(&schema).unwrap();
    let checked = checked.validate(&value);
    checked.map_err(|error| error.to_string())
}

/// A schema of a document as JSON Schema: what it doesn't name isn't there, and a 64-bit number is a text.
fn json_schema(schema: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        return json!({"$ref": format!("#/$defs/{name}")});
    }
    let mut made = Map::new();
    match schema["type"].as_str() {
        None | Some("any") => {}
        Some(kind) => {
            made.insert("type".into(), json!(kind));
        }
    }
    if let Some(pattern) = pattern(schema["format"].as_str()) {
        made.insert("pattern".into(), json!(pattern));
    }
    if let Some(known) = schema.get("enum") {
        made.insert("enum".into(), known.clone());
    }
    if let Some(items) = schema.get("items") {
        made.insert("items".into(), json_schema(items));
    }
    let properties = schema["properties"].as_object();
    if let Some(properties) = properties {
        let properties = properties.iter();
        let converted: Map<String, Value> = properties
            .map(|(name, property)| (name.clone(), json_schema(property)))
            .collect();
        made.insert("properties".into(), Value::Object(converted));
    }
    match schema.get("additionalProperties") {
        Some(more) => made.insert("additionalProperties".into(), json_schema(more)),
        None if properties.is_some() => made.insert("additionalProperties".into(), json!(false)),
        None => None,
    };
    Value::Object(made)
}

fn pattern(format: Option<&str>) -> Option<&'static str> {
    match format? {
        "int64" => Some("^-?[0-9]{1,19}$"),
        "uint64" => Some("^[0-9]{1,20}$"),
        "byte" => Some("^[A-Za-z0-9+/_-]*={0,2}$"),
        "date" => Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
        "date-time" | "google-datetime" => {
            Some("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)$")
        }
        _ => None,
    }
}

#[cfg(test)]
#[path = "discovery_tests.rs"]
mod tests;
