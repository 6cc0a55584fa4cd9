//! What disconnecting deletes here and ends at the provider.

use alfred_core::keys;
use alfred_core::ports::{
    Account, ConnectError, MAX_WRITES, Provider, Query, Range, SecretError, StoreError, Write,
};
use alfred_http::{PATIENCE, Retries};

use super::connections::{Connections, not_now};
use super::secret::Kept;
use super::token_http::TokenError;
use crate::account_store::AccountStore;

impl Connections {
    /// Deletes the credential and the cached mails.
    pub(super) async fn erase(&self, account: &Account) -> Result<(), ConnectError> {
        let deleted = self.accounts.credentials.delete(account, self.provider());
        let deleted = deleted.await;
        if self.provider() == Provider::Google {
            let forgotten = forget_mails(&self.accounts, account).await;
            forgotten.map_err(not_now)?;
        }
        deleted.map_err(not_now)
    }

    /// Whether the provider confirmed that this consent has ended. The token isn't stored for later attempts,
    /// since its owner wants it deleted.
    pub(super) async fn revoke(&self, kept: Result<Option<Kept>, SecretError>) -> bool {
        let token = match kept {
            Ok(Some(kept)) => kept.refresh_token(),
            Ok(None) => return false,
            Err(error) => {
                tracing::warn!(%error, "a credential is unreadable, so its access can't be revoked");
                return false;
            }
        };
        let attempts = async {
            let mut retries = Retries::default();
            loop {
                let revoked = self.endpoint.revoke(&token).await;
                let after = match &revoked {
                    Err(TokenError::Away { retry_after, .. }) => *retry_after,
                    Err(_) => None,
                    Ok(_) => return revoked,
                };
                if !retries.wait(&*self.accounts.clock, after).await {
                    return revoked;
                }
            }
        };
        match tokio::time::timeout(PATIENCE, attempts).await {
            Ok(Ok(revoked)) => revoked,
            Ok(Err(error)) => {
                tracing::warn!(?error, "an access couldn't be revoked");
                false
            }
            Err(_) => {
                tracing::warn!("revoking an access took too long");
                false
            }
        }
    }
}

/// Deletes the stored envelopes of an account. Rows of sent mails stay, so no mail is sent twice.
async fn forget_mails(accounts: &AccountStore, account: &Account) -> Result<(), StoreError> {
    let partition = keys::gmail_mailbox(account).partition;
    let kept = Query::state(partition, Range::Prefix("mail".into()));
    let kept = kept.all(&*accounts.store).await?;
    for some in kept.chunks(MAX_WRITES) {
        let writes = some
            .iter()
            .map(|item| Write::delete(item.key.clone(), None));
        accounts.commit(writes.collect()).await?;
    }
    Ok(())
}
