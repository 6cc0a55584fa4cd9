use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;
use thiserror::Error;

use crate::id::{TeamId, UserId};

pub(crate) type Result<T, E = AccountError> = std::result::Result<T, E>;

/// The owner of mail, calendar and documents. Only their own credentials are used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account {
    pub team: TeamId,
    pub user: UserId,
}

impl Account {
    pub fn of(team: &TeamId, user: &UserId) -> Self {
        let (team, user) = (team.clone(), user.clone());
        Self { team, user }
    }
}

/// A service of an account; each needs its own grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountService {
    /// Reading and sorting mail.
    Mail,
    MailSend,
    Calendar,
    Documents,
    Sheets,
}

impl AccountService {
    /// All services, in display order.
    pub const ALL: [Self; 5] = [
        Self::Mail,
        Self::MailSend,
        Self::Calendar,
        Self::Documents,
        Self::Sheets,
    ];

    /// The name in commands and on buttons.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::MailSend => "mail_send",
            Self::Calendar => "calendar",
            Self::Documents => "documents",
            Self::Sheets => "sheets",
        }
    }

    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|service| service.as_str().eq_ignore_ascii_case(word))
    }
}

#[derive(Clone, Debug, Error)]
pub enum AccountError {
    /// The person connected no such account.
    #[error("no {0:?} is connected")]
    NotConnected(AccountService),
    /// The provider no longer accepts Alfred's access.
    #[error("access to {0:?} has ended")]
    Expired(AccountService),
    /// The account was connected without this service.
    #[error("{0:?} isn't part of what was granted")]
    NotGranted(AccountService),
    /// The provider couldn't be reached or is limiting requests; nothing happened.
    #[error("not reached: {detail}")]
    NotReached {
        detail: String,
        /// When to retry, if the provider says so.
        retry_after: Option<Duration>,
    },
    /// A change got no answer, so it may have happened. Check before repeating.
    #[error("outcome unknown: {detail}")]
    Unknown { detail: String },
    /// The provider refuses; nothing happened.
    #[error("refused: {reason}")]
    Refused {
        /// One sentence for the person. Names the wrong field if there is one.
        reason: String,
    },
}

impl AccountError {
    pub fn refused(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self::Refused { reason }
    }

    /// For a provider that doesn't say when to retry.
    pub fn not_reached(detail: impl fmt::Display) -> Self {
        Self::NotReached {
            detail: detail.to_string(),
            retry_after: None,
        }
    }

    pub fn unknown(detail: impl fmt::Display) -> Self {
        let detail = detail.to_string();
        Self::Unknown { detail }
    }
}
