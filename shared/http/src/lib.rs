//! What the clients of outside systems share over HTTP: clients built at first use, bounded bodies, `Retry-After`,
//! secrets that may be rotated, and the guard that keeps requests on the public internet.

mod body;
mod client;
mod guard;
mod retry;
mod secret;

pub use body::up_to;
pub use client::{LazyClient, with_causes};
pub use guard::{Guard, Names, Rule, SystemNames, Unreachable, is_public};
pub use retry::{PATIENCE, Retries, retry_after};
pub use secret::CachedSecret;
