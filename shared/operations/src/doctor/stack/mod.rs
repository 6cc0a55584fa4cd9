//! A deployment on AWS. Its settings are those of its classifier, whose environment has all of them.

mod buckets;
mod functions;
mod queues;
mod signed;
mod tables;

use alfred_aws::{SdkConfig, bedrock, from_lookup, secrets};
use alfred_core::config::{
    ALFRED_ADMINS, ALFRED_STAGE, AUDIT_BUCKET, AUDIT_TABLE, BLOBS_BUCKET, SLACK_API_URL,
    SLACK_BOT_TOKEN, STATE_TABLE,
};
use alfred_core::ports::{Clock, SystemClock};
use alfred_http::CachedSecret;
use alfred_models::Selection;
use aws_credential_types::provider::ProvideCredentials;
use aws_sdk_sqs::error::{ProvideErrorMetadata, SdkError};
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

use super::model::Models;
use super::{Check, Finding, LIMIT, Lookup, secrets as stored, settings, slack, with_causes};
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
        let opened = Self::open(environment).with_subscriber(NoSubscriber::default());
        match tokio::time::timeout(LIMIT, opened).await {
            Ok(Ok(stack)) => {
                let lookup = stack.lookup();
                let wrong = wrong(&*lookup);
                stack.all(wrong)
            }
            Ok(Err(problem)) => vec![Check::done("aws", vec![problem])],
            Err(_) => {
                let problem = Finding::problem("aws", "no answer", RIGHTS);
                vec![Check::done("aws", vec![problem])]
            }
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
                stored::of_stack(lookup.clone(), store, receiver.unwrap_or_default()),
            ),
        ];
        let sdk = &self.sdk;
        let named = |name: &'static str| lookup(name).ok_or_else(|| unnamed(name));
        for name in [STATE_TABLE, AUDIT_TABLE] {
            checks.push(match named(name) {
                Ok(table) => Check::new(name, tables::check(sdk.clone(), table)),
                Err(unnamed) => unnamed,
            });
        }
        for name in settings::known().filter(|name| name.ends_with("_QUEUE_URL")) {
            checks.push(match named(name) {
                Ok(url) => Check::new(name, queues::check(sdk.clone(), url)),
                Err(unnamed) => unnamed,
            });
        }
        for (name, locks) in [(BLOBS_BUCKET, false), (AUDIT_BUCKET, true)] {
            checks.push(match named(name) {
                Ok(bucket) => Check::new(name, buckets::check(sdk.clone(), bucket, locks)),
                Err(unnamed) => unnamed,
            });
        }
        checks
    }
}

fn unnamed(name: &'static str) -> Check {
    let found = "it isn't set, so what it names isn't checked";
    Check::done(name, vec![Finding::warning(name, found, EXPORT)])
}

fn denied(check: &str, action: &str) -> Finding {
    let found = format!("not checked: your credentials lack {action}");
    Finding::warning(check, found, "Allow it to have this checked.")
}

/// Why a call failed, for which `action` is needed.
fn failed<E>(check: &str, action: &str, error: &SdkError<E>) -> Finding
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match error.code() {
        Some(code) if code.contains("AccessDenied") => denied(check, action),
        Some("ResourceNotFoundException" | "AWS.SimpleQueueService.NonExistentQueue")
        | Some("QueueDoesNotExist") => Finding::problem(check, "it doesn't exist", DEPLOY_AGAIN),
        Some(code) => {
            let found = format!("{code} {}", error.message().unwrap_or_default());
            Finding::problem(check, found, RIGHTS)
        }
        None => {
            let found = format!("AWS doesn't answer: {}", with_causes(error));
            Finding::problem(check, found, RIGHTS)
        }
    }
}
