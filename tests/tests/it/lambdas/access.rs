//! The access log of secrets, reconstructed from the proxied calls.

use axum::body::Bytes;
use axum::http::HeaderMap;
use serde_json::Value;
use std::collections::BTreeMap;

use crate::cloudformation::texts;

/// Team and user, from the session's tags.
pub type Person = (String, String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Such as `secretsmanager.GetSecretValue`.
    pub operation: String,
    pub secret: String,
    /// The session's user; `None` for the function's own rights.
    pub by: Option<Person>,
}

#[derive(Debug, Default)]
pub struct AccessLog {
    sessions: BTreeMap<String, Person>,
    uses: Vec<Use>,
}

impl AccessLog {
    pub fn uses(&self) -> Vec<Use> {
        self.uses.clone()
    }

    pub fn note(&mut self, operation: &str, headers: &HeaderMap, body: &[u8], answer: &Bytes) {
        if operation == "sts.AssumeRole" {
            let form: Vec<(String, String)> = serde_urlencoded::from_bytes(body).unwrap();
            let answer = String::from_utf8_lossy(answer);
            let [key] = texts(&answer, "AccessKeyId")[..] else {
                panic!("not one key: {answer}")
            };
            let person = (tag(&form, "team"), tag(&form, "user"));
            self.sessions.insert(key.to_owned(), person);
        }
        if operation.starts_with("secretsmanager.") {
            let asked: Value = serde_json::from_slice(body).unwrap();
            let named = asked["SecretId"].as_str().or(asked["Name"].as_str());
            let signed = headers["authorization"].to_str().unwrap();
            let (_, credential) = signed.split_once("Credential=").unwrap();
            let (key, _) = credential.split_once('/').unwrap();
            self.uses.push(Use {
                operation: operation.to_owned(),
                secret: named.unwrap().to_owned(),
                by: self.sessions.get(key).cloned(),
            });
        }
    }
}

fn tag(form: &[(String, String)], key: &str) -> String {
    let field = |name: &str| form.iter().find(|(known, _)| known == name);
    let fields = form.iter();
    let mut members = fields.filter(|(name, value)| name.ends_with(".Key") && value == key);
    let (name, _) = members.next().expect("the session is tagged");
    let value = field(&name.replace(".Key", ".Value"));
    value.expect("a tag has a value").1.clone()
}
