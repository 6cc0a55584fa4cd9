//! Mail drafts at a provider. Mail is sent by way of a draft.

use crate::Result;
use alfred_core::ports::{Account, AccountError, Clock, OutgoingMail, Provider, SentMail, Store};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::turns::Turns;

/// How long a call may still be running, or its mail not be searchable yet.
const IN_FLIGHT: SignedDuration = SignedDuration::from_mins(2);

/// Whether a call started at `tried` may still be running.
pub fn in_flight(tried: Timestamp, now: Timestamp) -> bool {
    now < tried.saturating_add(IN_FLIGHT).unwrap_or(tried)
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drafted {
    /// The provider whose mailbox holds the draft.
    pub provider: Provider,
    pub draft: String,
    /// The id of its message, which changes when somebody edits the draft.
    pub message: String,
    pub message_id: String,
    pub since: Timestamp,
    /// The last attempt to send. `None` if that attempt certainly failed.
    pub tried: Option<Timestamp>,
}

impl Drafted {
    pub fn in_flight(&self, now: Timestamp) -> bool {
        self.tried.is_some_and(|tried| in_flight(tried, now))
    }
}

/// A connected account, and what stores the progress of its mails.
pub struct Mailbox<'a> {
    pub provider: Provider,
    pub account: &'a Account,
    pub store: &'a dyn Store,
    pub clock: &'a dyn Clock,
    pub turns: &'a Turns,
}

/// A mail with its key's digest and its sender.
pub struct Parcel<'a> {
    pub mail: &'a OutgoingMail,
    pub digest: String,
    pub address: String,
}

pub struct Written {
    pub draft: String,
    pub message: String,
    pub message_id: String,
}

/// The state of a draft at the provider.
#[derive(Debug)]
pub enum Look {
    Sent(SentMail),
    /// The draft is still there, so it wasn't sent.
    Draft,
    /// The owner edited the draft, so Alfred didn't send it.
    Edited,
    /// Neither the draft nor the mail was found, or the draft may be in flight.
    Gone,
}

pub enum Release {
    Sent(SentMail),
    /// It was sent, but its new id isn't visible yet.
    Unnamed(SentMail),
    Lost(String),
    /// It wasn't sent, and a retry is pointless.
    Refused(AccountError),
}

#[async_trait]
pub trait Drafts: Send + Sync {
    fn mailbox(&self) -> Mailbox<'_>;
    /// The mailbox's address. Fails if no account is connected.
    async fn address(&self) -> Result<String>;
    /// Writes a draft. Without an answer it may exist, but nothing sends it.
    async fn write(&self, parcel: &Parcel<'_>, at: Timestamp) -> Result<Written>;
    /// Deletes stray drafts of this mail, except those that its owner has edited.
    async fn clear(&self, parcel: &Parcel<'_>) -> Result<()>;
    /// Deleting a draft that doesn't exist counts as success.
    async fn delete(&self, draft: &str) -> Result<()>;
    /// Sends a draft. An error means that nothing happened and a retry is safe.
    async fn release(&self, drafted: &Drafted) -> Result<Release>;
    /// The version of a draft. `None` if it doesn't exist.
    async fn version(&self, draft: &str) -> Result<Option<String>>;
    async fn look(&self, digest: &str, drafted: &Drafted) -> Result<Look>;
}
