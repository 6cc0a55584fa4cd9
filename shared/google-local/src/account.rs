use serde::{Deserialize, Serialize};

/// Somebody's Google account with what is in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Account {
    pub email: String,
    pub name: String,
    /// The primary one.
    #[serde(default)]
    pub calendar: crate::calendar::Calendar,
    #[serde(default)]
    pub mailbox: crate::gmail::Mailbox,
    #[serde(default)]
    pub drive: crate::drive::Drive,
}

impl Account {
    /// An empty one.
    pub fn new(email: &str, name: &str) -> Self {
        Self {
            email: email.to_lowercase(),
            name: name.to_owned(),
            ..Self::default()
        }
    }
}
