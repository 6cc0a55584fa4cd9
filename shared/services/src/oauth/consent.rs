//! What comes of a consent.

use alfred_core::ports::{Account, AccountService, Connection, Provider};
use secrecy::SecretString;
use std::collections::BTreeSet;

use super::token_http::TokenError;

/// Somebody who comes back from the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// Whose link it was.
    pub account: Account,
    /// Where it led.
    pub provider: Provider,
    /// Whether they picked files, instead of consenting.
    pub picked: bool,
}

/// What somebody consented to, until it is kept.
#[derive(Debug)]
pub struct Consent {
    /// Whose it is.
    pub account: Account,
    /// The address of the account at the provider, as the provider says.
    pub email: String,
    pub(super) refresh: SecretString,
    pub(super) scopes: BTreeSet<String>,
    pub(super) wanted: Vec<AccountService>,
}

/// An account that was connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connected {
    /// What there is now.
    pub connection: Connection,
    /// What was asked for and not granted.
    pub missing: Vec<AccountService>,
}

/// Why a consent came to nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConsentError {
    /// No link of ours.
    #[error("the state isn't ours")]
    Forged,
    /// The link is older than ten minutes.
    #[error("the link is too old")]
    Late,
    /// The link was used before.
    #[error("the link was used before")]
    Used,
    /// The provider doesn't take the code.
    #[error("the code isn't good")]
    Code,
    /// The provider gave nothing that lasts, or didn't say whose it is.
    #[error("an incomplete grant")]
    Incomplete,
    /// Another account of theirs is connected; this is its address.
    #[error("another account is connected")]
    Another(String),
    /// It grants less than what is connected: that stays.
    #[error("narrower than what is connected")]
    Narrower,
    /// The deployment's own client isn't accepted; for the log.
    #[error("the client isn't accepted: {0}")]
    Client(String),
    /// Something didn't answer; for the log.
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
