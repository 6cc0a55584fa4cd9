//! A strict stand-in of Microsoft Graph's HTTP API, as far as Alfred uses it: consents and tokens of the identity
//! platform, mail and calendars. It binds redirect addresses and PKCE, rotates refresh tokens, enforces scopes and the limits of
//! a mailbox (requests in ten minutes, four at once), gives immutable ids only where they are asked for, refuses what it
//! doesn't know, and fails on demand. It keeps nothing over a restart.
//!
//! | routes | what |
//! |---|---|
//! | `/{tenant}/oauth2/v2.0/token` | tokens; consent is given by [`GraphLocal::allow`] |
//! | `/v1.0/me/…`, `/v1.0/$batch` | Graph |
//! | `/upload/…` | parts of large files, by an address that is its own proof |

mod asked;
mod batch;
pub mod calendar;
mod error;
mod exchange;
pub mod mail;
mod oauth;
mod serve;
mod state;

pub use alfred_loopback::{Call, Gate, HeldCall, Hold, Release};
pub use exchange::Fault;
pub use oauth::Client;
pub use serve::Running;
pub use state::{GraphLocal, Options};
