//! A session for one person: the role of all accounts, narrowed by tags
//! (<https://docs.aws.amazon.com/IAM/latest/UserGuide/id_session-tags.html>).

use alfred_core::ports::{Account, Clock, SecretError};
use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_sts::Client;
use aws_sdk_sts::error::BuildError;
use aws_sdk_sts::types::Tag;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Result;
use crate::secrets::failed;

/// The tags' names, as the role's policy reads them.
const TEAM: &str = "team";
const USER: &str = "user";
/// The shortest that AWS gives, in seconds.
const LASTS: i32 = 900;
/// How long before its end a session isn't used any more.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);
/// People whose sessions a process keeps.
const KEPT: usize = 200;

/// Gives the settings with which one person's secret is reached.
pub struct Sessions {
    sdk: SdkConfig,
    role: Option<String>,
    clock: Arc<dyn Clock>,
    kept: Mutex<HashMap<Account, (SdkConfig, Timestamp)>>,
}

impl Sessions {
    /// With this role, which only lets a session get at what its tags name; without one, with the process's own rights.
    pub fn new(sdk: &SdkConfig, role: Option<String>, clock: Arc<dyn Clock>) -> Self {
        Self {
            sdk: sdk.clone(),
            role,
            clock,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<Account, (SdkConfig, Timestamp)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn of(&self, account: &Account) -> Result<SdkConfig> {
        let Some(role) = &self.role else {
            return Ok(self.sdk.clone());
        };
        let now = self.clock.now();
        let known = self.kept().get(account).cloned();
        if let Some((sdk, until)) = known
            && now < until
        {
            return Ok(sdk);
        }
        let credentials = self.assume(role, account).await?;
        let lasts = SignedDuration::from_secs(LASTS.into()) - MARGIN;
        let until = now.saturating_add(lasts).unwrap_or(now);
        let sdk = self.sdk.clone().into_builder();
        let sdk = sdk.credentials_provider(SharedCredentialsProvider::new(credentials));
        let sdk = sdk.build();
        let mut kept = self.kept();
        kept.retain(|_, (_, until)| now < *until);
        if kept.len() < KEPT {
            kept.insert(account.clone(), (sdk.clone(), until));
        }
        Ok(sdk)
    }

    async fn assume(&self, role: &str, account: &Account) -> Result<Credentials> {
        let unavailable = |detail: String| SecretError::Unavailable {
            detail: format!("a session for one person: {detail}"),
        };
        let tag = |key: &str, value: &str| Tag::builder().key(key).value(value).build();
        let tags = [
            tag(TEAM, account.team.as_str()),
            tag(USER, account.user.as_str()),
        ];
        let tags: Result<Vec<Tag>, BuildError> = tags.into_iter().collect();
        let assumed = Client::new(&self.sdk)
            .assume_role()
            .role_arn(role)
            .role_session_name(format!("alfred-{}", account.user))
            .duration_seconds(LASTS)
            .set_tags(Some(tags.map_err(|error| unavailable(error.to_string()))?))
            .send()
            .await
            .map_err(|error| failed("assuming", role, &error))?;
        let given = assumed.credentials;
        let given = given.ok_or_else(|| unavailable("no credentials were given".into()))?;
        Ok(Credentials::builder()
            .access_key_id(given.access_key_id)
            .secret_access_key(given.secret_access_key)
            .session_token(given.session_token)
            .provider_name("AlfredAccountSession")
            .build())
    }
}
