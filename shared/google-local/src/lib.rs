//! A strict stand-in of Google's HTTP APIs, as far as Alfred uses them: consent and tokens, Gmail, Calendar, Docs,
//! Sheets, Drive. It enforces scopes and quotas, binds redirect addresses and PKCE, lets tokens, page tokens and
//! histories expire, keeps ETags and client-chosen ids, and fails on demand. All services answer at one address.
//!
//! | routes | what |
//! |---|---|
//! | `/o/oauth2/v2/auth`, `/token`, `/revoke` | consent and tokens |
//! | `/gmail/v1/…`, `/upload/gmail/v1/…` | Gmail |
//! | `/calendar/v3/…` | Calendar |
//! | `/v1/documents…`, `/v4/spreadsheets…`, `/drive/v3/…` | Docs, Sheets, Drive |

mod account;
pub mod calendar;
#[cfg(feature = "client")]
mod client;
mod consent;
pub mod docs;
pub mod drive;
mod error;
mod exchange;
mod faults;
mod fields;
pub mod gmail;
mod oauth;
mod quota;
mod related;
mod routes;
pub mod scope;
mod serve;
pub mod sheets;
mod state;
mod token;

pub use account::Account;
pub use alfred_loopback::{Call, Gate, HeldCall, Hold, Release};
pub use error::ApiError;
pub use exchange::Seen;
pub use faults::Fault;
pub use oauth::Client;
pub use quota::Quotas;
pub use serve::Running;
pub use state::{GoogleLocal, OpenError, Options};
