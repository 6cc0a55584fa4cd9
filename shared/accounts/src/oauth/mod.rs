//! Consents at a provider and their tokens.

mod client;
mod connections;
mod consent;
mod flights;
mod forget;
mod links;
mod provider;
mod rows;
mod several;
mod state;
mod token_http;
mod tokens;

pub use client::{ClientSecret, OAuthClient};
pub use connections::Connections;
pub use consent::{Arriving, Connected, Consent, ConsentError};
pub use provider::{DRIVE_FILE, OAuthProvider};
pub use several::Several;
pub use tokens::Tokens;
