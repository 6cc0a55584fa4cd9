//! A person's account with a provider of mail or calendars.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

use super::{Calendar, Mail, Unconnected};
use crate::id::{TeamId, UserId};

/// Whose mail or calendar: only their own credentials are ever used for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account {
    /// The workspace.
    pub team: TeamId,
    /// The person.
    pub user: UserId,
}

/// What an account gives access to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountService {
    /// Mail.
    Mail,
    /// Calendar.
    Calendar,
}

/// Why a provider of mail or calendars gave nothing.
#[derive(Debug, Error)]
pub enum AccountError {
    /// The person has connected no such account.
    #[error("no {0:?} is connected")]
    NotConnected(AccountService),
    /// Nothing happened: the provider couldn't be reached, or takes no more just now.
    #[error("not reached: {detail}")]
    NotReached {
        /// For the log.
        detail: String,
        /// When to ask again, where the provider says so.
        retry_after: Option<Duration>,
    },
    /// It was asked for a change and no answer came: it may have happened. Look before repeating.
    #[error("outcome unknown: {detail}")]
    Unknown {
        /// For the log.
        detail: String,
    },
    /// It won't do this, and nothing happened.
    #[error("refused: {reason}")]
    Refused {
        /// One sentence for the person, naming the field at fault where there is one.
        reason: String,
    },
}

impl AccountError {
    /// It won't do this, for this reason.
    #[must_use]
    pub fn refused(reason: impl Into<String>) -> Self {
        Self::Refused {
            reason: reason.into(),
        }
    }
}

/// Everybody's accounts. Cheap to clone.
#[derive(Clone)]
pub struct Accounts {
    /// Mail.
    pub mail: Arc<dyn Mail>,
    /// Calendars.
    pub calendar: Arc<dyn Calendar>,
}

impl Accounts {
    /// No account of anybody's.
    #[must_use]
    pub fn none() -> Self {
        Self {
            mail: Arc::new(Unconnected),
            calendar: Arc::new(Unconnected),
        }
    }
}
