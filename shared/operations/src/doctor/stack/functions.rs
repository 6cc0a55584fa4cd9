//! The functions and their settings
//! (<https://docs.aws.amazon.com/lambda/latest/api/API_GetFunctionConfiguration.html>).

use alfred_aws::SdkConfig;
use alfred_core::config::{ALFRED_MAIL_SERVERS, GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID};
use futures_util::future::join_all;
use serde_json::Value;
use std::collections::BTreeMap;

use super::signed::{address, get};
use super::{DEPLOY_AGAIN, denied, unanswered};
use crate::doctor::{Finding, Findings, Lookup};

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
            let answer = match get(sdk, "lambda", &url).await {
                Ok(answer) => match (answer.status, serde_json::from_str(&answer.body)) {
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
        let no_consents = consents.iter().all(|name| settings(name).is_none());
        let mut findings = Findings::of("functions");
        let (mut ready, mut processors, mut changed) = (0, "?", "");
        for (name, answer) in &self.answers {
            let name_in_stage = format!("{}-{name}", self.stage);
            match answer {
                Answer::Found(found) => {
                    ready += 1;
                    processors = found["Architectures"][0].as_str().unwrap_or(processors);
                    changed = changed.max(found["LastModified"].as_str().unwrap_or_default());
                    if let Some(why) = not_ready(found) {
                        findings.problem(format!("{name_in_stage} {why}"), DEPLOY_AGAIN);
                    }
                }
                Answer::Missing if *name == OPTIONAL && no_consents => {}
                Answer::Missing => findings.problem(
                    format!("{name_in_stage} doesn't exist"),
                    "Set ALFRED_STAGE to the parameter Stage, or deploy the stack (docs/deploying.md).",
                ),
                // The others aren't different.
                _ if !findings.list.is_empty() => {}
                Answer::Denied => denied(&mut findings, "lambda:GetFunctionConfiguration"),
                Answer::Failed(error) => unanswered(&mut findings, error),
            }
        }
        let day = changed.get(..10).unwrap_or(changed);
        findings.otherwise(format!("{ready} ready on {processors}, last changed {day}"))
    }
}

/// Why a function can't be invoked as it was deployed.
fn not_ready(found: &Value) -> Option<String> {
    if found["State"] == "Failed" {
        return Some(format!("can't run: {}", found["StateReason"]));
    }
    let reason = &found["LastUpdateStatusReason"];
    let is_old = found["LastUpdateStatus"] == "Failed";
    is_old.then(|| format!("is of an older version, because its update failed: {reason}"))
}
