//! What is kept of an account: a row that says what there is, and a secret.

use alfred_core::ports::{AccountService, Connection, Provider};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::named::Addresses;

/// What is known of a connected account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Changes with every connecting.
    pub grant: String,
    pub email: String,
    pub calendar: bool,
    pub since: Timestamp,
    /// When a server took the password no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

impl Row {
    pub fn connection(&self) -> Connection {
        let mut services = Provider::Servers.services().to_vec();
        services.retain(|service| self.calendar || *service != AccountService::Calendar);
        Connection {
            provider: Provider::Servers,
            email: self.email.clone(),
            services,
            since: self.since,
            ended: self.ended.is_some(),
            delegated: false,
        }
    }
}

/// What is secret of it, and what leads to it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Of which connecting: of two that were kept at once, one row stays, and one secret.
    pub grant: String,
    pub imap: String,
    pub smtp: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calendar: Option<String>,
    password: String,
}

impl Kept {
    pub fn new(grant: &str, at: &Addresses, password: &SecretString) -> Self {
        Self {
            grant: grant.to_owned(),
            imap: at.imap.clone(),
            smtp: at.smtp.clone(),
            calendar: at.calendar.clone(),
            password: password.expose_secret().to_owned(),
        }
    }

    pub fn sealed(&self) -> Result<SecretString, serde_json::Error> {
        serde_json::to_string(self).map(SecretString::from)
    }

    /// What a secret holds. The error says nothing of it.
    pub fn opened(secret: &SecretString) -> Result<Self, &'static str> {
        serde_json::from_str(secret.expose_secret()).map_err(|_| "a secret that holds no servers")
    }

    pub fn password(&self) -> SecretString {
        self.password.as_str().into()
    }
}
