//! People's Google accounts, each by their own consent: thin typed clients over one HTTP client. Requests follow
//! Google's discovery documents, which the tests hold them against.

mod api;
mod calendar;
mod docs;
mod drive;
mod endpoints;
mod gmail;
mod sheets;
mod upload;

pub use endpoints::Endpoints;
pub(crate) use gmail::forget_mails;

use alfred_core::ports::{Clock, Store};
use std::sync::Arc;

use crate::oauth::Tokens;
use api::Api;

/// People's Google accounts.
pub struct Google {
    api: Api,
    /// Envelopes of mails, and drafts on their way out.
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    sending: gmail::Turns,
    /// Changes of sheets.
    changing: gmail::Turns,
}

impl Google {
    /// Nothing is connected to before the first call.
    #[must_use]
    pub fn new(
        endpoints: Endpoints,
        tokens: Arc<dyn Tokens>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            api: Api::new(endpoints, tokens, clock.clone()),
            store,
            clock,
            sending: gmail::Turns::default(),
            changing: gmail::Turns::default(),
        }
    }
}
