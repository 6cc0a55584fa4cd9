//! Builds clients of the stand-in's accounts, for tests.

use alfred_accounts::oauth::Tokens;
use alfred_core::ports::{Account as Who, AccountError, AccountService, Clock, Store};
use alfred_google::{Endpoints, Google};
use async_trait::async_trait;
use secrecy::SecretString;
use std::io;
use std::sync::Arc;
use tokio::task::JoinSet;

use crate::account::Account;
use crate::drive::File;
use crate::scope;
use crate::serve::Running;
use crate::state::{GoogleLocal, Options};

/// A person's consent. All other people have connected nothing.
struct Consented {
    whose: Who,
    google: GoogleLocal,
    email: String,
    scopes: Vec<String>,
    _server: Arc<JoinSet<()>>,
}

#[async_trait]
impl Tokens for Consented {
    async fn access(&self, who: &Who, kind: AccountService) -> Result<SecretString, AccountError> {
        if *who == self.whose {
            let scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
            Ok(self.google.access_token(&self.email, &scopes).into())
        } else {
            Err(AccountError::NotConnected(kind))
        }
    }

    async fn refused(&self, _: &Who, _: &SecretString) {}
}

impl Running {
    /// A client of an account for a person who has consented to these scopes. It keeps the server running.
    pub fn client(&self, email: &str, scopes: &[&str], who: &Who, store: Arc<dyn Store>) -> Google {
        let tokens = Consented {
            whose: who.clone(),
            google: self.google.clone(),
            email: email.to_owned(),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
            _server: self.server.clone(),
        };
        let clock = self.google.0.clock.clone();
        Google::new(Endpoints::at(&self.url), Arc::new(tokens), store, clock)
    }
}

impl GoogleLocal {
    /// Serves an account with these files, by their ids, and returns its client.
    pub async fn with_files(
        files: Vec<(String, File)>,
        whose: &Who,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> io::Result<Google> {
        let google = Self::open(Options::default(), clock).map_err(io::Error::other)?;
        let mut account = Account::new("ana@example.com", "Ana Marques");
        for (id, file) in files {
            account.drive.put(&id, file);
        }
        let email = account.email.clone();
        google.put_account(account);
        let running = google.listen().await?;
        Ok(running.client(&email, &scope::ALL, whose, store))
    }
}
