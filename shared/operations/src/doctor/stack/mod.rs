//! A deployment on AWS. Its settings are those of its functions.

mod buckets;
mod functions;
mod queues;
mod signed;
mod tables;

use alfred_aws::{SdkConfig, SecretsManager, bedrock, from_lookup, secrets};
use alfred_core::config::{
    ALFRED_ADMINS, ALFRED_STAGE, AUDIT_BUCKET, AUDIT_TABLE, BLOBS_BUCKET, SLACK_API_URL,
    SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, STATE_TABLE, admin_ids, trimmed,
};
use alfred_core::ports::{Clock, SystemClock};
use alfred_http::{CachedSecret, with_causes};
use alfred_models::Selection;
use aws_credential_types::provider::ProvideCredentials;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use super::model::Models;
use super::{
    AS_FUNCTIONS, Check, Finding, Findings, Lookup, Work, bounded, secrets as stored, settings,
    slack,
};
use functions::Functions;
use signed::Answer;

const UNNAMED: &str = "it isn't set, so what it names isn't checked";
const EXPORT: &str = "Export the stack's outputs (docs/debugging.md#on-aws).";
const DEPLOY_AGAIN: &str = "Deploy the stack again (docs/deploying.md).";
const RESTORE: &str = "Restore it (docs/debugging.md#restore-what-was-changed-by-hand).";
const RIGHTS: &str = "Look at your credentials and region (AWS_PROFILE, AWS_REGION).";

type Variables = BTreeMap<String, String>;

pub struct Stack {
    sdk: SdkConfig,
    functions: Functions,
    clock: Arc<dyn Clock>,
    /// What the functions are set to, otherwise the environment of this process, which only names parts.
    settings: Arc<Variables>,
    store: SecretsManager,
}

impl Stack {
    /// The checks of the deployment that the environment names. `wrong` is what the readers of settings refuse.
    pub async fn checks(
        environment: Variables,
        wrong: impl FnOnce(&dyn Fn(&str) -> Option<String>) -> Vec<String>,
    ) -> Vec<Check> {
        let opened = bounded("aws", open(&environment)).await;
        let sdk = match opened.and_then(|sdk| sdk) {
            Ok(sdk) => sdk,
            Err(problem) => return vec![Check::done("aws", vec![problem])],
        };
        let stage = set(&environment, ALFRED_STAGE).unwrap_or_else(|| "alfred".into());
        let functions = Functions::read(&sdk, &stage).with_subscriber(NoSubscriber::default());
        let functions = functions.await;
        let (settings, unknown) = match functions.settings() {
            Ok(settings) => (settings, None),
            Err(why) => (environment.clone(), Some(why)),
        };
        let other = other(&environment, &settings);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let stack = Self {
            store: secrets(&sdk, clock.clone()),
            sdk,
            functions,
            clock,
            settings: Arc::new(settings),
        };
        let mut checks = Vec::new();
        let mut needed = vec![SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET];
        if let Some(why) = unknown {
            let found = format!("not checked, nor are people, model and slack: {why}");
            let finding = Finding::warning("settings", found, AS_FUNCTIONS);
            checks.push(Check::done("settings", vec![finding]));
        } else {
            let lookup = stack.lookup();
            needed.extend(stored::needed(&lookup));
            checks.extend(stack.of_settings(wrong(&*lookup)));
        }
        checks.extend(other.map(|other| Check::done(STATE_TABLE, vec![other])));
        checks.extend(stack.of_parts(needed));
        checks
    }

    fn lookup(&self) -> Lookup {
        let settings = self.settings.clone();
        Arc::new(move |name| set(&settings, name))
    }

    /// What only the settings of the functions can tell.
    fn of_settings(&self, wrong: Vec<String>) -> [Check; 4] {
        let lookup = self.lookup();
        let shared = Arc::new(self.store.clone());
        let cached = |names: &[&str]| {
            CachedSecret::from_settings(names, |_| None, shared.clone(), self.clock.clone())
        };
        let models = Models {
            selected: Selection::with_keys(&*lookup, |names| Some(cached(names))),
            host: Some(Arc::new(bedrock(&self.sdk))),
            clock: self.clock.clone(),
            has_demo: false,
        };
        let api = lookup(SLACK_API_URL).unwrap_or_else(|| slack::API.into());
        let admins = lookup(ALFRED_ADMINS).unwrap_or_default();
        let admins: Vec<&str> = admin_ids(&admins).collect();
        let people = settings::people(&admins.join(", "), "Deploy with Admins as");
        let token = cached(&[SLACK_BOT_TOKEN]);
        [
            Check::done("settings", settings::check(&self.settings, wrong)),
            Check::done("people", people),
            Check::new("model", models.check()),
            Check::new("slack", slack::check(api, token, self.clock.clone())),
        ]
    }

    fn of_parts(self, needed: Vec<&'static str>) -> Vec<Check> {
        let lookup = self.lookup();
        let receiver = self.functions.variables("slack-receiver");
        let secrets = stored::check(needed, self.store, receiver, RIGHTS);
        let mut checks = vec![
            Check::done("functions", self.functions.check(&lookup)),
            Check::new("secrets", secrets),
        ];
        let sdk = &self.sdk;
        let mut each = |name: &'static str, check: &dyn Fn(SdkConfig, String) -> Work| {
            checks.push(match lookup(name) {
                Some(value) => Check::new(name, check(sdk.clone(), value)),
                None => Check::done(name, vec![Finding::warning(name, UNNAMED, EXPORT)]),
            });
        };
        for name in [STATE_TABLE, AUDIT_TABLE] {
            each(name, &|sdk, table| Box::pin(tables::check(sdk, table)));
        }
        let queues = settings::known().into_iter();
        for name in queues.filter(|name| name.ends_with("QUEUE_URL")) {
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

fn set(variables: &Variables, name: &str) -> Option<String> {
    trimmed(variables.get(name)?)
}

/// Fails without credentials, and for settings of AWS that can't be used.
async fn open(environment: &Variables) -> Result<SdkConfig, Finding> {
    let unusable = |error: String| Finding::problem("aws", error, RIGHTS);
    let sdk = from_lookup(|name| environment.get(name).cloned()).await;
    let sdk = sdk.map_err(|error| unusable(error.to_string()))?;
    if let Some(provider) = sdk.credentials_provider() {
        let credentials = provider.provide_credentials().await;
        credentials.map_err(|error| unusable(with_causes(&error)))?;
    }
    Ok(sdk)
}

/// Whether the environment names another deployment than that of the functions.
fn other(environment: &Variables, known: &Variables) -> Option<Finding> {
    let (named, used) = (set(environment, STATE_TABLE)?, set(known, STATE_TABLE)?);
    let found = format!("your terminal names {named}, but the functions use {used}");
    let next = "Set STATE_TABLE, ALFRED_STAGE and AWS_REGION to those of one deployment.";
    (named != used).then(|| Finding::problem(STATE_TABLE, found, next))
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
        | Some("QueueDoesNotExist") => findings.problem("it doesn't exist", RESTORE),
        Some(code) => {
            let found = format!("{code} {}", error.message().unwrap_or_default());
            findings.problem(found, RIGHTS);
        }
        None => unanswered(findings, &with_causes(error)),
    }
}

/// Why an answer isn't what was asked for, for which `action` is needed.
fn refused(findings: &mut Findings, answer: &Answer, action: &str) {
    if answer.code.contains("AccessDenied") {
        return denied(findings, action);
    }
    let found = format!("HTTP {} {}", answer.status, answer.code);
    findings.problem(found.trim_end(), RIGHTS);
}

fn unanswered(findings: &mut Findings, error: &str) {
    findings.problem(format!("AWS doesn't answer: {error}"), RIGHTS);
}
