//! The stored secret of an account.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::named::Addresses;

/// The secret, with the servers that it is for.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The row's grant.
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

    pub fn password(&self) -> SecretString {
        self.password.as_str().into()
    }
}
