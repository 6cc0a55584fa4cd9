//! The secrets that the settings need.

use alfred_core::config::{
    ALFRED_SEARCH, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, MICROSOFT_CLIENT_ID,
    MICROSOFT_CLIENT_SECRET, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, TAVILY_API_KEY,
};
use alfred_core::ports::{SecretError, Secrets};
use secrecy::ExposeSecret;
use serde_json::Value;
use std::collections::BTreeMap;

use super::{Finding, Lookup};

const NAME: &str = "secrets";
const SLACKS: [&str; 2] = [SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET];

/// Those of one machine: settings, or in the secrets file.
pub async fn on_one_machine(lookup: Lookup, secrets: impl Secrets) -> Vec<Finding> {
    // A file that can't be used is found even if no secret is needed.
    if let Err(error) = secrets.get(&format!("alfred/{SLACK_BOT_TOKEN}")).await {
        let next = "Give the file mode 0600 and valid JSON, or move it away.";
        return vec![Finding::problem(NAME, error.to_string(), next)];
    }
    let needed = of_settings(&lookup);
    let needed = needed.into_iter().filter(|name| lookup(name).is_none());
    check(needed.collect(), &secrets, &BTreeMap::new()).await
}

/// Those of a stack. `receiver` is the environment of the receiver, into which Slack's were copied when it was deployed.
pub async fn of_stack(
    lookup: Lookup,
    secrets: impl Secrets,
    receiver: BTreeMap<String, String>,
) -> Vec<Finding> {
    let needed = SLACKS.into_iter().chain(of_settings(&lookup));
    check(needed.collect(), &secrets, &receiver).await
}

fn of_settings(lookup: &Lookup) -> Vec<&'static str> {
    let mut needed = Vec::new();
    let clients = [
        (GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET),
        (MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET),
    ];
    let clients = clients.into_iter().filter(|(id, _)| lookup(id).is_some());
    needed.extend(clients.map(|(_, secret)| secret));
    if lookup(ALFRED_SEARCH).as_deref() == Some("tavily") {
        needed.push(TAVILY_API_KEY);
    }
    needed
}

async fn check(
    needed: Vec<&str>,
    secrets: &dyn Secrets,
    receiver: &BTreeMap<String, String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in &needed {
        findings.extend(one(name, secrets, receiver).await);
    }
    if findings.is_empty() {
        let found = match needed.as_slice() {
            [] => "no setting needs one".to_owned(),
            names => format!("{} stored", names.join(", ")),
        };
        findings.push(Finding::ok(NAME, found));
    }
    findings
}

/// What is wrong with a secret.
async fn one(
    name: &str,
    secrets: &dyn Secrets,
    receiver: &BTreeMap<String, String>,
) -> Option<Finding> {
    let stored = match secrets.get(&format!("alfred/{name}")).await {
        Ok(stored) => stored,
        Err(SecretError::Denied { detail }) => {
            let next =
                "Let your credentials call secretsmanager:GetSecretValue to have it checked.";
            return Some(Finding::warning(NAME, detail, next));
        }
        Err(error) => {
            let next = "Look at the service that stores secrets, then repeat this.";
            return Some(Finding::problem(NAME, error.to_string(), next));
        }
    };
    let text = stored.as_ref().map_or("", |value| value.expose_secret());
    let value = match serde_json::from_str::<Value>(text) {
        Ok(both) if name == SLACK_SIGNING_SECRET => {
            both["current"].as_str().unwrap_or_default().to_owned()
        }
        _ => text.to_owned(),
    };
    if value.trim().is_empty() {
        let next = "Deploy it with its parameter (docs/deploying.md); on one machine set it.";
        return Some(Finding::problem(NAME, format!("{name} is missing"), next));
    }
    if value.trim() != value {
        let found = format!("{name} begins or ends with white space, such as a line end");
        return Some(Finding::problem(NAME, found, "Store it again without."));
    }
    let copied = receiver.get(name).filter(|copied| **copied != value);
    copied.map(|_| {
        let found = format!("the receiver was deployed with another {name} than the stored one");
        Finding::problem(NAME, found, "Deploy with a SecretsRevision one higher.")
    })
}
