//! `Secrets` on Secrets Manager.

use alfred_core::config::stage;
use alfred_core::ports::{Clock, SecretError, Secrets};
use async_trait::async_trait;
use aws_config::SdkConfig;
use aws_sdk_secretsmanager::Client;
use aws_sdk_secretsmanager::error::{ProvideErrorMetadata, SdkError};
use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use std::time::Duration;

use crate::error::{describe, is_denied};

/// A forced deletion takes a moment, and the name is taken until then
/// (<https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteSecret.html>).
const PUT_TRIES: u32 = 6;
const PUT_PAUSE: Duration = Duration::from_millis(500);

const NOT_THERE: &str = "ResourceNotFoundException";
const WRONG_STATE: &str = "InvalidRequestException";
const TAKEN: &str = "ResourceExistsException";

/// Secrets in Secrets Manager. Nothing is kept in memory: a token that was rotated or revoked elsewhere must not
/// outlive that here, and only the caller knows how long its own copy may live. A `get` costs a call. Needs
/// `secretsmanager:` `GetSecretValue`, and to write also `PutSecretValue`, `CreateSecret`, `DeleteSecret` and
/// `RestoreSecret`.
#[derive(Clone)]
pub struct SecretsManager {
    client: Client,
    clock: Arc<dyn Clock>,
    stage: String,
}

/// The secrets of the account: `alfred/NAME` is `STAGE/NAME` there, with the stage that `ALFRED_STAGE` names. The clock
/// waits while a deleted name becomes free.
pub fn secrets(sdk: &SdkConfig, clock: Arc<dyn Clock>) -> SecretsManager {
    SecretsManager {
        client: Client::new(sdk),
        clock,
        stage: stage(),
    }
}

#[async_trait]
impl Secrets for SecretsManager {
    async fn get(&self, name: &str) -> Result<Option<SecretString>, SecretError> {
        let name = &self.named(name)?;
        let answer = self.client.get_secret_value().secret_id(name).send().await;
        match answer {
            Ok(found) => Ok(found.secret_string.map(SecretString::from)),
            // A value that was never set, or a secret on its way out.
            Err(error) if is(&error, NOT_THERE) || is_leaving(&error) => Ok(None),
            Err(error) => Err(failed("reading", name, &error)),
        }
    }

    async fn put(&self, name: &str, value: &SecretString) -> Result<(), SecretError> {
        let name = &self.named(name)?;
        let mut tries = 1;
        loop {
            match self.put_once(name, value).await {
                Err(Put::NotNow(_)) if tries < PUT_TRIES => self.clock.sleep(PUT_PAUSE).await,
                Err(Put::NotNow(error) | Put::Failed(error)) => return Err(error),
                Ok(()) => return Ok(()),
            }
            tries += 1;
        }
    }

    async fn delete(&self, name: &str) -> Result<(), SecretError> {
        let name = &self.named(name)?;
        let delete = self.client.delete_secret().secret_id(name);
        let delete = delete.force_delete_without_recovery(true);
        let answer = delete.send().await;
        match answer {
            Ok(_) => Ok(()),
            Err(error) if is(&error, NOT_THERE) => Ok(()),
            Err(error) => Err(failed("deleting", name, &error)),
        }
    }
}

enum Put {
    /// The name is being deleted, or was made a moment ago by somebody else.
    NotNow(SecretError),
    Failed(SecretError),
}

impl SecretsManager {
    fn named(&self, name: &str) -> Result<String, SecretError> {
        SecretError::check_name(name)?;
        Ok(in_stage(&self.stage, name))
    }

    async fn put_once(&self, name: &str, value: &SecretString) -> Result<(), Put> {
        let put = self.client.put_secret_value().secret_id(name);
        let put = put.secret_string(value.expose_secret());
        let answer = put.send().await;
        match answer {
            Ok(_) => Ok(()),
            Err(error) if is(&error, NOT_THERE) => self.create(name, value).await,
            Err(error) if is_leaving(&error) => self.restore(name).await,
            Err(error) => Err(Put::Failed(failed("writing", name, &error))),
        }
    }

    async fn create(&self, name: &str, value: &SecretString) -> Result<(), Put> {
        let create = self.client.create_secret().name(name);
        let create = create.secret_string(value.expose_secret());
        let answer = create.send().await;
        answer.map(drop).map_err(|error| {
            let again = is(&error, TAKEN) || is_leaving(&error);
            let kind = if again { Put::NotNow } else { Put::Failed };
            kind(failed("creating", name, &error))
        })
    }

    /// Somebody scheduled the deletion in the console: it is called off, and the
    /// next try writes the value. A forced deletion can't be; that try waits for it.
    async fn restore(&self, name: &str) -> Result<(), Put> {
        match self.client.restore_secret().secret_id(name).send().await {
            Ok(_) => Err(Put::NotNow(SecretError::Unavailable {
                detail: format!("{name} was marked for deletion"),
            })),
            Err(error) => Err(Put::NotNow(failed("restoring", name, &error))),
        }
    }
}

fn in_stage(stage: &str, name: &str) -> String {
    let own = name.strip_prefix("alfred/");
    own.map_or_else(|| name.into(), |own| format!("{stage}/{own}"))
}

fn is<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>, code: &str) -> bool {
    error.code() == Some(code)
}

/// Marked or scheduled for deletion; other states of a secret have the same code.
fn is_leaving<E: ProvideErrorMetadata, R>(error: &SdkError<E, R>) -> bool {
    let said = error.message().unwrap_or_default();
    is(error, WRONG_STATE) && (said.contains("deletion") || said.contains("deleted"))
}

/// An error, which never repeats a secret. A missing right is a defect of the deployment, so it is logged here.
pub(crate) fn failed<E, R>(doing: &str, what: &str, error: &SdkError<E, R>) -> SecretError
where
    E: std::error::Error + ProvideErrorMetadata + 'static,
    R: std::fmt::Debug,
{
    let detail = format!("{doing} {what}: {}", describe(error));
    if error.code().is_some_and(is_denied) {
        tracing::error!(detail, "AWS refuses access to a secret");
        return SecretError::Denied { detail };
    }
    SecretError::Unavailable { detail }
}

#[test]
fn two_stages_have_secrets_of_their_own() {
    let named = |stage| in_stage(stage, "alfred/T1/U1/google");
    assert_eq!(named("alfred"), "alfred/T1/U1/google");
    assert_eq!(named("alfred-test"), "alfred-test/T1/U1/google");
}
