//! What disconnecting deletes here and ends at the provider.

use alfred_core::keys;
use alfred_core::ports::{
    Account, Commit, ConnectError, Ids, MAX_WRITES, Provider, Query, Range, SecretError, Store,
    StoreError, Write,
};
use secrecy::SecretString;

use super::connections::{Connections, not_now};
use super::rows::Kept;
use crate::api::{FIRST_PAUSE, PATIENCE, TRIES};

impl Connections {
    /// Deletes the credential and the cached mails.
    pub(super) async fn erase(&self, account: &Account) -> Result<(), ConnectError> {
        let deleted = self.credentials.delete(account, self.provider()).await;
        if self.provider() == Provider::Google {
            let forgotten = forget_mails(&*self.store, &*self.ids, account).await;
            forgotten.map_err(not_now)?;
        }
        deleted.map_err(not_now)
    }

    /// Whether the provider confirmed that this consent has ended. The token isn't stored for later attempts,
    /// since its owner wants it deleted.
    pub(super) async fn revoke(&self, secret: Result<Option<SecretString>, SecretError>) -> bool {
        let kept = match secret {
            Ok(Some(secret)) => Kept::opened(&secret).map_err(not_now),
            Ok(None) => return false,
            Err(error) => Err(not_now(error)),
        };
        let token = match kept {
            Ok(kept) => kept.refresh_token(),
            Err(error) => {
                tracing::warn!(%error, "a credential is unreadable, so its access can't be revoked");
                return false;
            }
        };
        let attempts = async {
            let mut pause = FIRST_PAUSE;
            for _ in 1..TRIES {
                if let Ok(revoked) = self.endpoint.revoke(&token).await {
                    return Ok(revoked);
                }
                self.clock.sleep(pause).await;
                pause *= 2;
            }
            self.endpoint.revoke(&token).await
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
async fn forget_mails(
    store: &dyn Store,
    ids: &dyn Ids,
    account: &Account,
) -> Result<(), StoreError> {
    let partition = keys::gmail_mailbox(account).partition;
    let kept = Query::state(partition, Range::Prefix("mail".into()));
    let kept = kept.all(store).await?;
    for some in kept.chunks(MAX_WRITES) {
        let writes = some
            .iter()
            .map(|item| Write::delete(item.key.clone(), None));
        store.commit(&Commit::new(ids, writes.collect())).await?;
    }
    Ok(())
}
