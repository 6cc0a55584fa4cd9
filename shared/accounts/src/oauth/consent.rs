//! A consent, from the link that came back to the stored account.

use alfred_core::ports::{Account, AccountService, Connection, Provider};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::token_http::TokenError;
use crate::links::ConsentError;

#[derive(Serialize, Deserialize)]
pub(super) struct ConsentRequest {
    /// Of PKCE (RFC 7636).
    pub verifier: String,
    pub wanted: Vec<AccountService>,
    pub redirect_uri: String,
}

/// The owner of a link that came back from the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arriving {
    pub account: Account,
    pub provider: Provider,
}

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

impl From<TokenError> for ConsentError {
    fn from(error: TokenError) -> Self {
        match error {
            TokenError::Invalid => Self::Code,
            TokenError::Client(detail) => Self::Client(detail),
            TokenError::Away { detail, .. } => Self::Unavailable(detail),
        }
    }
}
