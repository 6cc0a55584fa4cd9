//! A person's accounts: mail, calendar, documents, sheets.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

use super::{Calendar, Connect, Documents, Mail, Sheets, Unconnected};
use crate::id::{TeamId, UserId};

/// Whose mail, calendar and documents: only their own credentials are ever used for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account {
    /// The workspace.
    pub team: TeamId,
    /// The person.
    pub user: UserId,
}

impl Account {
    /// Whose it is.
    pub fn of(team: &TeamId, user: &UserId) -> Self {
        Self {
            team: team.clone(),
            user: user.clone(),
        }
    }
}

/// What an account gives access to; each is granted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountService {
    /// Reading mail, and sorting it.
    Mail,
    /// Sending mail.
    MailSend,
    /// Calendar.
    Calendar,
    /// Documents.
    Documents,
    /// Sheets.
    Sheets,
}

impl AccountService {
    /// All of them, in the order in which people are shown them.
    pub const ALL: [Self; 5] = [
        Self::Mail,
        Self::MailSend,
        Self::Calendar,
        Self::Documents,
        Self::Sheets,
    ];

    /// As it stands in commands and on buttons.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::MailSend => "mail_send",
            Self::Calendar => "calendar",
            Self::Documents => "documents",
            Self::Sheets => "sheets",
        }
    }

    /// The one that is written so, whatever the case.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|service| service.as_str().eq_ignore_ascii_case(word))
    }
}

/// Why a provider of an account gave nothing.
#[derive(Clone, Debug, Error)]
pub enum AccountError {
    /// The person has connected no such account.
    #[error("no {0:?} is connected")]
    NotConnected(AccountService),
    /// They had connected one, and the provider takes Alfred's access no more.
    #[error("access to {0:?} has ended")]
    Expired(AccountService),
    /// They connected one without this.
    #[error("{0:?} isn't part of what was granted")]
    NotGranted(AccountService),
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
    /// Documents.
    pub documents: Arc<dyn Documents>,
    /// Sheets.
    pub sheets: Arc<dyn Sheets>,
    /// How people connect their own.
    pub connect: Arc<dyn Connect>,
}

impl Accounts {
    /// No account of anybody's.
    pub fn none() -> Self {
        Self {
            mail: Arc::new(Unconnected),
            calendar: Arc::new(Unconnected),
            documents: Arc::new(Unconnected),
            sheets: Arc::new(Unconnected),
            connect: Arc::new(Unconnected),
        }
    }
}
