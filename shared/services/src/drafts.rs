//! Drafts at a provider, by which mail goes out.

use alfred_core::ports::{Account, AccountError, Clock, OutgoingMail, Provider, SentMail, Store};
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::turns::Turns;

/// How long a call may still be at work somewhere, or what it sends not yet be found.
const IN_FLIGHT: SignedDuration = SignedDuration::from_mins(2);

/// Whether a call that was made at a time may still be at work.
pub(crate) fn in_flight(tried: Timestamp, now: Timestamp) -> bool {
    now < tried.saturating_add(IN_FLIGHT).unwrap_or(tried)
}

/// A draft on its way out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Drafted {
    /// In whose mailbox it lies.
    #[serde(default = "google")]
    pub provider: Provider,
    pub draft: String,
    /// Its message: another one once somebody has edited it.
    pub message: String,
    /// As it was written.
    pub message_id: String,
    /// When it was written.
    pub since: Timestamp,
    /// When it was last tried; `None` where that certainly came to nothing.
    pub tried: Option<Timestamp>,
}

/// Rows of releases that knew of nobody else.
fn google() -> Provider {
    Provider::Google
}

impl Drafted {
    /// Whether a call to send it may still be at work.
    pub fn in_flight(&self, now: Timestamp) -> bool {
        self.tried.is_some_and(|tried| in_flight(tried, now))
    }
}

/// A mail of a key.
pub(crate) struct Parcel<'a> {
    pub mail: &'a OutgoingMail,
    /// The key's.
    pub digest: String,
    /// Who sends it.
    pub address: String,
}

/// A draft that was written.
pub(crate) struct Written {
    pub draft: String,
    pub message: String,
    pub message_id: String,
}

/// What a look found.
#[derive(Debug)]
pub(crate) enum Look {
    /// It was sent.
    Sent(SentMail),
    /// The draft is still there: it wasn't.
    Draft,
    /// The draft is somebody else's now, who has edited it: it wasn't sent from here.
    Edited,
    /// Neither the draft nor the mail, or a draft that may be on its way.
    Gone,
}

/// What became of a draft that was to be sent.
pub(crate) enum Release {
    /// It was sent, as this.
    Sent(SentMail),
    /// It was sent, and how it is named now can't be seen yet.
    Unnamed(SentMail),
    /// Nobody knows.
    Lost(String),
    /// It wasn't, and won't be.
    Refused(AccountError),
}

/// A person's drafts at a provider.
#[async_trait]
pub(crate) trait Drafts: Send + Sync {
    fn provider(&self) -> Provider;
    fn account(&self) -> &Account;
    fn store(&self) -> &dyn Store;
    fn clock(&self) -> &dyn Clock;
    fn turns(&self) -> &Turns;
    /// The mailbox's address; whoever has connected nothing is told so.
    async fn address(&self) -> Result<String, AccountError>;
    /// Writes a draft. Where no answer comes it may lie there; nobody sends it.
    async fn write(&self, parcel: &Parcel<'_>, at: Timestamp) -> Result<Written, AccountError>;
    /// Deletes drafts of this mail that nobody knows of; none that its owner has edited.
    async fn clear(&self, parcel: &Parcel<'_>) -> Result<(), AccountError>;
    /// That there is none is as good.
    async fn delete(&self, draft: &str) -> Result<(), AccountError>;
    /// Sends a draft.
    ///
    /// # Errors
    /// Where nothing happened, and it may be tried again.
    async fn release(&self, drafted: &Drafted) -> Result<Release, AccountError>;
    /// Which version of a draft is there; `None` where there is none.
    async fn version(&self, draft: &str) -> Result<Option<String>, AccountError>;
    /// What became of a draft.
    async fn look(&self, digest: &str, drafted: &Drafted) -> Result<Look, AccountError>;
}
