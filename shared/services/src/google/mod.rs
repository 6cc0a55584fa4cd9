//! People's Google accounts, each by their own consent: thin typed clients over one HTTP client. Requests follow
//! Google's discovery documents, which the tests hold them against.

mod calendar;
mod docs;
mod drive;
mod endpoints;
mod gmail;
mod refusal;
mod sheets;

pub use endpoints::Endpoints;
pub(crate) use gmail::forget_mails;

use alfred_core::ports::{Clock, Store};
use std::sync::Arc;

use crate::api::Api;
use crate::oauth::Tokens;
use crate::turns::Turns;

/// People's Google accounts.
pub struct Google {
    api: Api<Endpoints>,
    /// Envelopes of mails, and drafts on their way out.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    sending: Turns,
    /// Changes of sheets.
    changing: Turns,
}

impl Google {
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
        }
    }
}
