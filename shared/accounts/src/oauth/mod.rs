//! Consents at a provider and their tokens.

mod client;
mod connections;
mod consent;
mod delegation;
mod flights;
mod forget;
mod links;
mod provider;
mod rows;
mod service_account;
mod several;
mod state;
mod token_http;
mod tokens;

pub use client::{ClientSecret, OAuthClient};
pub use connections::Connections;
pub use consent::{Arriving, Connected, Consent, ConsentError};
pub use delegation::Delegation;
pub use provider::{DRIVE_FILE, OAuthProvider};
pub use several::Several;
pub use tokens::Tokens;
