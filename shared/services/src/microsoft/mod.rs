//! People's Microsoft 365 accounts, each by their own consent: thin typed clients of Graph
//! (<https://learn.microsoft.com/graph/api/overview>). Ids are asked for as immutable ones, so that a mail keeps its
//! own wherever it is moved to.

mod batch;
mod calendar;
mod endpoints;
mod mail;
mod person;
mod refusal;

pub use endpoints::Endpoints;

use alfred_core::ports::{Account, AccountError, AccountService, Clock, Store};
use serde::de::DeserializeOwned;
use std::sync::Arc;

use crate::api::{Api, CallError, shaped};
use crate::ask::Ask;
use crate::oauth::Tokens;
use crate::outbox::not_now;
use crate::turns::Turns;
use person::Owner;

/// People's Microsoft 365 accounts.
pub struct Microsoft {
    api: Api<Endpoints>,
    /// Drafts on their way out, and changes of calendars.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    sending: Turns,
    /// Changes of calendars that are asked for under one key.
    changing: Turns,
    /// A mailbox takes four requests at once, and a batch has as many: so calls of one person wait for each other.
    calls: Turns,
}

impl Microsoft {
    /// Nothing is connected to before the first call.
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
            changing: Turns::default(),
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

    /// The mailbox's own address.
    async fn owner(
        &self,
        account: &Account,
        service: AccountService,
    ) -> Result<String, AccountError> {
        let ask = Ask::get(service, self.url("me")).query("$select", "mail,userPrincipalName");
        let owner: Owner = self.call(account, &ask).await?;
        let address = owner.mail.or(owner.user_principal_name);
        Ok(address.unwrap_or_default())
    }

    /// A link is followed to where it came from alone: a token goes along.
    fn following(&self, service: AccountService, link: String) -> Result<Ask, AccountError> {
        match link.starts_with(&self.url("")) {
            true => Ok(Ask::get(service, link)),
            false => Err(not_now("a next page elsewhere")),
        }
    }

    async fn bytes(&self, account: &Account, ask: &Ask) -> Result<Vec<u8>, CallError> {
        let _turn = self.calls.of(account).await;
        self.api.bytes(account, ask).await
    }
}

/// The property by which what was made here is found under the digest of its key.
const KEY: &str = "String {8f6c2d1e-5a0b-4c57-9d2e-6b1f0e7a3c94} Name AlfredKey";

/// A `$filter` for what has an extended property of this value
/// (<https://learn.microsoft.com/graph/api/singlevaluelegacyextendedproperty-get>).
fn with_property(id: &str, value: &str) -> String {
    format!("singleValueExtendedProperties/Any(ep: ep/id eq '{id}' and ep/value eq '{value}')")
}

/// What an id of an item looks like: base64 for addresses. Nothing else becomes a part of one.
fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
    (1..=512).contains(&id.len()) && id.bytes().all(plain)
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
