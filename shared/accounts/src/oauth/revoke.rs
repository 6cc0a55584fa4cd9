//! Ends a consent at the provider.

use alfred_core::ports::SecretError;
use alfred_http::{PATIENCE, Retries};

use super::connections::Connections;
use super::secret::ConsentSecret;
use super::token_http::TokenError;

impl Connections {
    /// Whether the provider confirmed that this consent has ended. The token isn't stored for later attempts,
    /// since its owner wants it deleted.
    pub(super) async fn revoke(&self, kept: Result<Option<ConsentSecret>, SecretError>) -> bool {
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
                    // A longer wait isn't possible, so an earlier attempt is worth a try.
                    Err(TokenError::Away { retry_after, .. }) => {
                        retry_after.filter(|after| *after < PATIENCE)
                    }
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
