//! Somebody's Google account.

use serde::{Deserialize, Serialize};

/// Somebody's Google account with what is in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Account {
    /// Their address.
    pub email: String,
    /// Their name.
    pub name: String,
    /// Their primary calendar.
    #[serde(default)]
    pub calendar: crate::calendar::Calendar,
    /// Their mail.
    #[serde(default)]
    pub mailbox: crate::gmail::Mailbox,
    /// Their documents and spreadsheets.
    #[serde(default)]
    pub drive: crate::drive::Drive,
}

impl Account {
    /// One with nothing in it.
    pub fn new(email: &str, name: &str) -> Self {
        Self {
            email: email.to_lowercase(),
            name: name.to_owned(),
            ..Self::default()
        }
    }
}
