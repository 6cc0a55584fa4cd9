//! Clients of people's Microsoft 365 accounts over Graph (<https://learn.microsoft.com/graph/api/overview>).
//! Requests ask for immutable ids, so a mail keeps its id when it is moved.

mod calendar;
mod mail;
mod oauth;
mod person;
mod refusal;

pub use oauth::Endpoints;

use alfred_core::ports::{Account, AccountError, AccountService, Clock, Store};
use futures_util::future::join_all;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;

use alfred_accounts::api::{Api, CallError, CallResult, shaped};
use alfred_accounts::ask::Ask;
use alfred_accounts::oauth::Tokens;
use alfred_accounts::outbox::not_now;
use alfred_accounts::turns::Turns;

pub(crate) type Result<T, E = AccountError> = std::result::Result<T, E>;

/// Requests that a mailbox accepts at once.
const AT_ONCE: usize = 4;

pub struct Microsoft {
    api: Api<Endpoints>,
    /// Holds the rows of outgoing drafts and calendar changes.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    sending: Turns,
    /// Serialises calendar changes under the same key.
    changing: Turns,
    /// Serialises the calls of a person, except those that [`Self::call_all`] makes at once.
    calls: Turns,
}

impl Microsoft {
    /// Connects to nothing before the first call.
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

    fn url(&self, path: &str) -> String {
        format!("{}/v1.0/{path}", self.api.endpoints.graph)
    }

    async fn call<T: DeserializeOwned>(&self, account: &Account, ask: &Ask) -> CallResult<T> {
        let _turn = self.calls.of(account).await;
        let answer = self.api.call(account, ask).await?;
        shaped(without_nulls(answer)).map_err(CallError::Account)
    }

    /// Makes calls four at a time and returns their answers in the same order. Stops at an error that the
    /// remaining calls would meet too, such as a mailbox that isn't reached. A refusal stays with its call.
    async fn call_all(&self, account: &Account, asks: &[Ask]) -> Result<Vec<CallResult<Value>>> {
        let mut answers = Vec::with_capacity(asks.len());
        for some in asks.chunks(AT_ONCE) {
            let _turn = self.calls.of(account).await;
            for answer in join_all(some.iter().map(|ask| self.api.call(account, ask))).await {
                match answer {
                    Err(CallError::Account(error))
                        if !matches!(error, AccountError::Refused { .. }) =>
                    {
                        return Err(error);
                    }
                    answer => answers.push(answer.map(without_nulls)),
                }
            }
        }
        Ok(answers)
    }

    async fn owner(&self, account: &Account, service: AccountService) -> Result<String> {
        let ask = Ask::get(service, self.url("me")).query("$select", "mail,userPrincipalName");
        let owner: Value = self.call(account, &ask).await?;
        let mut names = ["mail", "userPrincipalName"].into_iter();
        let address = names.find_map(|name| owner[name].as_str());
        Ok(address.unwrap_or_default().to_owned())
    }

    /// Follows a next-page link only within Graph, since the token is sent along.
    fn following(&self, service: AccountService, link: String) -> Result<Ask> {
        if link.starts_with(&self.url("")) {
            return Ok(Ask::get(service, link));
        }
        Err(not_now("a next page elsewhere"))
    }

    async fn bytes(&self, account: &Account, ask: &Ask) -> CallResult<Vec<u8>> {
        let _turn = self.calls.of(account).await;
        self.api.bytes(account, ask).await
    }
}

/// A list, or a page of one.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Page<T> {
    value: Vec<T>,
    #[serde(rename = "@odata.nextLink")]
    next_link: Option<String>,
    #[serde(rename = "@odata.count")]
    count: usize,
}

/// Graph writes null for fields without a value.
fn without_nulls(answer: Value) -> Value {
    match answer {
        Value::Object(mut fields) => {
            fields.retain(|_, value| !value.is_null());
            let fields = fields.into_iter();
            let fields = fields.map(|(name, value)| (name, without_nulls(value)));
            fields.collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// Extended property with the digest of the key, on everything made here.
const KEY: &str = "String {8f6c2d1e-5a0b-4c57-9d2e-6b1f0e7a3c94} Name AlfredKey";

fn key_property(digest: &str) -> Value {
    json!([{"id": KEY, "value": digest}])
}

/// A `$filter` for items with this key (<https://learn.microsoft.com/graph/api/singlevaluelegacyextendedproperty-get>).
fn with_key(digest: &str) -> String {
    format!("singleValueExtendedProperties/Any(ep: ep/id eq '{KEY}' and ep/value eq '{digest}')")
}

/// Whether a text can be an item id (base64url). Only ids become part of a URL.
fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'=');
    (1..=512).contains(&id.len()) && id.bytes().all(plain)
}

/// Turns "not found" into `None`.
fn found<T>(answer: CallResult<T>) -> Result<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_nothing(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the error says that an id doesn't exist.
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
