//! The stored row and secret of a consent.

use alfred_core::ports::Connection;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::provider::OAuthProvider;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    /// Changes with every consent.
    pub grant: String,
    pub email: String,
    pub scopes: BTreeSet<String>,
    pub since: Timestamp,
    /// When the provider reported that the access ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

impl Row {
    pub fn connection(&self, provider: &OAuthProvider) -> Connection {
        Connection {
            provider: provider.provider,
            email: self.email.clone(),
            services: provider.services(&self.scopes),
            since: self.since,
            ended: self.ended.is_some(),
        }
    }
}

/// The secret part.
#[derive(Serialize, Deserialize)]
pub(super) struct Kept {
    /// Ties the secret to its row: of two simultaneous consents, one row and one secret survive.
    pub grant: String,
    refresh_token: String,
    /// When this refresh token was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
}

impl Kept {
    pub fn sealed(
        grant: &str,
        refresh: &SecretString,
        now: Timestamp,
    ) -> Result<SecretString, serde_json::Error> {
        let kept = Self {
            grant: grant.to_owned(),
            refresh_token: refresh.expose_secret().to_owned(),
            since: Some(now),
        };
        serde_json::to_string(&kept).map(SecretString::from)
    }

    /// Parses a secret. The error reveals nothing of it.
    pub fn opened(secret: &SecretString) -> Result<Self, &'static str> {
        serde_json::from_str(secret.expose_secret())
            .map_err(|_| "a secret that holds no refresh token")
    }

    pub fn is_older_than(&self, time: Timestamp) -> bool {
        self.since.is_none_or(|since| since < time)
    }

    pub fn refresh_token(&self) -> SecretString {
        self.refresh_token.as_str().into()
    }
}
