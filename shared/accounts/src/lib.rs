//! What the clients of people's accounts share: consents and tokens, calls with retries, and mails that are sent once.

pub mod account_store;
pub mod api;
pub mod ask;
pub mod drafts;
pub mod free_busy;
pub mod links;
pub mod marks;
pub mod oauth;
pub mod outbox;
pub mod position;
mod stored;
pub mod turns;
pub mod upload;

pub use stored::{Progress, stored};

use alfred_core::ports::AccountError;

pub(crate) type Result<T, E = AccountError> = std::result::Result<T, E>;
