//! Access tokens, as clients of a provider ask for them.

use alfred_core::ports::{Account, AccountError, AccountService};
use async_trait::async_trait;
use secrecy::SecretString;

/// Gives access tokens of people's own accounts.
#[async_trait]
pub trait Tokens: Send + Sync {
    /// A token of this person's for a service.
    ///
    /// # Errors
    /// `NotConnected`, `Expired` or `NotGranted` with the service; `NotReached` while the provider is away.
    async fn access(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError>;

    /// The provider didn't take this token: it isn't given again.
    async fn refused(&self, account: &Account, token: &SecretString);
}
