//! What people consented to at a provider, and the tokens that follow from it.

mod client;
mod connections;
mod flights;
mod state;
mod tokens;

pub use client::{ClientSecret, OAuthClient};
pub use connections::{Connected, Connections, Consent, ConsentError, LINK};
pub use tokens::Tokens;
