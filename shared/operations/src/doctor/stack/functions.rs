//! The functions and their settings
//! (<https://docs.aws.amazon.com/lambda/latest/api/API_GetFunctionConfiguration.html>).

use alfred_aws::SdkConfig;
use alfred_core::config::{ALFRED_MAIL_SERVERS, GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID};
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

use super::signed::{address, get};
use super::{DEPLOY_AGAIN, RIGHTS, denied};
use crate::doctor::{Finding, LIMIT, Lookup};

const NAME: &str = "functions";
const READ: &str = "lambda:GetFunctionConfiguration";
/// It exists if people may connect accounts.
const OPTIONAL: &str = "oauth-callback";
const ALL: [&str; 5] = [
    "slack-receiver",
    "classifier",
    "utility-worker",
    "team-manager",
    OPTIONAL,
];

/// What Lambda says of each function, by its name without the stage.
pub struct Functions {
    stage: String,
    answers: Vec<(&'static str, Answer)>,
}

enum Answer {
    Found(Value),
    Missing,
    Denied,
    Failed(String),
}

impl Functions {
    pub async fn read(sdk: &SdkConfig, stage: &str) -> Self {
        let lambda = format!("{}/2015-03-31/functions", address(sdk, "lambda"));
        let one = async |name| {
            let url = format!("{lambda}/{stage}-{name}/configuration");
            let asked = tokio::time::timeout(LIMIT, get(sdk, "lambda", &url)).await;
            let answer = match asked.unwrap_or_else(|_| Err("no answer".into())) {
                Ok(answer) => match (answer.status, serde_json::from_slice(&answer.body)) {
                    (200, Ok(found)) => Answer::Found(found),
                    (404, _) => Answer::Missing,
                    (403, _) => Answer::Denied,
                    (status, _) => Answer::Failed(format!("HTTP {status}")),
                },
                Err(error) => Answer::Failed(error),
            };
            (name, answer)
        };
        Self {
            stage: stage.to_owned(),
            answers: join_all(ALL.into_iter().map(one)).await,
        }
    }

    /// The environment of a function, if it can be read.
    pub fn variables(&self, function: &str) -> Option<BTreeMap<String, String>> {
        let mut answers = self.answers.iter();
        let (_, answer) = answers.find(|(name, _)| *name == function)?;
        match answer {
            Answer::Found(found) => {
                serde_json::from_value(found["Environment"]["Variables"].clone()).ok()
            }
            _ => None,
        }
    }

    pub fn check(&self, settings: &Lookup) -> Vec<Finding> {
        let consents = [GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID, ALFRED_MAIL_SERVERS];
        let is_optional =
            |name: &str| name == OPTIONAL && consents.iter().all(|name| settings(name).is_none());
        let mut findings = Vec::new();
        let (mut there, mut processors, mut changed) = (0, BTreeSet::new(), "");
        for (name, answer) in &self.answers {
            let name_in_stage = format!("{}-{name}", self.stage);
            let problem = |found: &str, next| {
                Finding::problem(NAME, format!("{name_in_stage} {found}"), next)
            };
            match answer {
                Answer::Found(found) => {
                    there += 1;
                    processors.extend(found["Architectures"][0].as_str());
                    changed = changed.max(found["LastModified"].as_str().unwrap_or_default());
                    findings.extend(not_ready(found).map(|why| problem(&why, DEPLOY_AGAIN)));
                }
                Answer::Missing if is_optional(name) => {}
                Answer::Missing => {
                    let next = "Set ALFRED_STAGE to the parameter Stage, or deploy the stack (docs/deploying.md).";
                    findings.push(problem("doesn't exist", next));
                }
                // The others aren't different.
                Answer::Denied | Answer::Failed(_) if !findings.is_empty() => {}
                Answer::Denied => findings.push(denied(NAME, READ)),
                Answer::Failed(error) => {
                    let found = format!("AWS doesn't answer: {error}");
                    findings.push(Finding::problem(NAME, found, RIGHTS));
                }
            }
        }
        if findings.is_empty() {
            let processors: Vec<&str> = processors.into_iter().collect();
            let day = changed.get(..10).unwrap_or("?");
            let found = format!(
                "{there} ready ({}), last changed {day}",
                processors.join(", ")
            );
            findings.push(Finding::ok(NAME, found));
        }
        findings
    }
}

/// Why a function can't be invoked as it was deployed.
fn not_ready(found: &Value) -> Option<String> {
    let (state, update) = (found["State"].as_str(), found["LastUpdateStatus"].as_str());
    let reason = |name: &str| found[name].as_str().unwrap_or("no reason given").to_owned();
    match (state, update) {
        (Some("Failed"), _) => Some(format!("can't run: {}", reason("StateReason"))),
        (_, Some("Failed")) => Some(format!(
            "has an older version, because its update failed: {}",
            reason("LastUpdateStatusReason")
        )),
        _ => None,
    }
}
