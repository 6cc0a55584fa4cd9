//! A Google account that is connected.

use alfred_accounts::oauth::Tokens;
use alfred_core::ports::{Account, AccountError, AccountService, Clock, Store};
use alfred_google::{Endpoints, Google};
use alfred_google_local::{GoogleLocal, Options, Running, Seen, scope};
use alfred_testkit::discovery::{ApiCall, Discovery};
use async_trait::async_trait;
use secrecy::SecretString;
use std::sync::Arc;

/// Tokens of one person, as if they had consented to everything.
struct Consented {
    google: GoogleLocal,
    account: Account,
    email: String,
}

#[async_trait]
impl Tokens for Consented {
    async fn access(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<SecretString, AccountError> {
        if *account != self.account {
            return Err(AccountError::NotConnected(service));
        }
        Ok(self.google.access_token(&self.email, &scope::ALL).into())
    }

    async fn refused(&self, _: &Account, _: &SecretString) {}
}

/// A local Google in which `ana@example.com` has an account, and the clients of it, by this clock.
pub async fn connected(
    options: Options,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
) -> (Running, Google) {
    // Another test of this process may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let google = GoogleLocal::open(options, clock.clone()).unwrap();
    google.put_account(alfred_google_local::Account::new(
        "ana@example.com",
        "Ana Marques",
    ));
    google.observe(as_described);
    let running = google.listen().await.unwrap();
    let clients = again(&running, store, clock);
    (running, clients)
}

/// The clients of a local Google as another process has them.
pub fn again(running: &Running, store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Google {
    let tokens = Consented {
        google: running.google.clone(),
        account: account(),
        email: "ana@example.com".into(),
    };
    Google::new(Endpoints::at(&running.url), Arc::new(tokens), store, clock)
}

/// Holds a call against Google's own descriptions.
pub fn as_described(seen: &Seen) {
    Discovery::shared().check(&ApiCall {
        id: seen.id,
        verb: &seen.verb,
        path: &seen.path,
        query: &seen.query,
        body: &seen.body,
        status: seen.status,
        answer: &seen.answer,
    });
}

/// Whose account is connected.
pub fn account() -> Account {
    Account {
        team: "T1".into(),
        user: "U1".into(),
    }
}

/// Somebody who connected nothing.
pub fn stranger() -> Account {
    Account {
        user: "U2".into(),
        ..account()
    }
}
