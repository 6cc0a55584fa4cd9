//! Consents at a provider and their tokens.

mod client;
mod connections;
mod consent;
mod flights;
mod provider;
mod revoke;
mod secret;
mod several;
mod token_http;
mod tokens;

pub use crate::links::ConsentError;
pub use alfred_http::CachedSecret;
pub use client::OAuthClient;
pub use connections::Connections;
pub use consent::{Arriving, Connected, Consent};
pub use provider::OAuthProvider;
pub use several::Several;
pub use tokens::Tokens;
