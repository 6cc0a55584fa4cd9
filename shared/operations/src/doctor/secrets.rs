//! The secrets that the settings need.

use alfred_core::config::{
    ALFRED_SEARCH, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, MICROSOFT_CLIENT_ID,
    MICROSOFT_CLIENT_SECRET, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, TAVILY_API_KEY,
};
use alfred_core::ports::{SecretError, Secrets};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::collections::BTreeMap;

use super::{AS_FUNCTIONS, Finding, Findings, Lookup, READ_SECRETS};

/// Those that settings need.
pub fn needed(lookup: &Lookup) -> Vec<&'static str> {
    let is_set = |name: &str| lookup(name).is_some();
    let searches_tavily = lookup(ALFRED_SEARCH).as_deref() == Some("tavily");
    let needs = [
        (is_set(GOOGLE_CLIENT_ID), GOOGLE_CLIENT_SECRET),
        (is_set(MICROSOFT_CLIENT_ID), MICROSOFT_CLIENT_SECRET),
        (searches_tavily, TAVILY_API_KEY),
    ];
    let needed = needs.into_iter().filter(|(needs, _)| *needs);
    needed.map(|(_, secret)| secret).collect()
}

/// `receiver` is the receiver's environment, into which Slack's were copied when it was deployed, or why it can't be
/// read. `mend` is what to do if the secrets can't be.
pub async fn check(
    needed: Vec<&'static str>,
    secrets: impl Secrets,
    receiver: Result<BTreeMap<String, String>, String>,
    mend: &str,
) -> Vec<Finding> {
    let mut findings = Findings::of("secrets");
    let receiver = receiver.unwrap_or_else(|why| {
        let found = format!("not compared with those that the receiver was deployed with: {why}");
        findings.warning(found, AS_FUNCTIONS);
        BTreeMap::new()
    });
    // A file that can't be used is found even if no secret is needed.
    let unneeded = (!needed.contains(&SLACK_BOT_TOKEN)).then_some(SLACK_BOT_TOKEN);
    for name in unneeded.into_iter().chain(needed.iter().copied()) {
        match secrets.get(&format!("alfred/{name}")).await {
            Ok(stored) if needed.contains(&name) => {
                fault(&mut findings, name, stored, receiver.get(name));
            }
            Ok(_) => {}
            Err(SecretError::Denied { detail }) => findings.warning(detail, READ_SECRETS),
            Err(error) => findings.problem(error.to_string(), mend),
        }
    }
    findings.otherwise(format!("{} needed, all there", needed.len()))
}

fn fault(
    findings: &mut Findings,
    name: &str,
    stored: Option<SecretString>,
    copied: Option<&String>,
) {
    let text = stored.as_ref().map_or("", |value| value.expose_secret());
    let value = match serde_json::from_str::<Value>(text) {
        Ok(both) if name == SLACK_SIGNING_SECRET => both["current"].as_str().unwrap_or("").into(),
        _ => text.to_owned(),
    };
    if value.trim().is_empty() {
        let next = "Deploy it with its parameter (docs/deploying.md); on one machine set it.";
        findings.problem(format!("{name} is missing"), next);
    } else if value.trim() != value {
        let found = format!("{name} begins or ends with white space, such as a line end");
        findings.problem(found, "Store it again without white space around it.");
    } else if copied.is_some_and(|copied| *copied != value) {
        let found = format!("the receiver was deployed with another {name} than the stored one");
        findings.problem(found, "Deploy with a SecretsRevision one higher.");
    }
}
