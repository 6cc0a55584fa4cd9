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
mod upload;

pub use stored::{Progress, stored};

use alfred_core::ports::{AccountError, MailMessage, MailSummary};

pub(crate) type Result<T, E = AccountError> = std::result::Result<T, E>;

/// A mail of which only the envelope and the snippet can be read.
pub fn without_body(summary: MailSummary) -> MailMessage {
    MailMessage {
        text: summary.snippet.clone(),
        summary,
        cc: Vec::new(),
        reply_to: Vec::new(),
        truncated: true,
        disguised_link: false,
        attachments: Vec::new(),
        message_id: None,
        references: Vec::new(),
        unsubscribe: None,
        one_click: None,
    }
}
