//! The stored row and secret of an account.

use alfred_core::ports::{AccountService, Connection, Provider};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::named::Addresses;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Row {
    /// Changes each time the account is connected.
    pub grant: String,
    pub email: String,
    pub calendar: bool,
    pub since: Timestamp,
    /// When a server refused the password.
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
        }
    }
}

/// The secret, with the servers that it is for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    /// Ties the secret to its row: of two simultaneous connections, one row and one secret survive.
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

    /// Parses a secret. The error reveals nothing of it.
    pub fn opened(secret: &SecretString) -> Result<Self, &'static str> {
        serde_json::from_str(secret.expose_secret()).map_err(|_| "a secret that holds no servers")
    }

    pub fn password(&self) -> SecretString {
        self.password.as_str().into()
    }
}
