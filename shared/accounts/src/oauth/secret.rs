//! The stored secret of a consent.

use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub(super) struct ConsentSecret {
    pub grant: String,
    refresh_token: String,
    /// When this refresh token was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
}

impl ConsentSecret {
    pub fn new(grant: &str, refresh: &SecretString, now: Timestamp) -> Self {
        Self {
            grant: grant.to_owned(),
            refresh_token: refresh.expose_secret().to_owned(),
            since: Some(now),
        }
    }

    pub fn is_older_than(&self, time: Timestamp) -> bool {
        self.since.is_none_or(|since| since < time)
    }

    pub fn refresh_token(&self) -> SecretString {
        self.refresh_token.as_str().into()
    }
}
