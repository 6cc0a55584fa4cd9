//! People's Microsoft 365 accounts, each by their own consent: thin typed clients of Graph
//! (<https://learn.microsoft.com/graph/api/overview>). Ids are asked for as immutable ones, so that a mail keeps its
//! own wherever it is moved to.

mod batch;
mod endpoints;
mod mail;
mod refusal;

pub use endpoints::Endpoints;

use alfred_core::ports::{Account, AccountError, Clock, Store};
use serde::de::DeserializeOwned;
use std::sync::Arc;

use crate::api::{Api, CallError, shaped};
use crate::ask::Ask;
use crate::oauth::Tokens;
use crate::turns::Turns;

/// People's Microsoft 365 accounts.
pub struct Microsoft {
    api: Api<Endpoints>,
    /// Drafts on their way out.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    sending: Turns,
    /// A mailbox takes four requests at once, and a batch has as many: so calls of one person wait for each other.
    calls: Turns,
}

impl Microsoft {
    /// Nothing is connected to before the first call.
    #[must_use]
    pub fn new(
        endpoints: Endpoints,
        tokens: Arc<dyn Tokens>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            api: Api::new(endpoints, refusal::MANNER, tokens, clock.clone()),
            store,
            clock,
            sending: Turns::default(),
            calls: Turns::default(),
        }
    }

    /// The address of a part of the API.
    fn url(&self, path: &str) -> String {
        format!("{}/v1.0/{path}", self.api.endpoints.graph)
    }

    async fn call<T: DeserializeOwned>(
        &self,
        account: &Account,
        ask: &Ask,
    ) -> Result<T, CallError> {
        let _turn = self.calls.of(account).await;
        let answer = self.api.call(account, ask).await?;
        shaped(answer).map_err(CallError::Account)
    }

    async fn bytes(&self, account: &Account, ask: &Ask) -> Result<Vec<u8>, CallError> {
        let _turn = self.calls.of(account).await;
        self.api.bytes(account, ask).await
    }
}

/// What isn't found is nothing.
fn found<T>(answer: Result<T, CallError>) -> Result<Option<T>, AccountError> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_nothing(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether it says that there is none of an id.
fn is_nothing(error: &CallError) -> bool {
    match error {
        CallError::Status {
            code: 404, reason, ..
        } => reason != "ErrorFolderNotFound",
        CallError::Status {
            code: 400, reason, ..
        } => reason == "ErrorInvalidIdMalformed",
        _ => false,
    }
}
