//! Consents at a provider and their tokens.

mod client;
mod connections;
mod consent;
mod delegation;
mod flights;
mod links;
mod rows;
mod service_account;
mod several;
mod state;
mod token_http;
mod tokens;
mod ways;

pub use client::{ClientSecret, OAuthClient};
pub use connections::Connections;
pub use consent::{Arriving, Connected, Consent, ConsentError};
pub use delegation::Delegation;
pub use several::Several;
pub use tokens::Tokens;
pub use ways::ConsentEndpoints;
