//! A strict stand-in of Slack's HTTP API and Socket Mode: it signs what it sends, checks tokens, blocks and limits,
//! answers Slack's own error codes, repeats undelivered events, and fails on demand. No HTML: a page is built on the
//! person's side of it.
//!
//! | routes | for |
//! |---|---|
//! | `/api/METHOD` | the app: Slack's Web API, bearer token |
//! | `/upload/v1/TICKET` | the app: a file's bytes, no token |
//! | `/files-pri/FILE/download` | the app: what people shared, bearer token |
//! | `/link/` on a port of its own | the app: Socket Mode, a ticket of `apps.connections.open` |
//! | `/client/…` | a page that plays Slack ([`SlackLocal`]'s methods in-process) |

mod api;
pub mod blocks;
mod db;
mod delivery;
mod download;
mod faults;
mod files;
mod interact;
pub mod links;
mod messages;
mod modal;
mod page;
mod person;
mod png;
mod screen;
pub mod seed;
mod serve;
mod sign;
mod socket;
mod state;
mod ts;
mod types;
mod upload;

pub use alfred_loopback::{Call, Gate, HeldCall, Hold, Release};
pub use db::Delivery;
pub use delivery::{AppAnswer, Undelivered};
pub use download::DOWNLOAD;
pub use faults::{Fault, Refusal};
pub use files::{FILE_BYTES, SharedFile};
pub use person::PersonError;
pub use seed::Seed;
pub use serve::Running;
pub use sign::signature;
pub use socket::{Disconnect, EnvelopeFault, Mistake};
pub use state::{OpenError, Options, SlackLocal};
pub use types::{Change, Channel, ChannelKind, Ephemeral, Message, Person, View};
pub use upload::UPLOAD;
