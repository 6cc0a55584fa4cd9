//! Types and errors of a consent.

use alfred_core::ports::{Account, AccountService, Connection, Provider};
use secrecy::SecretString;
use std::collections::BTreeSet;

use super::token_http::TokenError;

/// The owner of a link that came back from the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    pub account: Account,
    pub provider: Provider,
    /// Whether files were picked instead of a consent.
    pub picked: bool,
}

/// A consent before it is stored.
#[derive(Debug)]
pub struct Consent {
    pub account: Account,
    /// The account's address as the provider reports it.
    pub email: String,
    pub(super) refresh: SecretString,
    pub(super) scopes: BTreeSet<String>,
    pub(super) wanted: Vec<AccountService>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    pub connection: Connection,
    /// Requested but not granted.
    pub missing: Vec<AccountService>,
}

/// Why a consent failed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    #[error("the state isn't ours")]
    Forged,
    /// Older than ten minutes.
    #[error("the link is too old")]
    Late,
    #[error("the link was used before")]
    Used,
    /// The provider refused the code.
    #[error("the code isn't good")]
    Code,
    /// The grant lacks a refresh token or the account's address.
    #[error("an incomplete grant")]
    Incomplete,
    /// Another account, with this address, is already connected.
    #[error("another account is connected")]
    Another(String),
    /// It grants less than the existing connection, which stays.
    #[error("narrower than what is connected")]
    Narrower,
    /// The provider refused the deployment's client. The text is for the log.
    #[error("the client isn't accepted: {0}")]
    Client(String),
    /// A dependency didn't answer. The text is for the log.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

impl From<TokenError> for ConsentError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Invalid => Self::Code,
            TokenError::Client(detail) => Self::Client(detail),
            TokenError::Away(detail) => Self::Unavailable(detail),
        }
    }
}
