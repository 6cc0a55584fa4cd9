//! Clients of people's Google accounts. The tests check all requests against Google's discovery documents.

mod calendar;
mod docs;
mod drive;
mod endpoints;
mod gmail;
mod making;
mod oauth;
mod refusal;
mod sheets;

pub use endpoints::Endpoints;

use alfred_core::ports::{Clock, Store};
use std::sync::Arc;

use alfred_accounts::api::Api;
use alfred_accounts::oauth::Tokens;
use alfred_accounts::turns::Turns;

pub struct Google {
    api: Api<Endpoints>,
    /// Holds envelopes of mails, and the rows of outgoing drafts and of files being made.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    sending: Turns,
    /// Serialises changes of a sheet.
    changing: Turns,
}

impl Google {
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
        }
    }
}
