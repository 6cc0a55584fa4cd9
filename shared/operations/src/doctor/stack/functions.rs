//! The functions and their settings
//! (<https://docs.aws.amazon.com/lambda/latest/api/API_GetFunctionConfiguration.html>).

use alfred_aws::SdkConfig;
use alfred_core::config::{ALFRED_MAIL_SERVERS, GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID};
use futures_util::future::join_all;
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

use super::signed::{address, get};
use super::{DEPLOY_AGAIN, Variables, denied, refused, unanswered};
use crate::doctor::{Finding, Findings, Lookup};

/// Time for each, so that the other checks go on without one that hangs.
const PATIENCE: Duration = Duration::from_secs(5);
/// Its environment names all parts of the deployment.
const CLASSIFIER: &str = "classifier";
/// It exists if people may connect accounts.
const OPTIONAL: &str = "oauth-callback";
const ALL: [&str; 5] = [
    "slack-receiver",
    CLASSIFIER,
    "utility-worker",
    "team-manager",
    OPTIONAL,
];

/// What Lambda says of each function, by its name without the stage.
pub struct Functions {
    stage: String,
    region: String,
    answers: Vec<Answer>,
}

struct Answer {
    name: &'static str,
    /// Null if it can't be read.
    found: Value,
    /// Why it, or its environment, can't be read.
    faults: Vec<Finding>,
}

impl Functions {
    pub async fn read(sdk: &SdkConfig, stage: &str) -> Self {
        let lambda = format!("{}/2015-03-31/functions", address(sdk, "lambda"));
        let one = async |name| {
            let mut faults = Findings::of("functions");
            let url = format!("{lambda}/{stage}-{name}/configuration");
            let late = |_| Err(format!("no answer within {} s", PATIENCE.as_secs()));
            let asked = timeout(PATIENCE, get(sdk, "lambda", &url)).await;
            let mut found = Value::Null;
            match asked.unwrap_or_else(late) {
                Ok(answer) if answer.status == 200 => {
                    found = serde_json::from_str(&answer.body).unwrap_or_default();
                    if !found["Environment"]["Error"].is_null() {
                        denied(&mut faults, "kms:Decrypt");
                    }
                }
                Ok(answer) if answer.status == 404 => faults.problem(
                    format!("{stage}-{name} doesn't exist"),
                    "Set ALFRED_STAGE to the parameter Stage, deploy the stack (docs/deploying.md), or restore it \
                        (docs/debugging.md#restore-what-was-changed-by-hand).",
                ),
                Ok(answer) => refused(&mut faults, &answer, "lambda:GetFunctionConfiguration"),
                Err(error) => unanswered(&mut faults, &error),
            }
            Answer {
                name,
                found,
                faults: faults.list,
            }
        };
        Self {
            stage: stage.to_owned(),
            region: sdk.region().map(ToString::to_string).unwrap_or_default(),
            answers: join_all(ALL.into_iter().map(one)).await,
        }
    }

    /// Merges the environments of all functions, because each has only the settings that it uses. Fails if the
    /// classifier's can't be read.
    pub fn settings(&self) -> Result<Variables, String> {
        let classifier = self.variables(CLASSIFIER)?;
        let others = ALL.iter().filter_map(|name| self.variables(name).ok());
        Ok(others.flatten().chain(classifier).collect())
    }

    /// The environment of a function, or why it can't be read.
    pub fn variables(&self, function: &str) -> Result<Variables, String> {
        let mut all = self.answers.iter();
        let one = all.find(|one| one.name == function).ok_or("unknown")?;
        match one.faults.first() {
            Some(fault) => Err(fault.found.trim_start_matches("not checked: ").to_owned()),
            None => {
                let variables = one.found["Environment"]["Variables"].clone();
                Ok(serde_json::from_value(variables).unwrap_or_default())
            }
        }
    }

    pub fn check(&self, settings: &Lookup) -> Vec<Finding> {
        let consents = [GOOGLE_CLIENT_ID, MICROSOFT_CLIENT_ID, ALFRED_MAIL_SERVERS];
        let no_consents = consents.iter().all(|name| settings(name).is_none());
        let mut findings = Findings::of("functions");
        let (mut ready, mut processors, mut changed) = (0, "?", "");
        for answer in &self.answers {
            let (name, found) = (answer.name, &answer.found);
            if name == OPTIONAL && no_consents && found.is_null() {
                continue;
            }
            ready += 1;
            processors = found["Architectures"][0].as_str().unwrap_or(processors);
            changed = changed.max(found["LastModified"].as_str().unwrap_or_default());
            let faults = answer.faults.iter().cloned();
            faults.for_each(|fault| findings.add(fault));
            if let Some(why) = not_ready(found) {
                findings.problem(format!("{}-{name} {why}", self.stage), DEPLOY_AGAIN);
            }
        }
        let day = changed.get(..10).unwrap_or(changed);
        let (stage, region) = (&self.stage, &self.region);
        findings.otherwise(format!(
            "{ready} of stage {stage} in {region} ready on {processors}, last changed {day}"
        ))
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
