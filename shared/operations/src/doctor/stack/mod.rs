//! A deployment on AWS. Its settings are those of its classifier, whose environment has all of them.

mod buckets;
mod functions;
mod queues;
mod signed;
mod tables;

use alfred_aws::{SdkConfig, bedrock, from_lookup, secrets};
use alfred_core::config::{
    ALFRED_ADMINS, ALFRED_STAGE, AUDIT_BUCKET, AUDIT_TABLE, BLOBS_BUCKET, SLACK_API_URL,
    SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, STATE_TABLE,
};
use alfred_core::ports::{Clock, SystemClock};
use alfred_http::CachedSecret;
use alfred_models::Selection;
use aws_credential_types::provider::ProvideCredentials;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;

use super::model::Models;
use super::{
    Check, Finding, Findings, Lookup, Work, bounded, secrets as stored, settings, slack,
    with_causes,
};
use functions::Functions;

const EXPORT: &str = "Export the stack's outputs (docs/debugging.md#on-aws).";
const DEPLOY_AGAIN: &str = "Deploy the stack again (docs/deploying.md).";
const RIGHTS: &str = "Look at your credentials and region (AWS_PROFILE, AWS_REGION).";

pub struct Stack {
    sdk: SdkConfig,
    functions: Functions,
    /// What its functions are set to, otherwise the environment of this process.
    settings: Arc<BTreeMap<String, String>>,
}

impl Stack {
    /// The checks of the deployment that the environment names. `wrong` is what the readers of settings refuse.
    pub async fn checks(
        environment: BTreeMap<String, String>,
        wrong: impl FnOnce(&dyn Fn(&str) -> Option<String>) -> Vec<String>,
    ) -> Vec<Check> {
        let opened = bounded("aws", Self::open(environment)).await;
        match opened.and_then(|stack| stack) {
            Ok(stack) => {
                let wrong = wrong(&*stack.lookup());
                stack.all(wrong)
            }
            Err(problem) => vec![Check::done("aws", vec![problem])],
        }
    }

    /// Fails without credentials, and for settings of AWS that can't be used.
    async fn open(environment: BTreeMap<String, String>) -> Result<Self, Finding> {
        let unusable = |error: String| Finding::problem("aws", error, RIGHTS);
        let sdk = from_lookup(|name| environment.get(name).cloned()).await;
        let sdk = sdk.map_err(|error| unusable(error.to_string()))?;
        if let Some(provider) = sdk.credentials_provider() {
            let credentials = provider.provide_credentials().await;
            credentials.map_err(|error| unusable(with_causes(&error)))?;
        }
        let stage = environment
            .get(ALFRED_STAGE)
            .filter(|stage| !stage.is_empty());
        let stage = stage.map_or("alfred", String::as_str);
        let functions = Functions::read(&sdk, stage).await;
        let settings = functions.variables("classifier").unwrap_or(environment);
        Ok(Self {
            sdk,
            functions,
            settings: Arc::new(settings),
        })
    }

    fn lookup(&self) -> Lookup {
        let set = self.settings.clone();
        Arc::new(move |name| set.get(name).filter(|value| !value.is_empty()).cloned())
    }

    fn all(self, wrong: Vec<String>) -> Vec<Check> {
        let lookup = self.lookup();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let store = secrets(&self.sdk, clock.clone());
        let shared = Arc::new(store.clone());
        let cached = |names: &[&str]| {
            CachedSecret::from_settings(names, |_| None, shared.clone(), clock.clone())
        };
        let models = Models {
            selected: Selection::with_keys(&*lookup, |names| Some(cached(names))),
            host: Some(Arc::new(bedrock(&self.sdk))),
            clock: clock.clone(),
            has_demo: false,
        };
        let api = lookup(SLACK_API_URL).unwrap_or_else(|| slack::API.into());
        let receiver = self.functions.variables("slack-receiver");
        let mut needed = vec![SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET];
        needed.extend(stored::needed(&lookup));
        let mut checks = vec![
            Check::done("settings", settings::check(&self.settings, wrong)),
            Check::done("people", settings::people(lookup(ALFRED_ADMINS).as_deref())),
            Check::done("functions", self.functions.check(&lookup)),
            Check::new("model", models.check()),
            Check::new(
                "slack",
                slack::check(api, cached(&[SLACK_BOT_TOKEN]), clock),
            ),
            Check::new(
                "secrets",
                stored::check(needed, store, receiver.unwrap_or_default()),
            ),
        ];
        let sdk = &self.sdk;
        let mut each = |name: &'static str, check: &dyn Fn(SdkConfig, String) -> Work| {
            checks.push(match lookup(name) {
                Some(value) => Check::new(name, check(sdk.clone(), value)),
                None => unnamed(name),
            });
        };
        for name in [STATE_TABLE, AUDIT_TABLE] {
            each(name, &|sdk, table| Box::pin(tables::check(sdk, table)));
        }
        for name in settings::known().filter(|name| name.ends_with("QUEUE_URL")) {
            each(name, &|sdk, url| Box::pin(queues::check(sdk, url)));
        }
        for (name, locks) in [(BLOBS_BUCKET, false), (AUDIT_BUCKET, true)] {
            each(name, &|sdk, bucket| {
                Box::pin(buckets::check(sdk, bucket, locks))
            });
        }
        checks
    }
}

fn unnamed(name: &'static str) -> Check {
    let found = "it isn't set, so what it names isn't checked";
    Check::done(name, vec![Finding::warning(name, found, EXPORT)])
}

fn denied(findings: &mut Findings, action: &str) {
    let found = format!("not checked: your credentials lack {action}");
    findings.warning(found, "Allow it to have this checked.");
}

/// Why a call failed, for which `action` is needed.
fn failed<E>(findings: &mut Findings, action: &str, error: &SdkError<E>)
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match error.code() {
        Some(code) if code.contains("AccessDenied") => denied(findings, action),
        Some("ResourceNotFoundException" | "AWS.SimpleQueueService.NonExistentQueue")
        | Some("QueueDoesNotExist") => findings.problem("it doesn't exist", DEPLOY_AGAIN),
        Some(code) => {
            let found = format!("{code} {}", error.message().unwrap_or_default());
            findings.problem(found, RIGHTS);
        }
        None => unanswered(findings, &with_causes(error)),
    }
}

fn unanswered(findings: &mut Findings, error: &str) {
    findings.problem(format!("AWS doesn't answer: {error}"), RIGHTS);
}
